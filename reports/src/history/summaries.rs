//! What stored runs have found, without their samples.

use super::{Filter, HistoryError, Store};
use crate::record::{RunRecord, SummaryRow};
use crate::store::{read_run, read_summary};

/// A stored run without its samples.
#[derive(Clone, Debug)]
pub struct StoredSummary {
    /// Its id.
    pub id: String,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `summary.csv`.
    pub rows: Vec<SummaryRow>,
}

impl Store {
    /// The runs that a filter takes, the one added first first, but for damaged ones.
    ///
    /// # Errors
    /// If the store can't be read, or a run of it is damaged at this moment.
    pub fn summaries(&self, filter: &Filter) -> Result<Vec<StoredSummary>, HistoryError> {
        let entries = self.list(filter)?.into_iter().rev();
        let whole = entries.filter(|entry| entry.run.problem.is_none());
        let summary = |id: String| {
            let folder = self.run_folder(&id);
            Ok(StoredSummary {
                record: read_run(&folder)?,
                rows: read_summary(&folder)?,
                id,
            })
        };
        whole.map(|entry| summary(entry.run.id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Shelf, record};
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
}
