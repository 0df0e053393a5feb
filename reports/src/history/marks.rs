//! The accepted runs of series: the baselines of later ones.
//!
//! If each run were compared with the previous one, a slow drift of 1 % per night would never be
//! detected; compared with an accepted run, it is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::resolve::is_meant;
use super::store::{STORE_VERSION, Writer, entries, read_json};
use super::{HistoryError, Series, Store, StoredRun, resolve};
use crate::clock::now;
use crate::store::{read_run, read_summary};

/// Acceptance of a run.
#[derive(PartialEq, Serialize, Deserialize)]
struct Acceptance {
    run: String,
    /// UTC, RFC 3339.
    when: String,
    /// Reason.
    note: String,
    /// End of the acceptance: UTC, RFC 3339; `None` if it is current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

/// Content of `accepted/<series>.json`.
#[derive(Serialize, Deserialize)]
pub(super) struct Baseline {
    schema_version: u32,
    series: Series,
    /// The current acceptance.
    accepted: Option<Acceptance>,
    /// Former acceptances, the oldest first.
    earlier: Vec<Acceptance>,
    /// Files of earlier versions that were merged into this one.
    #[serde(skip)]
    joined: Vec<PathBuf>,
}

/// A run that is or was the baseline of a series.
pub(super) struct Accepted {
    pub(super) series: Series,
    pub(super) run: String,
    /// UTC, RFC 3339.
    pub(super) when: String,
}

impl Store {
    /// Makes a run the baseline of its series; the former one is kept as history.
    ///
    /// # Errors
    /// If there is no such run, it is damaged or unfinished, it can't be a baseline, or the store
    /// can't be written.
    pub fn accept(&self, id: &str, note: &str) -> Result<(), HistoryError> {
        let writer = self.writer()?;
        let run = self.intact(id)?;
        if run.finished.is_none() {
            return Err(HistoryError::NotFinished(run.id));
        }
        let folder = self.run_folder(&run.id);
        if let Some(problem) = resolve::problem(&read_run(&folder)?, &read_summary(&folder)?) {
            return Err(HistoryError::NotAcceptable { id: run.id, problem });
        }
        let mut baseline = self.baseline_file(&run.series())?;
        let current = baseline.accepted.as_ref();
        if current.is_some_and(|it| it.run == run.id && it.note == note) {
            return Ok(());
        }
        baseline.replace(Some(Acceptance {
            run: run.id,
            when: now(),
            note: note.to_owned(),
            until: None,
        }));
        self.write_baseline(&writer, &baseline)
    }

    /// Revokes an acceptance: the series then has no baseline. The run may be named as in
    /// [`Store::resolve`]; it may be damaged or deleted. Returns its id and series.
    ///
    /// # Errors
    /// If no accepted run matches, or several, or the store can't be written.
    pub fn unaccept(&self, name: &str) -> Result<(String, Series), HistoryError> {
        let writer = self.writer()?;
        let is_named = |id: &str| name == "accepted" || is_meant(name, id);
        let mut baselines = self.baselines()?;
        baselines.retain(|baseline| baseline.current().is_some_and(is_named));
        if baselines.len() > 1 {
            return Err(HistoryError::WhichSeries(self.accepted_runs()?));
        }
        let accepted = baselines.pop();
        let mut baseline = accepted.ok_or_else(|| HistoryError::NotAccepted(name.to_owned()))?;
        let id = baseline.current().unwrap_or_default().to_owned();
        baseline.replace(None);
        self.write_baseline(&writer, &baseline)?;
        Ok((id, baseline.series))
    }

    /// The accepted run of a series; `None` if there is none.
    ///
    /// # Errors
    /// If the store can't be read, or the run is damaged or deleted.
    pub fn baseline(&self, series: &Series) -> Result<Option<StoredRun>, HistoryError> {
        self.baseline_file(series)?.current().map(|id| self.intact(id)).transpose()
    }

    /// Problems of marks of accepted runs: lists contain the runs nevertheless, but not as
    /// accepted.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn damaged_marks(&self) -> Result<Vec<HistoryError>, HistoryError> {
        Ok(self.marks()?.1)
    }

    /// All baselines, and the errors of those that can't be read.
    pub(super) fn marks(&self) -> Result<(Vec<Baseline>, Vec<HistoryError>), HistoryError> {
        let mut baselines = Vec::<Baseline>::new();
        let mut damaged = Vec::new();
        for path in entries(&self.root().join("accepted"))? {
            if path.extension().is_some_and(|ending| ending == "json") {
                match self.todays_baseline(&path) {
                    Ok(found) => found.into_iter().for_each(|found| join(&mut baselines, found)),
                    Err(error) => damaged.push(error),
                }
            }
        }
        Ok((baselines, damaged))
    }

