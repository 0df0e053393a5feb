//! The columns of a table and what a row says in each.

use crate::record::{Ceiling, SummaryRow, YesNo};
use crate::units;

/// What stands where there is no number.
const NOTHING: &str = "-";

/// On which side the texts of a column line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// The columns' names and sides; `device` only if that tells rows apart.
pub fn columns(with_device: bool) -> Vec<(&'static str, Side)> {
    let mut columns = vec![("variant", Side::Left)];
    if with_device {
        columns.push(("device", Side::Left));
    }
    columns.extend([
        ("median", Side::Right),
        ("95 % CI", Side::Right),
        ("ratio", Side::Right),
        ("items/s", Side::Right),
        ("bytes/s", Side::Right),
        ("of copy", Side::Right),
        ("memory", Side::Right),
        ("samples", Side::Left),
        ("stable", Side::Left),
    ]);
    columns
}

/// A row in words. `ratio` is that to the fastest variant, where it has one.
pub fn cells(
    row: &SummaryRow,
    label: String,
    with_device: bool,
    ratio: Option<f64>,
) -> Vec<String> {
    let mut cells = vec![label];
    if with_device {
        cells.push(row.device.clone());
    }
    let shown = |value: Option<f64>, say: fn(f64) -> String| {
        let value = value.filter(|_| row.valid == YesNo::Yes);
        value.map_or_else(|| NOTHING.to_owned(), say)
    };
    cells.extend([
        shown(row.median_s, |s| units::seconds(s, 3)),
        interval(row).unwrap_or_else(|| NOTHING.to_owned()),
        shown(ratio, |ratio| format!("{ratio:.2} ×")),
        shown(row.items_per_s, units::rate),
        shown(row.bytes_per_s, units::bytes_per_second),
        shown(row.peak_fraction, share_of(row.ceiling())),
        shown(row.memory_ratio, |ratio| format!("{ratio:.2} ×")),
        samples(row),
        stable(row),
    ]);
    cells
}

/// A share of the copy bandwidth goes without saying; one of another ceiling
/// stands in brackets.
pub fn share_of(ceiling: Ceiling) -> fn(f64) -> String {
    match ceiling {
        Ceiling::Copy => |share| format!("{:.0} %", share * 100.0),
        Ceiling::Link => |share| format!("({:.0} %)", share * 100.0),
    }
}

/// The interval in the unit of the median: `[12.1, 12.4]`.
fn interval(row: &SummaryRow) -> Option<String> {
    let median = row.median_s.filter(|_| row.valid == YesNo::Yes)?;
    let (scale, _) = units::second_unit(median);
    let number = |seconds: f64| units::significant(seconds / scale, 3);
    let (low, high) = row.ci95_low_s.zip(row.ci95_high_s)?;
    Some(format!("[{}, {}]", number(low), number(high)))
}

/// How many, and what ended the sampling: `12, interval`.
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
