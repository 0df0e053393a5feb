//! Deleting old runs.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use super::{Entry, HistoryError, Series, Store};
use crate::record::RunRecord;
use crate::store::read_run;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs to keep. Accepted ones, the newest of each series, and damaged ones are always kept; others
/// are deleted unless a limit keeps them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Number of the newest runs of each series.
    pub keep_runs: Option<usize>,
    /// Runs that were added in this number of days.
    pub keep_days: Option<u64>,
    /// Number of the newest executables, with the plugins of their runs; those of accepted runs and
    /// of the newest run of each series are always kept. `None` keeps the executables of all runs.
    pub keep_executables: Option<usize>,
}

impl Store {
    /// Deletes the runs that are not kept; returns their ids, the oldest first. Without any limit
    /// nothing is deleted.
    ///
    /// # Errors
    /// If the store can't be written: runs that were not deleted yet are intact.
    pub fn prune(&self, retention: Retention) -> Result<Vec<String>, HistoryError> {
        // The lock keeps other processes from accepting a run that is being deleted.
        let writer = self.writer()?;
        let old = self.prunable(retention)?;
        self.keep_keys(&writer, &old)?;
        for id in &old {
            writer.discard(&self.run_folder(id))?;
        }
        // Space that can't be freed now is freed the next time.
        if let Ok(records) = self.needing_executables(retention) {
            let _ = self.drop_executables(&writer, &records);
            let _ = self.drop_plugins(&writer, &records);
        }
        Ok(old)
    }

    /// The runs that [`Store::prune`] would delete.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn prunable(&self, retention: Retention) -> Result<Vec<String>, HistoryError> {
        // An unreadable mark may be of any run.
        self.accepted_runs()?;
        let entries = self.entries()?;
        Ok(retention.old(&entries, SystemTime::now()))
    }
}

impl Store {
    /// The runs whose executables and plugins are kept.
    fn needing_executables(&self, retention: Retention) -> Result<Vec<RunRecord>, HistoryError> {
        let entries = self.entries()?;
        let mut series = HashSet::new();
        let mut newest: Vec<String> = Vec::new();
        let mut needing = Vec::new();
        for entry in entries.iter().rev() {
            let Ok(record) = read_run(&self.run_folder(&entry.run.id)) else {
                continue;
            };
            let fingerprint = &record.software.fingerprint;
            let is_known = newest.contains(fingerprint);
            let limit = retention.keep_executables.unwrap_or(usize::MAX);
            let is_among_newest = is_known || newest.len() < limit;
            if !is_known && is_among_newest {
                newest.push(fingerprint.clone());
            }
            let is_first = series.insert(entry.run.series());
            if is_among_newest || is_first || entry.accepted {
                needing.push(record);
            }
        }
        Ok(needing)
    }
}

impl Retention {
    /// The runs to delete; `entries` are in the order of adding.
    fn old(&self, entries: &[Entry], now: SystemTime) -> Vec<String> {
        let mut newer: HashMap<Series, usize> = HashMap::new();
        let mut old = Vec::new();
        for entry in entries.iter().rev() {
            if entry.run.problem.is_some() {
                continue;
            }
            let rank = newer.entry(entry.run.series()).or_default();
            if !(entry.accepted || *rank == 0 || self.keeps(entry, *rank, now)) {
                old.push(entry.run.id.clone());
            }
            *rank += 1;
        }
        old.reverse();
        old
    }

    /// True if a limit keeps a run with `newer` newer ones in its series.
    fn keeps(&self, entry: &Entry, newer: usize, now: SystemTime) -> bool {
        let no_limit = self.keep_runs.is_none() && self.keep_days.is_none();
        let by_number = self.keep_runs.is_some_and(|runs| newer < runs);
        let by_age = self.keep_days.is_some_and(|days| is_younger(entry, days, now));
        no_limit || by_number || by_age
    }
}

