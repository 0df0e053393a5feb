//! What the heights of bars are.

use super::super::caption;
use super::super::figure::Ruler;
use super::super::scale::Scale;
use super::super::study::{Study, interval, median};
use super::super::{number_axis, time_axis};
use crate::quality::Quality;
use crate::record::SummaryRow;
use crate::units;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The median time.
    Time,
    /// The median time over the number of pages, where a task has pages.
    PageTime,
    /// The memory over that of the input.
    Memory,
    /// How good the output is.
    Quality(Quality),
}

/// The metric that says the time a page, in µs.
const PAGE_TIME: &str = "us_per_page";

impl Quantity {
    /// What the title of a chart calls it.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Time => "time",
            Quantity::PageTime => "time a page",
            Quantity::Memory => "memory",
            Quantity::Quality(quality) => quality.name(),
        }
    }

    /// The height of a row's bar.
    pub fn value(self, row: &SummaryRow) -> f64 {
        match self {
            Quantity::Time => median(row),
            Quantity::PageTime => page_time(row).unwrap_or_default(),
            Quantity::Memory => row.memory_ratio.unwrap_or_default(),
            Quantity::Quality(quality) => quality.of(row).unwrap_or_default(),
        }
    }

    /// The ends of a row's whisker, where there is one.
    pub fn interval(self, row: &SummaryRow) -> Option<(f64, f64)> {
        match self {
            Quantity::Time => interval(row),
            Quantity::PageTime => {
                let share = self.value(row) / median(row);
                interval(row).map(|(low, high)| (low * share, high * share))
            }
            Quantity::Memory | Quantity::Quality(_) => None,
        }
    }

    /// The highest point of a row's bar and whisker.
    pub fn top(self, row: &SummaryRow) -> f64 {
        let whisker = self.interval(row).map_or(0.0, |(_, high)| high);
        self.value(row).max(whisker)
    }

    /// The highest point of all rows, and of what they are compared with.
    pub fn top_of_all<'a>(self, rows: impl IntoIterator<Item = &'a &'a SummaryRow>) -> f64 {
        let tops = rows.into_iter().map(|row| self.top(row));
        tops.fold(self.reference().unwrap_or(0.0), f64::max)
    }

    /// The value of a row in words.
    pub fn words(self, row: &SummaryRow) -> String {
        match self {
            Quantity::Time | Quantity::PageTime => units::seconds(self.value(row), 3),
            Quantity::Memory => format!("{:.2} ×", self.value(row)),
            Quantity::Quality(quality) => quality.words(self.value(row)),
        }
    }

    /// The value that all bars are compared with.
    pub fn reference(self) -> Option<f64> {
        match self {
            Quantity::Time | Quantity::PageTime => None,
            Quantity::Memory => Some(1.0),
            Quantity::Quality(quality) => quality.ideal(),
        }
    }

    /// The vertical axis.
    pub fn ruler(self, scale: &Scale, height: f64) -> Ruler {
        match self {
            Quantity::Time => time_axis::ruler(scale, height, "median time"),
            Quantity::PageTime => time_axis::ruler(scale, height, "median time a page"),
            Quantity::Memory => number_axis::ruler(scale, height, "memory [× input]"),
            Quantity::Quality(quality) => number_axis::ruler(scale, height, quality.name()),
        }
    }

    /// The paragraphs under the chart.
    pub fn caption(self, study: &Study, reading: &str) -> Vec<String> {
        match self {
            Quantity::Time | Quantity::PageTime => caption::of_samples(study, reading),
            Quantity::Memory | Quantity::Quality(_) => caption::caption(study, reading),
        }
    }
}

/// The time a page of a row, in seconds, if it has pages.
pub fn page_time(row: &SummaryRow) -> Option<f64> {
    let us: f64 = row.metrics.get(PAGE_TIME)?.parse().ok()?;
    Some(us * 1e-6)
}
