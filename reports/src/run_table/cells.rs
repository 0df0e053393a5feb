//! The rows of a variant, their columns and cells, and times relative to others.

use crate::grouped::grouped;
use crate::rank::{KERNEL, Rank, TOTAL};
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
pub const DISPENSABLE: [&str; 11] = [
    "stable",
    "bytes/s",
    "given",
    "samples",
    "of copy",
    "kernel ratio",
    "J/item",
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
    /// The energy of an item.
    pub energy: bool,
}

/// The columns of a table.
pub fn columns(shown: OptionalColumns) -> Vec<Column> {
    use Side::{Left, Right};
    let OptionalColumns {
        device: with_device,
        kernels: with_kernels,
        given: with_given,
        levels,
        energy,
    } = shown;
    let median = if with_kernels { "total" } else { "median" };
    let columns: [(bool, Column); 16] = [
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
        (energy, ("J/item", Right, |line| known(line.row.joules_per_item(), units::joules))),
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
    row.stable.name().to_owned()
}

/// The rows of a variant on a device.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The total, then its stages.
    pub rows: Vec<&'a SummaryRow>,
}

/// Time of a variant relative to the fastest ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratios {
    /// Its time over that of the fastest variant.
    pub total: Option<f64>,
    /// Time of its kernels over that of the fastest ones.
    pub kernel: Option<f64>,
    /// The time of its kernels.
    pub kernel_s: Option<f64>,
}

/// The entries of rows with one data shape: the fastest first, those without a time last and by
/// name.
pub fn entries<'a>(rows: &[&'a SummaryRow], rank: Rank) -> Vec<Entry<'a>> {
    let variants = grouped(rows.iter().copied(), |row| (&row.variant, &row.device));
    let entries = variants.into_iter().map(|(_, mut rows)| {
        rows.sort_by_key(|row| row.stage != TOTAL);
        Entry { rows }
    });
    let (mut timed, mut others): (Vec<Entry>, Vec<Entry>) =
        entries.partition(|entry| entry.time(rank).is_some());
    let time = |entry: &Entry| entry.time(rank).unwrap_or(f64::INFINITY);
    timed.sort_by(|a, b| time(a).total_cmp(&time(b)));
    others.sort_by_key(|entry| &entry.whole().variant);
    timed.extend(others);
    timed
}

/// The shortest times of entries with the same kind of input.
#[derive(Clone, Debug)]
pub struct Fastest<'a> {
    /// By each rank, in the order of [`Rank::ALL`]; `None` if only one of several entries has this
    /// kind of input.
    by_given: Vec<(&'a str, [Option<f64>; 2])>,
}

impl<'a> Fastest<'a> {
    /// The fastest among these entries.
    pub fn new(entries: &[Entry<'a>]) -> Self {
        let timed = entries.iter().filter(|entry| entry.time(Rank::Total).is_some());
        let all = timed.clone().count();
        let by_given = grouped(timed, |entry| entry.given()).into_iter().map(|(given, alike)| {
            let times = |rank| alike.iter().filter_map(move |entry| entry.time(rank));
            let is_alone = alike.len() == 1 && all > 1;
            (given, Rank::ALL.map(|rank| times(rank).min_by(f64::total_cmp).filter(|_| !is_alone)))
        });
        Fastest { by_given: by_given.collect() }
    }

    /// True if entries have different kinds of input.
    pub fn differ(&self) -> bool {
        self.by_given.len() > 1
    }

    /// True if an entry is the fastest of several with the same kind of input, or of all.
    pub fn is(&self, entry: &Entry, rank: Rank) -> bool {
        let [total, kernel] = self.fastest_times(entry);
        let best = match rank {
            Rank::Total => total,
            Rank::Kernel => kernel,
        };
        best.is_some() && entry.time(rank) == best
    }

    fn fastest_times(&self, entry: &Entry) -> [Option<f64>; 2] {
        let found = self.by_given.iter().find(|(given, _)| *given == entry.given());
        found.map_or([None; 2], |(_, times)| *times)
    }
}

impl<'a> Entry<'a> {
    /// The row of the total.
    pub fn whole(&self) -> &'a SummaryRow {
        self.rows[0]
    }

    /// Its kind of input, if that is not the same for all.
    fn given(&self) -> &'a str {
        &self.whole().given
    }

    /// The time that ranks it; `None` if its total is not valid.
    fn time(&self, rank: Rank) -> Option<f64> {
        let total = self.stage_time(TOTAL)?;
        match rank {
            Rank::Total => Some(total),
            Rank::Kernel => Some(self.stage_time(KERNEL).unwrap_or(total)),
        }
    }

    /// The time of a stage, if it is valid.
    pub fn stage_time(&self, stage: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.stage == stage)?;
        row.median_s.filter(|_| row.valid == YesNo::Yes)
    }

    /// Its times relative to the shortest ones with the same kind of input.
    pub fn ratios(&self, fastest: &Fastest) -> Ratios {
        let fastest = fastest.fastest_times(self);
        let ratio = |rank, fastest: Option<f64>| {
            let ratio = self.time(rank)? / fastest?;
            ratio.is_finite().then_some(ratio)
        };
        Ratios {
            total: ratio(Rank::Total, fastest[0]),
            kernel: ratio(Rank::Kernel, fastest[1]),
            kernel_s: self.stage_time(KERNEL),
        }
    }
}
