//! The runs before the reported one.

use std::path::{Path, PathBuf};

use reports::history::{Filter, Store};
use reports::record::RunRecord;
use reports::store::RunSummary;

use super::is_same_run;
use crate::failure::Failure;

/// Number of newest runs in the history of a report.
pub(in crate::commands) const MAX_STORED: usize = 50;

/// The given runs and those stored of the same machine, each once and without
/// the reported one.
pub(super) fn earlier_runs(
    reported: &RunRecord,
    given: &[PathBuf],
    store: Option<&Path>,
) -> Result<Vec<RunSummary>, Failure> {
    let given = given.iter().map(|folder| RunSummary::read(folder));
    let given = given.collect::<Result<Vec<_>, _>>()?;
    let stored = store.map_or(Ok(Vec::new()), |store| stored(store, &reported.machine_key))?;
    let mut runs: Vec<RunSummary> = Vec::new();
    for run in given.into_iter().chain(stored) {
        let known = |other: &RunSummary| is_same_run(&other.record, &run.record);
        if !is_same_run(reported, &run.record) && !runs.iter().any(known) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The runs of a machine that were stored last, but for damaged ones.
fn stored(store: &Path, machine_key: &str) -> Result<Vec<RunSummary>, Failure> {
    let filter = Filter {
        machine: Some(machine_key.to_owned()),
        last: Some(MAX_STORED),
        ..Filter::default()
    };
    Ok(Store::open(store)?.summaries(&filter)?)
}
