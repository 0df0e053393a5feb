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

use crate::algorithm::MetricInfo;
use crate::algorithm::metric::{EFFICIENCY, GHOSTS};

pub(crate) use figures::figures;
pub(super) use labels::by_labels;
pub(crate) use truth::Truth;

/// The figures of clusters of which the truth is known.
pub(crate) const FIGURES: [MetricInfo; 7] = [
    EFFICIENCY,
    GHOSTS,
    figures::SPLIT,
    figures::MERGED,
    figures::RESIDUALS[0],
    figures::RESIDUALS[1],
    figures::RESIDUALS[2],
];
/// The figures of clusters with labels.
pub(super) const OF_LABELS: [MetricInfo; 3] =
    [labels::PURITY, labels::LABEL_EFFICIENCY, labels::FAKES];
