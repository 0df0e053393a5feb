//! The runs of a store that match a filter, the one added last first, and their results without the
//! samples.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use rayon::prelude::*;
use serde::Serialize;

use super::marks::Baseline;
use super::{HistoryError, Series, Store, StoredRun};
use crate::store::RunSummary;

/// A listed run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Entry {
    /// The run.
    #[serde(flatten)]
    pub run: StoredRun,
    /// True if it is the accepted run of its series.
    pub accepted: bool,
    /// Notes on the run.
    pub notes: Vec<String>,
}

impl Store {
    /// The runs that match a filter, the one added last first. Damaged runs are listed as such;
    /// [`Store::damaged_marks`] returns damaged marks.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Entry>, HistoryError> {
        let mut entries = self.entries()?;
        entries.retain(|entry| filter.takes(entry));
        entries.reverse();
        entries.truncate(filter.last.unwrap_or(usize::MAX));
        Ok(entries)
    }

    /// All runs, in the order of adding.
    pub(super) fn entries(&self) -> Result<Vec<Entry>, HistoryError> {
        let (accepted, runs) = self.at_a_moment()?;
        let mut before = HashMap::new();
        let entries = runs.into_iter().map(|run| Entry {
            accepted: accepted.contains(&run.id),
            notes: notes(&run, &mut before),
            run,
        });
        Ok(entries.collect())
    }

    /// The ids of accepted runs, and all runs. Listing takes no lock: meanwhile another run may
    /// have been accepted and the former one deleted. So marks are read again after the runs, until
    /// they are unchanged.
    fn at_a_moment(&self) -> Result<(HashSet<String>, Vec<StoredRun>), HistoryError> {
        let mut before = self.accepted_ids()?;
        loop {
            let runs = self.runs()?;
            let after = self.accepted_ids()?;
            if before == after {
                return Ok((after, runs));
            }
            before = after;
        }
    }

    fn accepted_ids(&self) -> Result<HashSet<String>, HistoryError> {
        let (baselines, _) = self.marks()?;
        Ok(baselines.into_iter().filter_map(Baseline::run).collect())
    }
}

/// Unusual properties of a run; `before` contains the last start in each series.
fn notes(run: &StoredRun, before: &mut HashMap<Series, String>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(problem) = &run.problem {
        notes.push(format!("damaged: {problem}"));
        return notes;
    }
    if run.finished.is_none() {
        notes.push("unfinished: the run was killed".to_owned());
    }
    let earlier = before.insert(run.series(), run.started.clone());
    if let Some(earlier) = earlier.filter(|earlier| *earlier > run.started) {
        notes.push(format!(
            "started before the run that was added before it ({earlier}): \
             added late, or the clock was set back"
        ));
    }
    if run.started > run.added {
        notes.push("started after it was added: a clock is wrong".to_owned());
    }
    notes
}

/// Conditions of runs to list; by default none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Prefix of the machine's key.
    pub machine: Option<String>,
    /// Name of the suite.
    pub suite: Option<String>,
    /// A task of the run.
    pub task: Option<String>,
    /// Prefix of the commit's hash.
    pub commit: Option<String>,
    /// Earliest start.
    pub since: Option<SystemTime>,
    /// Starts must be before this.
    pub until: Option<SystemTime>,
    /// Accepted runs of series only.
    pub accepted: bool,
    /// Maximum number of runs: the ones that were added last.
    pub last: Option<usize>,
}

impl Filter {
    /// True if a run matches, apart from the maximum number.
    pub(super) fn takes(&self, entry: &Entry) -> bool {
        let run = &entry.run;
        let commit = run.git_commit.as_deref().unwrap_or("");
        let suite = run.suite.as_deref();
        given(&self.machine, |key| run.machine_key.starts_with(key))
            && given(&self.suite, |name| suite == Some(name))
            && given(&self.task, |task| run.tasks.split('+').any(|it| it == task))
            && given(&self.commit, |hash| commit.starts_with(hash))
            && self.is_in_time(run)
            && (entry.accepted || !self.accepted)
    }