/// True for a run added less than `days` days ago, and for one of unknown or future age.
fn is_younger(entry: &Entry, days: u64, now: SystemTime) -> bool {
    let added = humantime::parse_rfc3339_weak(&entry.run.added).ok();
    let age = added.and_then(|added| now.duration_since(added).ok());
    let limit = DAY.saturating_mul(u32::try_from(days).unwrap_or(u32::MAX));
    age.is_none_or(|age| age < limit)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::StoredRun;
    use super::super::testing::{TestStore, elsewhere, record};
    use super::*;

    fn keep(runs: usize) -> Retention {
        Retention { keep_runs: Some(runs), ..Retention::default() }
    }

    fn left(fixture: &TestStore) -> Vec<String> {
        fixture.list().into_iter().rev().map(|entry| entry.run.id).collect()
    }

    #[test]
    fn accepted_newest_and_damaged_runs_stay() {
        let fixture = TestStore::new();
        let ids: Vec<_> = (0..6).map(|seed| fixture.add(&record(seed))).collect();
        let other = fixture.add(&elsewhere(9));
        fixture.store.accept(&ids[1], "").expect("accepted");
        fs::write(fixture.store.run_folder(&ids[2]).join("samples.csv"), "").expect("damaged");
        let old = [ids[0].clone(), ids[3].clone()];
        assert_eq!(fixture.store.prunable(keep(2)).expect("listed"), old);
        assert_eq!(left(&fixture).len(), 7);
        assert_eq!(fixture.store.prune(keep(2)).expect("pruned"), old);
        assert_eq!(left(&fixture), [&ids[1], &ids[2], &ids[4], &ids[5], &other].map(String::clone));
        assert_eq!(fixture.store.prune(keep(0)).expect("pruned"), [ids[4].clone()]);
        assert!(!fixture.store.root().join("trash").exists());
    }

    #[test]
    fn executables_are_kept_of_accepted_and_the_newest_runs() {
        let fixture = TestStore::new();
        let this = std::env::current_exe().expect("an executable");
        let ids: Vec<_> = (0..5)
            .map(|seed| {
                let mut run = record(seed);
                run.software.fingerprint = format!("code:{seed}");
                fixture.store.keep_executable(&run.software.fingerprint, &this).expect("kept");
                fixture.add(&run)
            })
            .collect();
        fixture.store.accept(&ids[1], "").expect("accepted");
        let kept = |retention| {
            fixture.store.prune(retention).expect("pruned");
            let is_kept = |seed: &i32| fixture.store.executable(&format!("code:{seed}")).is_some();
            (0..5).filter(is_kept).collect::<Vec<_>>()
        };
        assert_eq!(kept(keep(5)), [0, 1, 2, 3, 4]);
        assert_eq!(kept(Retention { keep_executables: Some(2), ..keep(5) }), [1, 3, 4]);
        assert_eq!(kept(Retention { keep_executables: Some(0), ..keep(5) }), [1, 4]);
        assert_eq!(left(&fixture).len(), 5);
    }

    #[test]
    fn no_limit_deletes_nothing() {
        let fixture = TestStore::new();
        fixture.add(&record(1));
        fixture.add(&record(2));
        assert!(fixture.store.prune(Retention::default()).expect("pruned").is_empty());
    }

    #[test]
    fn either_limit_keeps_a_run() {
        let entry = |day: u32, id: &str| Entry {
            run: StoredRun {
                id: id.into(),
                added: format!("2026-01-{day:02}T00:00:00Z"),
                ..StoredRun::default()
            },
            accepted: false,
            notes: vec![],
        };
        let entries = [entry(1, "a"), entry(2, "b"), entry(3, "c"), entry(30, "d")];
        let now = humantime::parse_rfc3339("2026-01-10T00:00:00Z").expect("a time");
        let old = |keep_runs, keep_days| {
            let retention = Retention { keep_runs, keep_days, ..Retention::default() };
            retention.old(&entries, now)
        };
        assert_eq!(old(None, Some(8)), ["a", "b"]);
        assert_eq!(old(Some(3), Some(8)), ["a"]);
        assert_eq!(old(Some(3), Some(8)), old(Some(3), None));
        assert_eq!(old(None, Some(u64::MAX)), [""; 0]);
    }
}
