//! How good an output is: figures that a task has where it knows what really happened.

use crate::record::SummaryRow;
use crate::units;

/// Digits that tell variants apart which agree in all but a few things.
const DIGITS: usize = 5;

/// A figure of the quality of what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Its name among the metrics of a row.
    pub metric: &'static str,
    /// What people call it, with its unit.
    pub name: &'static str,
    /// What it tells, where the name does not.
    pub meaning: Option<&'static str>,
    /// What it should be, where it can be more or less than that.
    pub ideal: Option<f64>,
}

impl Quality {
    /// The share of what happened that was found.
    pub const EFFICIENCY: Quality =
        Quality::share("efficiency", "efficiency: of what happened, the share that was found");

    /// All of them.
    pub const ALL: [Quality; 15] = [
        Quality::EFFICIENCY,
        Quality::share("ghosts", "ghosts: of what was found, the share that did not happen"),
        Quality::share("split", "split: the share of which there is another piece"),
        Quality::share("merged", "merged: the share that has something else in it"),
        Quality::share("purity", "purity: of what has labels, the share that has one only"),
        Quality::named_share(
            "label_efficiency",
            "efficiency by labels",
            "efficiency by labels: of all labels in a row, the share that was found there",
        ),
        Quality::share("fakes", "fakes: the share that has the label of no particle"),
        // How far off things are, and that in units of the error that they have of themselves.
        Quality::width("time_residual_ns", "time residual [ns]"),
        Quality::width("x_residual_um", "x residual [µm]"),
        Quality::pull("x_pull", "x pull"),
        Quality::width("y_residual_um", "y residual [µm]"),
        Quality::pull("y_pull", "y pull"),
        Quality::width("pad_residual", "pad residual [pads]"),
        Quality::width("time_residual", "time residual [time bins]"),
        Quality::width("charge_residual", "charge residual [of the charge]"),
    ];

    const fn share(name: &'static str, meaning: &'static str) -> Self {
        Quality::named_share(name, name, meaning)
    }

    const fn named_share(metric: &'static str, name: &'static str, meaning: &'static str) -> Self {
        Quality { metric, name, meaning: Some(meaning), ideal: None }
    }

    const fn width(metric: &'static str, name: &'static str) -> Self {
        Quality { metric, name, meaning: None, ideal: None }
    }

    const fn pull(metric: &'static str, name: &'static str) -> Self {
        Quality { metric, name, meaning: None, ideal: Some(1.0) }
    }

    /// The figure of a row, if it has it.
    pub fn of(self, row: &SummaryRow) -> Option<f64> {
        row.metrics.number(self.metric).filter(|value| value.is_finite())
    }

    /// A value in words.
    pub fn words(self, value: f64) -> String {
        units::significant(value, DIGITS)
    }
}

/// Whether anything is known of the quality of a row.
pub fn is_known(row: &SummaryRow) -> bool {
    Quality::ALL.iter().any(|quality| quality.of(row).is_some())
}
