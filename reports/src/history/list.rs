//! The runs of a store, the one added last first.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::marks::Baseline;
use super::{Filter, HistoryError, Series, Store, StoredRun};

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

#[cfg(test)]
mod tests {
    use super::super::testing::{TestStore, record};
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
}
