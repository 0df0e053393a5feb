//! The columns of a table and what a row says in each.

use crate::record::{Ceiling, SummaryRow, YesNo};
use crate::table::{NOTHING, Side};
use crate::units::{self, times};

/// Which columns a table has beside the usual ones.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The device, if that tells rows apart.
    pub device: bool,
    /// The time of the kernels, where something runs on a GPU.
    pub kernel: bool,
}

/// How a variant compares with the fastest ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratios {
    /// Its time over that of the fastest variant.
    pub total: Option<f64>,
    /// The same by kernels.
    pub kernel: Option<f64>,
    /// The time of its kernels.
    pub kernel_s: Option<f64>,
}

/// The columns' names and sides.
pub fn columns(which: Columns) -> Vec<(&'static str, Side)> {
    let mut columns = vec![("variant", Side::Left)];
    if which.device {
        columns.push(("device", Side::Left));
    }
    let median = if which.kernel { "total" } else { "median" };
    columns.extend([(median, Side::Right), ("95 % CI", Side::Right), ("ratio", Side::Right)]);
    if which.kernel {
        columns.extend([("kernel", Side::Right), ("kernel ratio", Side::Right)]);
    }
    columns.extend([
        ("items/s", Side::Right),
        ("bytes/s", Side::Right),
        ("of copy", Side::Right),
        ("memory", Side::Right),
        ("samples", Side::Left),
        ("stable", Side::Left),
    ]);
    columns
}

/// A row in words.
pub fn cells(row: &SummaryRow, label: String, which: Columns, ratios: Ratios) -> Vec<String> {
    let mut cells = vec![label];
    if which.device {
        cells.push(row.device.clone());
    }
    let shown = |value: Option<f64>, say: fn(f64) -> String| {
        let value = value.filter(|_| row.valid == YesNo::Yes);
        value.map_or_else(|| NOTHING.to_owned(), say)
    };
    let seconds = |seconds| units::seconds(seconds, 3);
    cells.extend([
        shown(row.median_s, seconds),
        interval(row).unwrap_or_else(|| NOTHING.to_owned()),
        shown(ratios.total, times),
    ]);
    if which.kernel {
        cells.extend([shown(ratios.kernel_s, seconds), shown(ratios.kernel, times)]);
    }
    cells.extend([
        shown(row.items_per_s, units::rate),
        shown(row.bytes_per_s, units::bytes_per_second),
        shown(row.peak_fraction, share_of(row.ceiling())),
        shown(row.memory_ratio, times),
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
