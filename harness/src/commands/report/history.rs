//! The runs before the reported one.

use std::path::{Path, PathBuf};

use reports::aliases::ALIASES;
use reports::history::{Filter, Store};
use reports::record::RunRecord;
use reports::report::EarlierRun;

use super::is_same_run;
use crate::failure::Failure;

/// Of a long history the newest runs are enough to see where it goes.
pub(in crate::commands) const MOST_STORED: usize = 50;

/// The given runs and those stored of the same machine, each once and without
/// the reported one.
pub(super) fn earlier_runs(
    reported: &RunRecord,
    given: &[PathBuf],
    store: Option<&Path>,
) -> Result<Vec<EarlierRun>, Failure> {
    let mut runs: Vec<EarlierRun> = Vec::new();
    let stored = store.map_or(Ok(Vec::new()), |store| stored(store, &reported.machine_key))?;
    for folder in given.iter().chain(&stored) {
        let mut run = EarlierRun::read(folder)?;
        run.summary = ALIASES.of_rows(run.summary);
        let known = |other: &EarlierRun| is_same_run(&other.record, &run.record);
        if !is_same_run(reported, &run.record) && !runs.iter().any(known) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The runs of a machine that were stored last, but for damaged ones.
fn stored(store: &Path, machine_key: &str) -> Result<Vec<PathBuf>, Failure> {
    let store = Store::open(store)?;
    let filter = Filter {
        machine: Some(machine_key.to_owned()),
        last: Some(MOST_STORED),
        ..Filter::default()
    };
    let entries = store.list(&filter)?;
    let whole = entries.iter().filter(|entry| entry.run.problem.is_none());
    let folders = whole.map(|entry| store.resolve(&entry.run.id, None));
    Ok(folders.collect::<Result<_, _>>()?)
}
