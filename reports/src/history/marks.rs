//! The files that say which runs are accepted, one for each series.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::resolve::is_meant;
use super::store::STORE_VERSION;
use super::stored::now;
use super::{Acceptance, HistoryError, Series, Store};

/// `accepted/<series>.json`
#[derive(Serialize, Deserialize)]
pub(super) struct Baseline {
    schema_version: u32,
    pub(super) series: Series,
    /// What holds now.
    pub(super) accepted: Option<Acceptance>,
    /// What held before, the oldest first.
    pub(super) earlier: Vec<Acceptance>,
}

/// All files there are.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) baselines: Vec<Baseline>,
    /// Why the others can't be read.
    pub(super) damaged: Vec<HistoryError>,
}

impl Store {
    /// What is wrong with marks of accepted runs: a list shows the runs all the
    /// same, but not that one of them is accepted.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn damaged_marks(&self) -> Result<Vec<HistoryError>, HistoryError> {
        Ok(self.marks()?.damaged)
    }

    pub(super) fn marks(&self) -> Result<Marks, HistoryError> {
        let folder = self.accepted_folder();
        let mut marks = Marks::default();
        if !folder.exists() {
            return Ok(marks);
        }
        let unreadable = |source| HistoryError::unreadable(&folder, source);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                match self.read_json::<Baseline>(&path, STORE_VERSION) {
                    Ok(baseline) => marks.baselines.extend(baseline),
                    Err(error) => marks.damaged.push(error),
                }
            }
        }
        Ok(marks)
    }

    /// All baselines, for those who must not overlook one.
    pub(super) fn baselines(&self) -> Result<Vec<Baseline>, HistoryError> {
        let Marks { baselines, damaged } = self.marks()?;
        damaged.into_iter().next().map_or(Ok(baselines), Err)
    }

    /// The series that have a baseline.
    pub(super) fn accepted_series(&self) -> Result<Vec<Series>, HistoryError> {
        let mut baselines = self.baselines()?;
        baselines.retain(|baseline| baseline.accepted.is_some());
        Ok(baselines.into_iter().map(|baseline| baseline.series).collect())
    }

    /// The accepted runs of all series.
    pub(super) fn accepted_ids(&self) -> Result<Vec<String>, HistoryError> {
        let baselines = self.baselines()?;
        Ok(baselines.into_iter().filter_map(Baseline::run).collect())
    }

    pub(super) fn baseline_path(&self, series: &Series) -> PathBuf {
        self.accepted_folder().join(series.file_name())
    }

    pub(super) fn baseline_file(&self, series: &Series) -> Result<Baseline, HistoryError> {
        let found = self.read_json(&self.baseline_path(series), STORE_VERSION)?;
        Ok(found.unwrap_or_else(|| Baseline {
            schema_version: STORE_VERSION,
            series: series.clone(),
            accepted: None,
            earlier: vec![],
        }))
    }

    pub(super) fn write_baseline(&self, baseline: &Baseline) -> Result<(), HistoryError> {
        self.replace_json(&self.baseline_path(&baseline.series), baseline)
    }
}

impl Baseline {
    /// The run that is accepted, if one is.
    pub(super) fn run(self) -> Option<String> {
        self.accepted.map(|acceptance| acceptance.run)
    }

    pub(super) fn current(&self) -> Option<&str> {
        self.accepted.as_ref().map(|acceptance| acceptance.run.as_str())
    }

    pub(super) fn is_meant(&self, name: &str) -> bool {
        let is_meant = |id| name == "accepted" || is_meant(name, id);
        self.current().is_some_and(is_meant)
    }

    pub(super) fn says(&self, id: &str, note: &str) -> bool {
        let current = self.accepted.as_ref();
        current.is_some_and(|it| it.run == id && it.note == note)
    }

    pub(super) fn replace(&mut self, new: Option<Acceptance>) {
        if let Some(mut old) = std::mem::replace(&mut self.accepted, new) {
            old.until = Some(now());
            self.earlier.push(old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Shelf, record, row};
    use super::super::{Filter, Retention};
    use super::*;

    /// A store with an accepted run and a mark that is damaged.
    fn damaged() -> (Shelf, String) {
        let shelf = Shelf::new();
        let id = shelf.add(&record(1));
        shelf.store.accept(&id, "").expect("accepted");
        let mut other = record(2);
        other.machine_key = "11".into();
        let other = shelf.add(&other);
        shelf.store.accept(&other, "").expect("accepted");
        let path = shelf.store.accepted_folder().join("sort@11.json");
        fs::write(&path, "{").expect("damaged");
        (shelf, id)
    }

    #[test]
    fn a_damaged_mark_is_named_and_hides_no_run() {
        let (shelf, id) = damaged();
        let entries = shelf.store.list(&Filter::default()).expect("listed");
        let accepted = entries.iter().filter(|entry| entry.accepted);
        assert_eq!(entries.len(), 2);
        assert_eq!(accepted.map(|it| &it.run.id).collect::<Vec<_>>(), [&id]);
        let damaged = shelf.store.damaged_marks().expect("looked at");
        assert_eq!(damaged.len(), 1);
        let text = damaged[0].to_string();
        assert!(text.contains("accepted/sort@11.json"), "{text}");
    }

    #[test]
    fn nothing_is_deleted_as_long_as_a_mark_is_damaged() {
        let (shelf, _) = damaged();
        shelf.add(&record(3));
        let least = Retention { keep_runs: Some(1), keep_days: None };
        let refusal = shelf.store.prune(least).expect_err("damaged");
        assert!(refusal.to_string().contains("sort@11.json"), "{refusal}");
        let of_series = Series::of(&record(1), &[row("a")]);
        assert!(shelf.store.baseline(&of_series).expect("read").is_some());
    }
}
