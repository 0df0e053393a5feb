//! Points over many runs of a machine: their medians, changes of their level, and their state.
//!
//! | module | does |
//! |---|---|
//! | `levels` | finds changes that exceed the scatter |
//! | `shift` | determines the state of each change: changes may have been accepted |
//! | `render` | writes trends for terminals, pages and programs |
//!
//! Nothing here reads a file.

mod levels;
mod render;
mod shift;

use std::collections::HashMap;

pub(crate) use levels::levels;
pub use levels::{Level, ShiftLimits};
pub use render::{Listing, Trends};
pub(crate) use render::{moved_words, names, words};
pub use shift::{AcceptedShift, Direction, Shift, ShiftStatus, Trend, trends};

use serde::Serialize;
use statistics::median;

use crate::grouped::by_key;
use crate::rank::{RankedBy, TOTAL};
use crate::record::{Point, RunRecord, SummaryRow};

/// Number of runs on either side of a change of the machine that are compared.
const NEIGHBOURS: usize = 5;

/// A point over the runs of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointHistory {
    /// The machine.
    pub machine_key: String,
    /// Model of the GPU, for a point that ran on one.
    pub gpu: Option<String>,
    /// The previous machine of the point, if there was one.
    pub moved: Option<Moved>,
    /// The measured point.
    pub point: Point,
    /// Quantity that is followed.
    #[serde(skip_serializing_if = "RankedBy::is_time")]
    pub by: RankedBy,
    /// Its valid medians, in the order of the runs.
    #[serde(rename = "visits")]
    pub entries: Vec<HistoryPoint>,
}

/// A change of the machine that measures a point. Levels are not followed across it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moved {
    /// Key of the previous machine.
    pub from: String,
    /// Differences from that machine as text: `2 instead of 4 cores`.
    pub differs: Vec<String>,
    /// Median of the last runs on the previous machine, in seconds.
    pub before_s: f64,
    /// Median of the first runs on this machine, in seconds.
    pub after_s: f64,
}

impl Moved {
    /// Time on this machine over that on the previous one.
    pub fn ratio(&self) -> f64 {
        self.after_s / self.before_s
    }
}

/// A point in one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HistoryPoint {
    /// The run's id in the store; empty if it is not stored.
    pub run: String,
    /// Start of the run: UTC, RFC 3339.
    pub started: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// Median in seconds, or energy of an item in joules where that is followed.
    pub median_s: f64,
    /// The ends of its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// The machine code that ran.
    pub fingerprint: String,
}

impl HistoryPoint {
    /// Entry of a row; `None` for stages, and for rows without a valid median.
    pub fn from_row(run: &str, record: &RunRecord, row: &SummaryRow) -> Option<Self> {
        Self::by(RankedBy::Time, run, record, row)
    }

    fn by(by: RankedBy, run: &str, record: &RunRecord, row: &SummaryRow) -> Option<Self> {
        let median_s = by.value(row).filter(|_| row.stage == TOTAL)?;
        Some(HistoryPoint {
            run: run.to_owned(),
            started: record.started.clone(),
            git_commit: record.software.git_commit.clone(),
            median_s,
            interval: by.interval(row),
            fingerprint: row.fingerprint.clone(),
        })
    }
}

/// Hardware and meters that measured a point.
#[derive(Clone, PartialEq, Eq, Hash)]
struct MachineOfPoint {
    key: String,
    gpu: Option<String>,
    /// Meters of its energy, if that is followed.
    energy_source: String,
}

/// A entry with its index in the order of all runs.
struct IndexedEntry<'a> {
    run: usize,
    record: &'a RunRecord,
    entry: HistoryPoint,
}

/// Histories of the points of runs, which are in order and come with their ids.
pub fn point_histories<'a>(
    runs: impl IntoIterator<Item = (&'a str, &'a RunRecord, &'a [SummaryRow])>,
) -> Vec<PointHistory> {
    histories_by(RankedBy::Time, runs)
}

