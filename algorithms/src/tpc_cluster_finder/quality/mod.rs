//! Quality of clusters, where the particles' true clusters are known.
//!
//! | file | holds |
//! |---|---|
//! | `truth` | true clusters on the rows of a sector |
//! | `matching` | found clusters matched with true ones |
//! | `figures` | efficiency, ghosts, split and merged clusters, residuals |
//! | `labels` | purity, efficiency and fakes by labels |
//!
//! `docs/tpc-clusters.md` defines the figures.

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

/// Figures of clusters, with known true clusters.
pub(crate) const FIGURES: [MetricInfo; 7] = [
    EFFICIENCY,
    GHOSTS,
    figures::SPLIT,
    figures::MERGED,
    figures::RESIDUALS[0],
    figures::RESIDUALS[1],
    figures::RESIDUALS[2],
];
/// Figures of clusters with labels.
pub(super) const OF_LABELS: [MetricInfo; 3] =
    [labels::PURITY, labels::LABEL_EFFICIENCY, labels::FAKES];
