//! The columns of a table and their cells.

use super::entry::Ratios;
use crate::record::{Ceiling, SummaryRow, YesNo};
use crate::table::{NOTHING, Side, known};
use crate::units::{self, bytes_per_second, times};

/// A row with additional data for its cells.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The row.
    pub row: &'a SummaryRow,
    /// Its label.
    pub label: String,
    /// Its time relative to the fastest ones.
    pub ratios: Ratios,
}

/// A column: title, alignment, and the function that formats the cell of a row.
pub type Column = (&'static str, Side, fn(&Line) -> String);

/// Columns that are omitted on narrow terminals, the least important first.
pub const DISPENSABLE: [&str; 10] = [
    "stable",
    "bytes/s",
    "given",
    "samples",
    "of copy",
    "kernel ratio",
    "items/s",
    "memory",
    "95 % CI",
    "CI (level)",
];

/// Optional columns of a table.
#[derive(Clone, Copy, Debug)]
pub struct OptionalColumns {
    /// The device of each row.
    pub device: bool,
    /// Times of kernels in addition to total times.
    pub kernels: bool,
    /// The kind of input of each row.
    pub given: bool,
    /// The level of each interval, if not all have 95 %.
    pub levels: bool,
}

/// The columns of a table.
pub fn columns(shown: OptionalColumns) -> Vec<Column> {
    use Side::{Left, Right};
    let OptionalColumns { device: with_device, kernels: with_kernels, given: with_given, levels } =
        shown;
    let median = if with_kernels { "total" } else { "median" };
    let columns: [(bool, Column); 15] = [
        (true, ("variant", Left, |line| line.label.clone())),
        (with_device, ("device", Left, |line| line.row.device.clone())),
        (with_given, ("given", Left, |line| line.row.given.clone())),
        (true, (median, Right, |line| line.known(line.row.median_s, seconds))),
        (!levels, ("95 % CI", Right, |line| interval(line.row))),
        (levels, ("CI (level)", Right, |line| leveled_interval(line.row))),
        (true, ("ratio", Right, |line| line.known(line.ratios.total, times))),
        (with_kernels, ("kernel", Right, |line| line.known(line.ratios.kernel_s, seconds))),
        (with_kernels, ("kernel ratio", Right, |line| line.known(line.ratios.kernel, times))),
        (true, ("items/s", Right, |line| line.known(line.row.items_per_s, units::rate))),
        (true, ("bytes/s", Right, |line| line.known(line.row.bytes_per_s, bytes_per_second))),
        (true, ("of copy", Right, |line| line.share())),
        (true, ("memory", Right, |line| line.known(line.row.memory_ratio, times))),
        (true, ("samples", Left, |line| samples(line.row))),
        (true, ("stable", Left, |line| stable(line.row))),
    ];
    columns.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, column)| column).collect()
}

impl Line<'_> {
    /// Share of its ceiling.
    fn share(&self) -> String {
        let share = self.row.peak_fraction.filter(|_| self.row.valid == YesNo::Yes);
        known(share, |_| share_of_ceiling(self.row))
    }

    /// Formats a value, if the row is valid and has it.
    fn known(&self, value: Option<f64>, say: fn(f64) -> String) -> String {
        known(value.filter(|_| self.row.valid == YesNo::Yes), say)
    }
}

fn seconds(seconds: f64) -> String {
    units::seconds(seconds, 3)
}

/// Share of a row's ceiling. The usual ceiling is the copy bandwidth; another one is added in
/// brackets. Data in a cache have no share of the bandwidth of memory.
pub fn share_of_ceiling(row: &SummaryRow) -> String {
    let Some(share) = row.peak_fraction else { return NOTHING.to_owned() };
    match row.ceiling() {
        Ceiling::Copy if row.is_in_cache() => "in cache".to_owned(),
        Ceiling::Copy => format!("{:.0} %", share * 100.0),
        Ceiling::Link => format!("({:.0} %)", share * 100.0),
    }
}

/// The interval with its level: `[12.1, 12.4] (50 %)`.
fn leveled_interval(row: &SummaryRow) -> String {
    match row.ci95_low_s.filter(|_| row.valid == YesNo::Yes) {
        Some(_) => format!("{} ({})", interval(row), level(row)),
        None => interval(row),
    }
}

/// The level of a row's interval: `95 %`.
pub fn level(row: &SummaryRow) -> String {
    format!("{:.0} %", 100.0 * row.interval_level())
}

/// The interval in the unit of the median: `[12.1, 12.4]`.
fn interval(row: &SummaryRow) -> String {
    let median = row.median_s.filter(|_| row.valid == YesNo::Yes);
    known(median.zip(row.ci95_low_s.zip(row.ci95_high_s)), |(median, (low, high))| {
        let (scale, _) = units::second_unit(median);
        let number = |seconds: f64| units::significant(seconds / scale, 3);
        format!("[{}, {}]", number(low), number(high))
    })
}

/// Number of samples, and the reason for the end of sampling: `12, interval`.
fn samples(row: &SummaryRow) -> String {
    match (row.samples, row.stopped_by.as_str()) {
        (0, _) => NOTHING.to_owned(),
        (count, "") => count.to_string(),
        (count, reason) => format!("{count}, {reason}"),
    }
}

fn stable(row: &SummaryRow) -> String {
    let word = match row.stable {
        YesNo::Yes => "yes",
        YesNo::No => "no",
    };
    word.to_owned()
}