    /// A run without a valid start is in no interval of time.
    fn is_in_time(&self, run: &StoredRun) -> bool {
        let started = humantime::parse_rfc3339_weak(&run.started).ok();
        let since = self.since.is_none_or(|since| started.is_some_and(|it| it >= since));
        let until = self.until.is_none_or(|until| started.is_some_and(|it| it < until));
        since && until
    }
}

fn given(wanted: &Option<String>, holds: impl Fn(&str) -> bool) -> bool {
    wanted.as_deref().is_none_or(holds)
}

impl Store {
    /// The runs that match a filter, the one added first first, without damaged ones.
    ///
    /// # Errors
    /// If the store or a run of it can't be read, or a run gets damaged meanwhile: an incomplete
    /// result must not pass for a complete one.
    pub fn summaries(&self, filter: &Filter) -> Result<Vec<RunSummary>, HistoryError> {
        let runs: Vec<_> = self.list(filter)?.into_iter().map(|entry| entry.run).collect();
        if let Some(run) = runs.iter().find(|run| run.is_unreadable) {
            let problem = run.problem.clone().unwrap_or_default();
            return Err(HistoryError::Unreadable { id: run.id.clone(), problem });
        }
        self.read_all(runs.into_iter().filter(|run| run.problem.is_none()))
    }

    /// The last `last` runs of a series, the one added first first, without damaged and unfinished
    /// ones.
    ///
    /// # Errors
    /// As of [`Store::summaries`].
    pub fn summaries_of(
        &self,
        series: &Series,
        last: usize,
    ) -> Result<Vec<RunSummary>, HistoryError> {
        let is_meant = |run: &StoredRun| {
            run.series() == *series && run.problem.is_none() && run.finished.is_some()
        };
        self.read_all(self.newest_first()?.filter(is_meant).take(last))
    }

