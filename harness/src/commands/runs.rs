//! Runs as users name them: folders, or names in the store.

use std::path::{Path, PathBuf};

use reports::compare::{Comparison, Measured, RunScatter};
use reports::history::{HistoryError, Series, Store};
use reports::record::{RunRecord, SelfTest};
use reports::store::{RunSummary, StoreError, read_run, read_summary};
use text::Foreign;

use crate::failure::Failure;

/// So many runs of a series tell how much runs differ.
const HISTORY: usize = 60;

/// The folder of a run: a folder as such, or `latest`, `accepted` or an id in
/// the store. The first two mean those of a series, where one is given.
///
/// # Errors
/// If there is neither such a folder nor such a run.
pub(super) fn folder(name: &Path, store: &Path, of: Option<&Series>) -> Result<PathBuf, Failure> {
    if name.is_dir() {
        return Ok(name.to_owned());
    }
    match name.to_str() {
        // Names of suites, which ids hold, may have dots.
        Some(id) if !id.contains('/') && !id.starts_with('.') => stored(id, store, of),
        _ => Err(StoreError::NoRun(name.to_owned()).into()),
    }
}

/// The folder of a run in the store. Who mistyped a folder need not know that there is one.
fn stored(id: &str, store: &Path, of: Option<&Series>) -> Result<PathBuf, Failure> {
    let is_folder = !["latest", "accepted"].contains(&id);
    let found = Store::open(store).and_then(|store| store.resolve(id, of));
    found.map_err(|error| match error {
        HistoryError::Missing(_) if is_folder => Failure::Usage(format!(
            "{}: no such folder, and no run of that name in the store: there is no store of \
             runs in {}",
            id.shown(),
            store.shown()
        )),
        HistoryError::Unknown { .. } if is_folder => {
            Failure::Usage(format!("{}: no such folder, and {error}", id.shown()))
        }
        error => error.into(),
    })
}

/// Says that a run was stopped, so that points are missing in what is made of it.
pub(super) fn say_if_unfinished(record: &RunRecord, folder: &Path) {
    if record.finished.is_none() {
        let folder = folder.shown();
        super::say(&format!("note: {folder} was stopped before its end: points are missing"));
    }
}

/// The series that a run belongs to.
///
/// # Errors
/// If the run can't be read.
pub(super) fn series(folder: &Path) -> Result<Series, StoreError> {
    Ok(Series::of(&read_run(folder)?, &read_summary(folder)?))
}

/// What a store knows of the machine of a run, and what is wrong with what was kept. Nobody needs
/// a store to compare.
#[derive(Default)]
pub(super) struct Background {
    /// How often the gate errs there.
    pub(super) gate: Option<SelfTest>,
    /// How much runs of the same code differ, by the runs of the series or by a self-test.
    pub(super) scatter: Option<RunScatter>,
    problems: Vec<String>,
}

impl Background {
    /// The run does not vouch for itself.
    pub(super) fn of(store: &Path, run: &Measured) -> Self {
        let Ok(store) = Store::open(store) else {
            return Background::default();
        };
        let mut problems = Vec::new();
        let gate = store.self_test(&run.record);
        let gate = gate.unwrap_or_else(|error| {
            problems.push(error.to_string());
            None
        });
        let runs = earlier(&store, run).unwrap_or_else(|error| {
            problems.push(format!("the runs of the store: {error}"));
            Vec::new()
        });
        let history = runs.iter().map(|run| &run.rows[..]);
        let by_test = gate.as_ref().and_then(|test| RunScatter::of_points(&test.scatter));
        Background {
            scatter: RunScatter::best(RunScatter::of_history(history), by_test),
            gate,
            problems,
        }
    }

    /// Has a comparison tell what it rests on.
    pub(super) fn told(self, comparison: &mut Comparison) {
        comparison.notes.extend(self.problems);
        comparison.gate = self.gate;
    }
}

/// The other runs of a run's series, the one added first first.
fn earlier(store: &Store, run: &Measured) -> Result<Vec<RunSummary>, HistoryError> {
    let mut runs = store.summaries_of(&series(&run.folder)?, HISTORY)?;
    runs.retain(|stored| stored.record != run.record);
    Ok(runs)
}