    /// Reads a baseline and maps it to the current series, which may differ from that of an earlier
    /// version.
    fn todays_baseline(&self, path: &Path) -> Result<Option<Baseline>, HistoryError> {
        let Some(mut baseline) = read_json::<Baseline>(path, STORE_VERSION)? else {
            return Ok(None);
        };
        let runs = baseline.accepted.iter().chain(baseline.earlier.iter().rev());
        let by_run = runs.into_iter().find_map(|acceptance| self.series_of(&acceptance.run));
        let today = match by_run {
            Some(series) => series,
            None => {
                let mut keys = self.todays_keys()?;
                let key = keys.remove(&baseline.series.machine_key);
                let machine_key = key.unwrap_or_else(|| baseline.series.machine_key.clone());
                Series { machine_key, ..baseline.series.clone() }
            }
        };
        if today != baseline.series {
            baseline.series = today;
            baseline.joined.push(path.to_owned());
        }
        Ok(Some(baseline))
    }

    /// Series of a run of the store, if it can be read.
    fn series_of(&self, id: &str) -> Option<Series> {
        let folder = self.run_folder(id);
        Some(Series::for_run(&read_run(&folder).ok()?, &read_summary(&folder).ok()?))
    }

    /// The accepted runs of all series.
    pub(super) fn accepted_runs(&self) -> Result<Vec<String>, HistoryError> {
        Ok(self.baselines()?.into_iter().filter_map(Baseline::run).collect())
    }

    /// All acceptances of all series, former ones included.
    pub(super) fn acceptances(&self) -> Result<Vec<Accepted>, HistoryError> {
        let of_series = |baseline: Baseline| {
            let all = baseline.earlier.into_iter().chain(baseline.accepted);
            let series = baseline.series;
            all.map(move |it| Accepted { series: series.clone(), run: it.run, when: it.when })
        };
        Ok(self.baselines()?.into_iter().flat_map(of_series).collect())
    }

    /// All baselines; fails if one can't be read.
    fn baselines(&self) -> Result<Vec<Baseline>, HistoryError> {
        let (baselines, damaged) = self.marks()?;
        damaged.into_iter().next().map_or(Ok(baselines), Err)
    }

    fn baseline_path(&self, series: &Series) -> PathBuf {
        self.root().join("accepted").join(series.file_name())
    }

    fn baseline_file(&self, series: &Series) -> Result<Baseline, HistoryError> {
        // A damaged file of this series is an error; damaged files of others are ignored.
        read_json::<Baseline>(&self.baseline_path(series), STORE_VERSION)?;
        let (baselines, _) = self.marks()?;
        let found = baselines.into_iter().find(|baseline| baseline.series == *series);
        Ok(found.unwrap_or_else(|| Baseline {
            schema_version: STORE_VERSION,
            series: series.clone(),
            accepted: None,
            earlier: vec![],
            joined: vec![],
        }))
    }

    /// Writes a baseline, and deletes the files that were merged into it.
    fn write_baseline(&self, writer: &Writer<'_>, baseline: &Baseline) -> Result<(), HistoryError> {
        writer.replace_json(&self.baseline_path(&baseline.series), baseline)?;
        baseline.joined.iter().try_for_each(|path| writer.discard(path))
    }
}

/// Adds a baseline. Of two of one series the more recently accepted one is current.
fn join(baselines: &mut Vec<Baseline>, found: Baseline) {
    match baselines.iter_mut().find(|known| known.series == found.series) {
        Some(known) => known.join(found),
        None => baselines.push(found),
    }
}

impl Baseline {
    /// Merges acceptances under another key of the same machine.
    fn join(&mut self, other: Baseline) {
        let current = [self.accepted.take(), other.accepted];
        let mut current: Vec<Acceptance> = current.into_iter().flatten().collect();
        // Times are UTC in RFC 3339: texts sort by time.
        current.sort_by(|a, b| a.when.cmp(&b.when));
        let last = current.pop();
        self.joined.extend(other.joined);
        for mut replaced in other.earlier.into_iter().chain(current) {
            replaced.until = replaced.until.or_else(|| last.as_ref().map(|last| last.when.clone()));
            if !self.earlier.contains(&replaced) && last.as_ref() != Some(&replaced) {
                self.earlier.push(replaced);
            }
        }
        self.earlier.sort_by(|a, b| a.when.cmp(&b.when));
        self.accepted = last;
    }

    /// The accepted run, if there is one.
    pub(super) fn run(self) -> Option<String> {
        self.accepted.map(|acceptance| acceptance.run)
    }

    fn current(&self) -> Option<&str> {
        self.accepted.as_ref().map(|acceptance| acceptance.run.as_str())
    }

