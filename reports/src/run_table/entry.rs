//! The rows of a variant, and its time relative to others.

use crate::grouped::grouped;
use crate::rank::{KERNEL, Rank, TOTAL};
use crate::record::{SummaryRow, YesNo};

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
