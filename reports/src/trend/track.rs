//! A point's medians over the runs of a machine.

use serde::Serialize;

use crate::grouped::by_key;
use crate::rank::TOTAL;
use crate::record::{Point, RunRecord, SummaryRow};

/// A point over the runs of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Track {
    /// The machine.
    pub machine_key: String,
    /// What was measured.
    pub point: Point,
    /// Each run that has a valid median of it, in their order.
    pub visits: Vec<Visit>,
}

/// A point in one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Visit {
    /// The run's id in the store; empty where it is in none.
    pub run: String,
    /// When the run was started: UTC, RFC 3339.
    pub started: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// In seconds.
    pub median_s: f64,
    /// The ends of the 95 % interval of the median, in seconds.
    pub interval: Option<(f64, f64)>,
    /// The machine code that ran.
    pub fingerprint: String,
}

impl Visit {
    /// What a row says of its point; nothing of stages, and of what has no valid median.
    pub fn of(run: &str, record: &RunRecord, row: &SummaryRow) -> Option<Self> {
        let median_s = row.valid_median().filter(|_| row.stage == TOTAL)?;
        Some(Visit {
            run: run.to_owned(),
            started: record.started.clone(),
            git_commit: record.software.git_commit.clone(),
            median_s,
            interval: row.full_interval(),
            fingerprint: row.fingerprint.clone(),
        })
    }
}

/// The tracks of runs, which come with their ids and in their order.
pub fn tracks<'a>(
    runs: impl IntoIterator<Item = (&'a str, &'a RunRecord, &'a [SummaryRow])>,
) -> Vec<Track> {
    let visits = runs.into_iter().flat_map(|(id, record, rows)| {
        rows.iter().filter_map(move |row| {
            let visit = Visit::of(id, record, row)?;
            Some(((record.machine_key.clone(), row.point()), visit))
        })
    });
    let tracks = by_key(visits).into_iter();
    tracks.map(|((machine_key, point), visits)| Track { machine_key, point, visits }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::record::YesNo;

    #[test]
    fn each_point_of_each_machine_is_followed_through_the_runs() {
        let elsewhere = RunRecord { machine_key: "other".into(), ..run() };
        let rows = |median: f64| vec![row("a", "n=1", median), row("b", "n=1", 1.0)];
        let mut damaged = rows(3.0);
        damaged[0].valid = YesNo::No;
        damaged[1].stage = "kernel".into();
        let (first, second, third) = (rows(1.0), rows(2.0), rows(9.0));
        let runs = [
            ("1", &run(), &first[..]),
            ("2", &run(), &damaged[..]),
            ("3", &elsewhere, &third[..]),
            ("4", &run(), &second[..]),
        ];
        let tracks = tracks(runs.iter().map(|(id, record, rows)| (*id, *record, *rows)));
        assert_eq!(tracks.len(), 4);
        let runs: Vec<&str> = tracks[0].visits.iter().map(|v| v.run.as_str()).collect();
        assert_eq!(runs, ["1", "4"]);
        assert_eq!(tracks[0].visits[1].median_s, 2.0);
        assert_eq!(tracks[2].machine_key, "other");
    }
}
