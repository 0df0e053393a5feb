//! How good clusters are, where it is known what particles left.
//!
//! | file | holds |
//! |---|---|
//! | `truth` | what particles left on the rows of a sector |
//! | `matching` | which cluster is of which particle |
//! | `figures` | efficiency, ghosts, split and merged clusters, residuals |
//! | `labels` | purity, efficiency and fakes by labels |
//!
//! `docs/tpc-clusters.md` says what the figures mean.

mod figures;
mod labels;
mod matching;
#[cfg(test)]
mod tests;
mod truth;

pub(crate) use figures::figures;
pub(super) use labels::by_labels;
pub(crate) use truth::Truth;