    fn replace(&mut self, new: Option<Acceptance>) {
        if let Some(mut old) = std::mem::replace(&mut self.accepted, new) {
            old.until = Some(now());
            self.earlier.push(old);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::testing::{TestStore, elsewhere, record, row, write};
    use super::super::{Filter, Retention, Unfinished};
    use super::*;
    use crate::record::RunRecord;

    fn accepted(fixture: &TestStore) -> Vec<String> {
        let filter = Filter { accepted: true, ..Filter::default() };
        let entries = fixture.store.list(&filter).expect("listed");
        entries.into_iter().map(|entry| entry.run.id).collect()
    }

    fn series() -> Series {
        Series::for_run(&record(1), &[row("a")])
    }

    #[test]
    fn a_series_has_one_baseline_and_keeps_its_history() {
        let fixture = TestStore::new();
        let first = fixture.add(&record(1));
        let second = fixture.add(&record(2));
        assert_eq!(fixture.store.baseline(&series()).expect("read"), None);
        fixture.store.accept(&first, "good").expect("accepted");
        for _ in 0..2 {
            fixture.store.accept(&second, "better").expect("accepted");
        }
        assert_eq!(accepted(&fixture), [second.as_str()]);
        fixture.store.unaccept(&second).expect("revoked");
        assert!(accepted(&fixture).is_empty());
        let earlier = fixture.store.baseline_file(&series()).expect("read").earlier;
        let notes: Vec<_> = earlier.iter().map(|it| it.note.as_str()).collect();
        assert_eq!(notes, ["good", "better"]);
        assert!(earlier.iter().all(|it| it.until.is_some()));
    }

    #[test]
    fn machines_have_baselines_of_their_own() {
        let fixture = TestStore::new();
        for id in [fixture.add(&record(1)), fixture.add(&elsewhere(2))] {
            fixture.store.accept(&id, "").expect("accepted");
        }
        assert_eq!(accepted(&fixture).len(), 2);
    }

    #[test]
    fn runs_that_make_no_baseline_are_refused() {
        let fixture = TestStore::new();
        let killed = fixture.source("killed");
        write(&killed, &RunRecord { finished: None, ..record(1) }, &[row("a")]);
        let killed = fixture.store.add(&killed, Unfinished::Allow).expect("added");
        let refusal = fixture.store.accept(killed.id(), "").expect_err("unfinished");
        assert!(matches!(refusal, HistoryError::NotFinished(_)), "{refusal}");
        let refusal = fixture.store.unaccept(killed.id()).expect_err("not accepted");
        assert!(matches!(refusal, HistoryError::NotAccepted(_)), "{refusal}");
        let damaged = fixture.add(&record(2));
        let path = fixture.store.run_folder(&damaged).join("samples.csv");
        fs::write(path, "").expect("written");
        let refusal = fixture.store.accept(&damaged, "").expect_err("damaged");
        assert!(matches!(refusal, HistoryError::Damaged { .. }), "{refusal}");
        let refusal = fixture.store.accept("nothing", "").expect_err("unknown");
        assert!(matches!(refusal, HistoryError::Unknown { .. }), "{refusal}");
    }

    #[test]
    fn a_baseline_whose_run_is_deleted_can_be_revoked() {
        let fixture = TestStore::new();
        let id = fixture.add(&record(1));
        fixture.store.accept(&id, "").expect("accepted");
        fs::remove_dir_all(fixture.store.run_folder(&id)).expect("removed");
        let refusal = fixture.store.baseline(&series()).expect_err("gone");
        assert!(matches!(refusal, HistoryError::Unknown { .. }), "{refusal}");
        let taken = fixture.store.unaccept("accepted").expect("revoked");
        assert_eq!(taken, (id, series()));
        assert_eq!(fixture.store.baseline(&series()).expect("read"), None);
    }

    /// A store with an accepted run and a mark that is damaged.
    fn damaged() -> (TestStore, String) {
        let fixture = TestStore::new();
        let id = fixture.add(&record(1));
        fixture.store.accept(&id, "").expect("accepted");
        fixture.store.accept(&fixture.add(&elsewhere(2)), "").expect("accepted");
        let path = fixture.store.root().join("accepted/sort@11.json");
        fs::write(&path, "{").expect("damaged");
        (fixture, id)
    }

    #[test]
    fn a_damaged_mark_is_named_and_hides_no_run() {
        let (fixture, id) = damaged();
        let entries = fixture.list();
        let accepted = entries.iter().filter(|entry| entry.accepted);
        assert_eq!(entries.len(), 2);
        assert_eq!(accepted.map(|it| &it.run.id).collect::<Vec<_>>(), [&id]);
        let damaged = fixture.store.damaged_marks().expect("looked at");
        assert_eq!(damaged.len(), 1);
        let text = damaged[0].to_string();
        assert!(text.contains("accepted/sort@11.json"), "{text}");
    }

    #[test]
    fn nothing_is_deleted_as_long_as_a_mark_is_damaged() {
        let (fixture, _) = damaged();
        fixture.add(&record(3));
        let least = Retention { keep_runs: Some(1), ..Retention::default() };
        let refusal = fixture.store.prune(least).expect_err("damaged");
        assert!(refusal.to_string().contains("sort@11.json"), "{refusal}");
        assert!(fixture.store.baseline(&series()).expect("read").is_some());
    }
}
