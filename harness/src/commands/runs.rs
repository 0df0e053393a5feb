//! Runs as users name them: folders, or names in the store.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use reports::compare::{Comparison, Measured, RunScatter};
use reports::history::{Filter, HistoryError, Series, Store};
use reports::record::{RunRecord, SelfTest};
use reports::store::{RunSummary, StoreError, is_run, read_run, read_summary};
use text::Untrusted;

use crate::failure::Failure;

/// Number of runs of a series that give the variance between runs.
const HISTORY: usize = 60;

/// Returns the folder of a run: an existing folder, or `latest`, `accepted` or an id in the store.
/// `latest` and `accepted` refer to the series `of`, if given.
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

/// Returns the folders of the runs that a name stands for: of a run, of all runs of a store or below
/// a folder, or as of [`folder`].
pub(super) fn folders(name: &Path, store: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !name.is_dir() {
        return Ok(vec![folder(name, store, None)?]);
    }
    let mut found = Vec::new();
    match Store::open(name) {
        Ok(store) => {
            let runs = store.list(&Filter::default())?;
            found.extend(runs.iter().rev().map(|entry| store.run_folder(&entry.run.id)));
        }
        Err(_) => collect(name, &mut found)?,
    }
    // A folder that lacks all of a run is reported as one.
    Ok(if found.is_empty() { vec![name.to_owned()] } else { found })
}

/// Collects run folders in the order of their paths; links are not followed.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |source| Failure::Read { path: folder.to_owned(), source };
    if is_run(folder) {
        found.push(folder.to_owned());
    }
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let entries = entries.map_err(failed)?;
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut folders: Vec<PathBuf> =
        entries.iter().filter(|entry| is_folder(entry)).map(DirEntry::path).collect();
    folders.sort();
    folders.iter().try_for_each(|folder| collect(folder, found))
}

/// Returns the folder of a run in the store; for a name that may be a mistyped folder, the error
/// names both.
fn stored(id: &str, store: &Path, of: Option<&Series>) -> Result<PathBuf, Failure> {
    let is_folder = !["latest", "accepted"].contains(&id);
    let found = Store::open(store).and_then(|store| store.resolve(id, of));
    found.map_err(|error| match error {
        HistoryError::Missing(_) if is_folder => Failure::Usage(format!(
            "{}: no such folder, and no run of that name: there is no store in {}; check the path, \
             or name the store with --store",
            id.escaped(),
            store.escaped()
        )),
        HistoryError::Unknown { .. } if is_folder => {
            Failure::Usage(format!("{}: no such folder, and {error}", id.escaped()))
        }
        error => error.into(),
    })
}

/// Warns that a run was interrupted, so that points are missing.
pub(super) fn say_if_unfinished(record: &RunRecord, folder: &Path) {
    if record.finished.is_none() {
        let folder = folder.escaped();
        super::say(&format!("note: {folder} was stopped before its end: points are missing"));
    }
}

/// The series that a run belongs to.
pub(super) fn series(folder: &Path) -> Result<Series, StoreError> {
    Ok(Series::for_run(&read_run(folder)?, &read_summary(folder)?))
}

/// Data of a store on the machine of a run, and problems of reading them. Comparing works without
/// a store.
#[derive(Default)]
pub(super) struct StoreContext {
    /// Latest self-test on that machine.
    pub(super) gate: Option<SelfTest>,
    /// Variance between runs of the same code, from the series or from a self-test.
    pub(super) scatter: Option<RunScatter>,
    problems: Vec<String>,
}

impl StoreContext {
    /// The run does not vouch for itself.
    pub(super) fn read(store: &Path, run: &Measured) -> Self {
        let Ok(store) = Store::open(store) else {
            return StoreContext::default();
        };
        let mut context = StoreContext::with_self_test(&store, &run.record);
        let runs = earlier(&store, run).unwrap_or_else(|error| {
            context.problems.push(format!("the runs of the store: {error}"));
            Vec::new()
        });
        let history = runs.iter().map(|run| &run.rows[..]);
        let by_test = context.gate.as_ref().and_then(|test| RunScatter::from_points(&test.scatter));
        context.scatter = RunScatter::best(RunScatter::from_history(history), by_test);
        context
    }

    /// The self-test alone: paired runs know their variance by themselves.
    pub(super) fn with_self_test(store: &Store, run: &RunRecord) -> Self {
        match store.self_test(run) {
            Ok(gate) => StoreContext { gate, ..StoreContext::default() },
            Err(error) => {
                StoreContext { problems: vec![error.to_string()], ..StoreContext::default() }
            }
        }
    }

    /// Adds the data to the notes of a comparison.
    pub(super) fn annotate(self, comparison: &mut Comparison) {
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