    /// Reads the runs, which are sorted from the last to the first, and reverses them.
    fn read_all(
        &self,
        runs: impl Iterator<Item = StoredRun>,
    ) -> Result<Vec<RunSummary>, HistoryError> {
        let runs: Vec<StoredRun> = runs.collect();
        let read = |run: StoredRun| {
            let folder = self.run_folder(&run.id);
            match RunSummary::read(&folder) {
                // It was deleted after it was listed.
                Err(_) if !folder.exists() => None,
                read => Some(read.map_err(HistoryError::from)),
            }
        };
        runs.into_par_iter().rev().filter_map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::super::Retention;
    use super::super::testing::{TestStore, elsewhere, record, row};
    use super::*;
    use crate::record::RunRecord;

    fn at(seed: u64, started: &str) -> RunRecord {
        RunRecord { started: started.into(), ..record(seed) }
    }

    fn ids(entries: &[Entry]) -> Vec<&String> {
        entries.iter().map(|entry| &entry.run.id).collect()
    }

    #[test]
    fn the_run_that_was_added_last_comes_first_whatever_the_clock_says() {
        let fixture = TestStore::new();
        let first = fixture.add(&record(1));
        let second = fixture.add(&at(2, "2025-12-31T00:00:00Z"));
        let entries = fixture.list();
        assert_eq!(ids(&entries), [&second, &first]);
        assert!(entries[0].notes[0].starts_with("started before"), "{:?}", entries[0].notes);
        assert!(entries[1].notes.is_empty(), "{:?}", entries[1].notes);
    }

    #[test]
    fn starts_in_the_future_are_noted() {
        let fixture = TestStore::new();
        fixture.add(&at(1, "2999-01-01T00:00:00Z"));
        assert!(fixture.list()[0].notes[0].contains("a clock is wrong"));
    }

    #[test]
    fn the_last_are_the_last_added() {
        let fixture = TestStore::new();
        let added: Vec<_> = (0..4).map(|seed| fixture.add(&record(seed))).collect();
        let filter = Filter { last: Some(2), ..Filter::default() };
        let entries = fixture.store.list(&filter).expect("listed");
        assert_eq!(ids(&entries), [&added[3], &added[2]]);
    }

    fn entry() -> Entry {
        let run = StoredRun {
            id: "id".into(),
            started: "2026-01-02T00:00:00Z".into(),
            machine_key: "00ff".into(),
            suite: Some("nightly".into()),
            tasks: "sort+cluster".into(),
            git_commit: Some("abc123".into()),
            ..StoredRun::default()
        };
        Entry { run, accepted: false, notes: vec![] }
    }

    fn time(text: &str) -> Option<SystemTime> {
        humantime::parse_rfc3339_weak(text).ok()
    }

    #[test]
    fn each_condition_counts() {
        let takes = |filter: Filter| filter.takes(&entry());
        assert!(takes(Filter::default()));
        for (is_taken, machine, suite, task, commit) in [
            (true, "00", "nightly", "cluster", "abc"),
            (false, "ff", "nightly", "cluster", "abc"),
            (false, "00", "night", "cluster", "abc"),
            (false, "00", "nightly", "clust", "abc"),
            (false, "00", "nightly", "cluster", "bc"),
        ] {
            let [machine, suite, task, commit] =
                [machine, suite, task, commit].map(|text| Some(text.to_owned()));
            let filter = Filter { machine, suite, task, commit, ..Filter::default() };
            assert_eq!(takes(filter.clone()), is_taken, "{filter:?}");
        }
        for (is_taken, since, until) in [
            (true, "2026-01-02 00:00:00", "2026-01-02 00:00:01"),
            (false, "2026-01-02 00:00:01", "2026-01-02 00:00:02"),
            (false, "2026-01-01 00:00:00", "2026-01-02 00:00:00"),
        ] {
            let filter = Filter { since: time(since), until: time(until), ..Filter::default() };
            assert_eq!(takes(filter), is_taken, "{since} {until}");
        }
        assert!(!takes(Filter { accepted: true, ..Filter::default() }));
    }

    #[test]
    fn readers_find_whole_runs_while_others_add_and_delete() {
        /// Large enough that no listed run is deleted before it is read.
        const KEPT: usize = 20;
        let fixture = TestStore::new();
        (0..KEPT).for_each(|seed| drop(fixture.add(&record(seed as u64))));
        let series = Series::for_run(&record(0), &[row("a")]);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let read = |highlight: &dyn Fn() -> usize| {
                let mut rounds = 0;
                while !is_over.load(Ordering::Relaxed) || rounds == 0 {
                    assert!(highlight() > 0, "the newest are never deleted");
                    rounds += 1;
                }
            };
            let store = &fixture.store;
            let listing = || {
                let entries = store.list(&Filter::default()).expect("listed");
                let damaged: Vec<_> =
                    entries.iter().filter(|it| it.run.problem.is_some()).collect();
                assert!(damaged.is_empty(), "{damaged:?}");
                entries.len()
            };
            scope.spawn(move || read(&listing));
            scope.spawn(move || read(&|| store.summaries(&Filter::default()).expect("read").len()));
            let of_series = &series;
            scope.spawn(move || read(&|| store.summaries_of(of_series, 50).expect("read").len()));
            scope.spawn(move || {
                read(&|| {
                    store.find("latest", None).expect("the newest one is always there");
                    1
                });
            });
            for seed in KEPT..70 {
                fixture.add(&record(seed as u64));
                let kept = Retention { keep_runs: Some(KEPT), ..Retention::default() };
                store.prune(kept).expect("pruned");
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn whole_runs_come_in_the_order_of_adding() {
        let fixture = TestStore::new();
        let ids: Vec<String> = (0..3).map(|seed| fixture.add(&record(seed))).collect();
        let damaged = fixture.store.run_folder(&ids[1]).join("summary.csv");
        std::fs::write(damaged, "edited").expect("written");
        let found = fixture.store.summaries(&Filter::default()).expect("read");
        let found: Vec<&String> = found.iter().map(|run| &run.id).collect();
        assert_eq!(found, [&ids[0], &ids[2]]);
    }

    #[test]
    fn a_series_has_its_last_runs() {
        let fixture = TestStore::new();
        let ids: Vec<String> = (0..4).map(|seed| fixture.add(&record(seed))).collect();
        fixture.add(&elsewhere(9));
        let series = Series::for_run(&record(0), &[row("a")]);
        let found = |last: usize| {
            let found = fixture.store.summaries_of(&series, last).expect("read");
            found.into_iter().map(|run| run.id).collect::<Vec<_>>()
        };
        assert_eq!(found(100), ids);
        assert_eq!(found(2), ids[2..]);
    }
}
