//! What the heights of bars are.

use super::super::caption;
use super::super::figure::Ruler;
use super::super::scale::Scale;
use super::super::study::{Study, interval, median};
use super::super::{number_axis, time_axis};
use crate::record::SummaryRow;
use crate::units;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The median time.
    Time,
    /// The memory over that of the input.
    Memory,
}

impl Quantity {
    /// What the title of a chart calls it.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Time => "time",
            Quantity::Memory => "memory",
        }
    }

    /// The height of a row's bar.
    pub fn value(self, row: &SummaryRow) -> f64 {
        match self {
            Quantity::Time => median(row),
            Quantity::Memory => row.memory_ratio.unwrap_or_default(),
        }
    }

    /// The ends of a row's whisker, where there is one.
    pub fn interval(self, row: &SummaryRow) -> Option<(f64, f64)> {
        match self {
            Quantity::Time => interval(row),
            Quantity::Memory => None,
        }
    }

    /// The highest point of a row's bar and whisker.
    pub fn top(self, row: &SummaryRow) -> f64 {
        let whisker = self.interval(row).map_or(0.0, |(_, high)| high);
        self.value(row).max(whisker)
    }

    /// The highest point of all rows.
    pub fn top_of_all<'a>(self, rows: impl IntoIterator<Item = &'a &'a SummaryRow>) -> f64 {
        let tops = rows.into_iter().map(|row| self.top(row));
        tops.fold(0.0, f64::max)
    }

    /// The value of a row in words.
    pub fn words(self, row: &SummaryRow) -> String {
        match self {
            Quantity::Time => units::seconds(median(row), 3),
            Quantity::Memory => format!("{:.2} ×", self.value(row)),
        }
    }

    /// The value that all bars are compared with.
    pub fn reference(self) -> Option<f64> {
        match self {
            Quantity::Time => None,
            Quantity::Memory => Some(1.0),
        }
    }

    /// The vertical axis.
    pub fn ruler(self, scale: &Scale, height: f64) -> Ruler {
        match self {
            Quantity::Time => time_axis::ruler(scale, height, "median time"),
            Quantity::Memory => number_axis::ruler(scale, height, "memory [× input]"),
        }
    }

    /// The paragraphs under the chart.
    pub fn caption(self, study: &Study, reading: &str) -> Vec<String> {
        match self {
            Quantity::Time => caption::of_samples(study, reading),
            Quantity::Memory => caption::caption(study, reading),
        }
    }
}
