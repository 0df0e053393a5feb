//! Results of stored runs, without their samples.

use rayon::prelude::*;

use super::{Filter, HistoryError, Series, Store, StoredRun};
use crate::store::RunSummary;

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
