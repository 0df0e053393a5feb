//! What stored runs have found, without their samples.

use rayon::prelude::*;

use super::{Filter, HistoryError, Series, Store, StoredRun};
use crate::store::RunSummary;

impl Store {
    /// The runs that a filter takes, the one added first first, but for damaged ones.
    ///
    /// # Errors
    /// If the store or a run of it can't be read, or a run is damaged at this moment: nobody is to
    /// take some runs for all.
    pub fn summaries(&self, filter: &Filter) -> Result<Vec<RunSummary>, HistoryError> {
        let runs: Vec<_> = self.list(filter)?.into_iter().map(|entry| entry.run).collect();
        if let Some(run) = runs.iter().find(|run| run.is_unreadable) {
            let problem = run.problem.clone().unwrap_or_default();
            return Err(HistoryError::Unreadable { id: run.id.clone(), problem });
        }
        self.read_all(runs.into_iter().filter(|run| run.problem.is_none()))
    }

    /// The last so many runs of a series, the one added first first, but for damaged and
    /// unfinished ones.
    ///
    /// # Errors
    /// As [`Store::summaries`].
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

    /// The runs, which come the last one first, the other way round.
    fn read_all(
        &self,
        runs: impl Iterator<Item = StoredRun>,
    ) -> Result<Vec<RunSummary>, HistoryError> {
        let runs: Vec<StoredRun> = runs.collect();
        let read = |run: StoredRun| Ok(RunSummary::read(&self.run_folder(&run.id))?);
        runs.into_par_iter().rev().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Shelf, elsewhere, record, row};
    use super::*;

    #[test]
    fn whole_runs_come_in_the_order_of_adding() {
        let shelf = Shelf::new();
        let ids: Vec<String> = (0..3).map(|seed| shelf.add(&record(seed))).collect();
        let damaged = shelf.store.run_folder(&ids[1]).join("summary.csv");
        std::fs::write(damaged, "edited").expect("written");
        let found = shelf.store.summaries(&Filter::default()).expect("read");
        let found: Vec<&String> = found.iter().map(|run| &run.id).collect();
        assert_eq!(found, [&ids[0], &ids[2]]);
    }

    #[test]
    fn a_series_has_its_last_runs() {
        let shelf = Shelf::new();
        let ids: Vec<String> = (0..4).map(|seed| shelf.add(&record(seed))).collect();
        shelf.add(&elsewhere(9));
        let series = Series::of(&record(0), &[row("a")]);
        let found = |last: usize| {
            let found = shelf.store.summaries_of(&series, last).expect("read");
            found.into_iter().map(|run| run.id).collect::<Vec<_>>()
        };
        assert_eq!(found(100), ids);
        assert_eq!(found(2), ids[2..]);
    }
}
