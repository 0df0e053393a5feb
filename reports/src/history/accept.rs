//! The accepted run of a series: the baseline of later ones.
//!
//! Compared with the run before, 1 % a night slips through for ever; compared
//! with a run that somebody accepted, it does not.

use serde::{Deserialize, Serialize};

use super::stored::now;
use super::{Entry, HistoryError, Series, Store};

/// A run that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// The run.
    pub run: String,
    /// When it was accepted: UTC, RFC 3339.
    pub when: String,
    /// Why.
    pub note: String,
    /// Until when; `None` if it still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl Store {
    /// Makes a run the baseline of its series; what was accepted before
    /// becomes history.
    ///
    /// # Errors
    /// If there is no such run, it is damaged or unfinished, or the store
    /// can't be written.
    pub fn accept(&self, id: &str, note: &str) -> Result<(), HistoryError> {
        let _lock = self.lock()?;
        self.sweep();
        let run = self.intact(id)?.run;
        if run.finished.is_none() {
            return Err(HistoryError::NotFinished(run.id));
        }
        let mut baseline = self.baseline_file(&run.series())?;
        if baseline.says(&run.id, note) {
            return Ok(());
        }
        baseline.replace(Some(Acceptance {
            run: run.id,
            when: now(),
            note: note.to_owned(),
            until: None,
        }));
        self.write_baseline(&baseline)
    }

    /// Takes an acceptance back: the series then has no baseline. The run may
    /// be named as in [`Store::resolve`]; it need not be whole, nor be there.
    /// Tells which run of which series it was.
    ///
    /// # Errors
    /// If no accepted run is meant, or more than one, or the store can't be
    /// written.
    pub fn unaccept(&self, name: &str) -> Result<(String, Series), HistoryError> {
        let _lock = self.lock()?;
        self.sweep();
        let mut baselines = self.baselines()?;
        baselines.retain(|baseline| baseline.is_meant(name));
        if baselines.len() > 1 {
            return Err(HistoryError::WhichSeries(self.accepted_ids()?));
        }
        let accepted = baselines.pop();
        let mut baseline = accepted.ok_or_else(|| HistoryError::NotAccepted(name.to_owned()))?;
        let id = baseline.current().unwrap_or_default().to_owned();
        baseline.replace(None);
        self.write_baseline(&baseline)?;
        Ok((id, baseline.series))
    }

    /// The accepted run of a series; `None` if there is none.
    ///
    /// # Errors
    /// If the store can't be read, or the run is damaged or gone.
    pub fn baseline(&self, series: &Series) -> Result<Option<Entry>, HistoryError> {
        let baseline = self.baseline_file(series)?;
        baseline.current().map(|id| self.intact(id)).transpose()
    }

    /// What was accepted in a series, the oldest first.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn acceptances(&self, series: &Series) -> Result<Vec<Acceptance>, HistoryError> {
        let baseline = self.baseline_file(series)?;
        let mut acceptances = baseline.earlier;
        acceptances.extend(baseline.accepted);
        Ok(acceptances)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::testing::{Shelf, record, row, write};
    use super::super::{Filter, Unfinished};
    use super::*;

    fn accepted(shelf: &Shelf) -> Vec<String> {
        let filter = Filter { accepted: true, ..Filter::default() };
        let entries = shelf.store.list(&filter).expect("listed");
        entries.into_iter().map(|entry| entry.run.id).collect()
    }

    fn series() -> Series {
        Series::of(&record(1), &[row("a")])
    }

    #[test]
    fn a_series_has_one_baseline_and_keeps_its_history() {
        let shelf = Shelf::new();
        let (first, second) = (shelf.add(&record(1)), shelf.add(&record(2)));
        assert_eq!(shelf.store.baseline(&series()).expect("read"), None);
        shelf.store.accept(&first, "good").expect("accepted");
        for _ in 0..2 {
            shelf.store.accept(&second, "better").expect("accepted");
        }
        assert_eq!(accepted(&shelf), [second.as_str()]);
        shelf.store.unaccept(&second).expect("taken back");
        assert!(accepted(&shelf).is_empty());
        let history = shelf.store.acceptances(&series()).expect("read");
        let notes: Vec<_> = history.iter().map(|it| it.note.as_str()).collect();
        assert_eq!(notes, ["good", "better"]);
        assert!(history.iter().all(|it| it.until.is_some()));
    }

    #[test]
    fn machines_have_baselines_of_their_own() {
        let shelf = Shelf::new();
        let mut other = record(2);
        other.machine_key = "11".into();
        for id in [shelf.add(&record(1)), shelf.add(&other)] {
            shelf.store.accept(&id, "").expect("accepted");
        }
        assert_eq!(accepted(&shelf).len(), 2);
    }

    #[test]
    fn runs_that_make_no_baseline_are_refused() {
        let shelf = Shelf::new();
        let mut killed = record(1);
        killed.finished = None;
        write(&shelf.source("killed"), &killed, &[row("a")]);
        let added = shelf.store.add(&shelf.source("killed"), Unfinished::Allow);
        let killed = added.expect("added");
        let refusal = shelf.store.accept(killed.id(), "").expect_err("unfinished");
        assert!(matches!(refusal, HistoryError::NotFinished(_)), "{refusal}");
        let refusal = shelf.store.unaccept(killed.id()).expect_err("not accepted");
        assert!(matches!(refusal, HistoryError::NotAccepted(_)), "{refusal}");
        let damaged = shelf.add(&record(2));
        let path = shelf.store.run_folder(&damaged).join("samples.csv");
        fs::write(path, "").expect("written");
        let refusal = shelf.store.accept(&damaged, "").expect_err("damaged");
        assert!(matches!(refusal, HistoryError::Damaged { .. }), "{refusal}");
        let refusal = shelf.store.accept("nothing", "").expect_err("unknown");
        assert!(matches!(refusal, HistoryError::Unknown { .. }), "{refusal}");
    }

    #[test]
    fn a_baseline_that_is_gone_can_be_taken_back() {
        let shelf = Shelf::new();
        let id = shelf.add(&record(1));
        shelf.store.accept(&id, "").expect("accepted");
        fs::remove_dir_all(shelf.store.run_folder(&id)).expect("removed");
        let refusal = shelf.store.baseline(&series()).expect_err("gone");
        assert!(matches!(refusal, HistoryError::Unknown { .. }), "{refusal}");
        let taken = shelf.store.unaccept("accepted").expect("taken back");
        assert_eq!(taken, (id, series()));
        assert_eq!(shelf.store.baseline(&series()).expect("read"), None);
    }
}
