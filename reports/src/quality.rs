//! How good an output is: figures that a task has where it knows what really happened.

use crate::record::SummaryRow;
use crate::units;

/// Digits that tell variants apart which agree in all but a few things.
const DIGITS: usize = 5;

/// A figure of the quality of what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// The share of what happened that was found.
    Efficiency,
    /// The share of what was found that did not happen.
    Ghosts,
    /// How far off things are in x.
    XResidual,
    /// How far off they are in y.
    YResidual,
    /// How far off they are in time.
    TimeResidual,
    /// How far off they are in x, in units of the error that they have of themselves.
    XPull,
    /// The same in y.
    YPull,
}

impl Quality {
    /// All of them.
    pub const ALL: [Quality; 7] = [
        Quality::Efficiency,
        Quality::Ghosts,
        Quality::TimeResidual,
        Quality::XResidual,
        Quality::XPull,
        Quality::YResidual,
        Quality::YPull,
    ];

    /// Its name among the metrics of a row.
    pub fn metric(self) -> &'static str {
        match self {
            Quality::Efficiency => "efficiency",
            Quality::Ghosts => "ghosts",
            Quality::XResidual => "x_residual_um",
            Quality::YResidual => "y_residual_um",
            Quality::TimeResidual => "time_residual_ns",
            Quality::XPull => "x_pull",
            Quality::YPull => "y_pull",
        }
    }

    /// What people call it, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Quality::Efficiency => "efficiency",
            Quality::Ghosts => "ghosts",
            Quality::XResidual => "x residual [µm]",
            Quality::YResidual => "y residual [µm]",
            Quality::TimeResidual => "time residual [ns]",
            Quality::XPull => "x pull",
            Quality::YPull => "y pull",
        }
    }

    /// The figure of a row, if it has it.
    pub fn of(self, row: &SummaryRow) -> Option<f64> {
        let value = row.metrics.number(self.metric())?;
        value.is_finite().then_some(value)
    }

    /// What it should be, where it can be more or less than that.
    pub fn ideal(self) -> Option<f64> {
        match self {
            Quality::XPull | Quality::YPull => Some(1.0),
            _ => None,
        }
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