/// Histories of a quantity. Energies by different meters have histories of their own.
pub fn histories_by<'a>(
    by: RankedBy,
    runs: impl IntoIterator<Item = (&'a str, &'a RunRecord, &'a [SummaryRow])>,
) -> Vec<PointHistory> {
    let seen = runs.into_iter().enumerate().flat_map(|(run, (id, record, rows))| {
        rows.iter().filter_map(move |row| {
            let entry = HistoryPoint::by(by, id, record, row)?;
            let source = match by {
                RankedBy::Time => "",
                RankedBy::Energy => row.energy_source(),
            };
            let machine = MachineOfPoint {
                key: record.machine_key.clone(),
                gpu: record.gpu_model(&row.device).map(str::to_owned),
                energy_source: source.to_owned(),
            };
            Some(((machine, row.point()), IndexedEntry { run, record, entry }))
        })
    });
    let histories = by_key(seen);
    let mut earlier: HashMap<(&Point, &String), Vec<&[IndexedEntry<'_>]>> = HashMap::new();
    let mut moves = Vec::with_capacity(histories.len());
    for ((machine, point), seen) in &histories {
        let others = earlier.entry((point, &machine.energy_source)).or_default();
        moves.push(moved(others, seen, point));
        others.push(seen);
    }
    let histories = histories.into_iter().zip(moves);
    histories
        .map(|(((machine, point), seen), moved)| {
            let entries = seen.into_iter().map(|seen| seen.entry).collect();
            let MachineOfPoint { key: machine_key, gpu, .. } = machine;
            PointHistory { machine_key, gpu, moved, point, by, entries }
        })
        .collect()
}

/// The previous machine of a point; `None` for the first machine, and if both alternate.
fn moved(
    others: &[&[IndexedEntry<'_>]],
    seen: &[IndexedEntry<'_>],
    point: &Point,
) -> Option<Moved> {
    let first = seen.first()?;
    let latest = others.iter().max_by_key(|other| other.last().map(|last| last.run))?;
    let before = latest.last().filter(|before| before.run < first.run)?;
    let medians = |seen: &[IndexedEntry<'_>]| -> Vec<f64> {
        seen.iter().map(|seen| seen.entry.median_s).collect()
    };
    let last = &latest[latest.len().saturating_sub(NEIGHBOURS)..];
    Some(Moved {
        from: before.record.machine_key.clone(),
        differs: differences(first.record, before.record, &point.device),
        before_s: median(&medians(last)),
        after_s: median(&medians(&seen[..seen.len().min(NEIGHBOURS)])),
    })
}

/// Differences between the machines of two runs that are relevant for a device.
fn differences(new: &RunRecord, before: &RunRecord, device: &str) -> Vec<String> {
    let mut differences = Vec::new();
    if new.machine_key != before.machine_key {
        differences = new.machine.differences(&before.machine);
    }
    if let (Some(new), Some(before)) = (new.gpu_model(device), before.gpu_model(device))
        && new != before
    {
        differences.push(format!("GPU {new} instead of {before}"));
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::record::{Gpu, YesNo};

    #[test]
    fn each_point_of_each_machine_is_followed_through_the_runs() {
        let elsewhere = RunRecord { machine_key: "other".into(), ..run() };
        let rows = |median: f64| vec![row("a", "n=1", median), row("b", "n=1", 1.0)];
        let mut damaged = rows(3.0);
        damaged[0].valid = YesNo::No;
        damaged[1].stage = "kernel".into();
        let first = rows(1.0);
        let second = rows(2.0);
        let third = rows(9.0);
        let runs = [
            ("1", &run(), &first[..]),
            ("2", &run(), &damaged[..]),
            ("3", &elsewhere, &third[..]),
            ("4", &run(), &second[..]),
        ];
        let histories =
            point_histories(runs.iter().map(|(id, record, rows)| (*id, *record, *rows)));
        assert_eq!(histories.len(), 4);
        let runs: Vec<&str> = histories[0].entries.iter().map(|v| v.run.as_str()).collect();
        assert_eq!(runs, ["1", "4"]);
        assert_eq!(histories[0].entries[1].median_s, 2.0);
        assert_eq!(histories[2].machine_key, "other");
    }

    /// Consecutive runs on these machines, with the models of their GPUs.
    fn followed(machines: &[(&str, &str)], device: &str) -> Vec<PointHistory> {
        let records = machines.iter().map(|(key, gpu)| {
            let mut record = RunRecord { machine_key: (*key).into(), ..run() };
            record.machine.cores = key.len();
            record.machine.gpus = vec![Gpu { model: (*gpu).into(), ..Gpu::default() }];
            record
        });
        let records: Vec<RunRecord> = records.collect();
        let rows: Vec<_> = (0..machines.len())
            .map(|i| vec![SummaryRow { device: device.into(), ..row("a", "n=1", i as f64 + 1.0) }])
            .collect();
        point_histories(records.iter().zip(&rows).map(|(record, rows)| ("id", record, &rows[..])))
    }

    #[test]
    fn energy_is_followed_by_what_measured_it() {
        let taking = |joules: f64, source: &str| {
            [SummaryRow {
                j_per_item: Some(joules),
                energy_source: source.into(),
                ..row("a", "n=1", 1.0)
            }]
        };
        let record = run();
        let rows = [
            taking(1.0, "cpu"),
            taking(2.0, "command"),
            taking(1.5, "cpu"),
            [row("a", "n=1", 1.0)],
        ];
        let runs = rows.iter().map(|rows| ("id", &record, &rows[..]));
        let found = histories_by(RankedBy::Energy, runs.clone());
        let values = |history: &PointHistory| {
            history.entries.iter().map(|entry| entry.median_s).collect::<Vec<_>>()
        };
        assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [vec![1.0, 1.5], vec![2.0]]);
        assert!(found.iter().all(|history| history.by == RankedBy::Energy));
        assert!(found.iter().all(|history| history.moved.is_none()), "the machine is the same");
        let times = point_histories(runs);
        assert_eq!(values(&times[0]), [1.0; 4]);
        let text = serde_json::to_string(&times).expect("JSON");
        assert!(!text.contains("\"by\""), "{text}");
    }

    #[test]
    fn another_machine_is_named_with_what_differs() {
        let found = followed(&[("a", "H100"), ("a", "H200"), ("bb", "H100")], "cpu");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].moved, None);
        let moved = found[1].moved.as_ref().expect("moved");
        assert_eq!((moved.from.as_str(), moved.before_s, moved.after_s), ("a", 1.5, 3.0));
        assert_eq!(moved.differs, ["2 instead of 1 cores"]);
    }

    #[test]
    fn another_gpu_is_another_machine_for_its_points_only() {
        let found = followed(&[("a", "H100"), ("a", "H200")], "cuda:0");
        let moved = found[1].moved.as_ref().expect("moved");
        assert_eq!(moved.differs, ["GPU H200 instead of H100"]);
        assert_eq!(found[1].gpu.as_deref(), Some("H200"));
        assert_eq!(followed(&[("a", "H100"), ("a", "H200")], "cpu").len(), 1);
    }

    #[test]
    fn machines_that_measure_by_turns_are_no_change() {
        let found = followed(&[("a", ""), ("bb", ""), ("a", ""), ("bb", "")], "cpu");
        assert!(found.iter().all(|history| history.moved.is_none()), "{found:?}");
    }
}

/// Histories for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use statistics::synthetic::Noise;

    use super::{PointHistory, point_histories};
    use crate::charts::fixture::{row, run};
    use crate::record::SummaryRow;

    /// Times at levels of these numbers of runs and means, with this scatter.
    pub fn series(seed: u64, scatter: f64, means: &[(usize, f64)]) -> Vec<f64> {
        let mut noise = Noise::new(seed);
        let of_level = means.iter().flat_map(|(count, mean)| vec![*mean; *count]);
        of_level.map(|mean| mean * (scatter * noise.normal()).exp()).collect()
    }

    /// Runs `night-00`, `night-01`, … of a variant, at levels of these numbers of runs and means, with
    /// a scatter of 1 %; the code changes at the start of each level.
    pub fn history(variant: &str, means: &[(usize, f64)]) -> PointHistory {
        let levels = means.iter().enumerate().flat_map(|(level, (count, _))| vec![level; *count]);
        let row = |(median, level)| SummaryRow {
            fingerprint: format!("code:{level}"),
            ..row(variant, "n=1", median)
        };
        let rows: Vec<_> = series(7, 0.01, means).into_iter().zip(levels).map(row).collect();
        let record = run();
        let ids: Vec<String> = (0..rows.len()).map(|i| format!("night-{i:02}")).collect();
        let runs = ids.iter().zip(rows.chunks(1));
        point_histories(runs.map(|(id, rows)| (id.as_str(), &record, rows))).remove(0)
    }
}
