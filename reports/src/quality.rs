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
    /// What it should be, where it can be more or less than that.
    pub ideal: Option<f64>,
}

impl Quality {
    /// The share of what happened that was found.
    pub const EFFICIENCY: Quality = Quality::new("efficiency", "efficiency", None);

    /// All of them.
    pub const ALL: [Quality; 7] = [
        Quality::EFFICIENCY,
        // The share of what was found that did not happen.
        Quality::new("ghosts", "ghosts", None),
        // How far off things are, and that in units of the error that they have of themselves.
        Quality::new("time_residual_ns", "time residual [ns]", None),
        Quality::new("x_residual_um", "x residual [µm]", None),
        Quality::new("x_pull", "x pull", Some(1.0)),
        Quality::new("y_residual_um", "y residual [µm]", None),
        Quality::new("y_pull", "y pull", Some(1.0)),
    ];

    const fn new(metric: &'static str, name: &'static str, ideal: Option<f64>) -> Self {
        Quality { metric, name, ideal }
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
