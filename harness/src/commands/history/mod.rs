//! `bench history`: the store of runs.

mod accepted_shifts;
mod changes;

use std::path::{Path, PathBuf};

pub(crate) use accepted_shifts::parse as parse_accepted_shifts;
pub(super) use changes::accepted;
use reports::history::{self, Added, Filter, HistoryError, Retention, Store, Unfinished};
use reports::rank::Rank;
use reports::run_table::{self, View};
use reports::store::{read_run, read_summary};
use reports::table::Format;
use reports::units;
use text::Foreign;

use crate::failure::{Exit, Failure};
use crate::request::{HistoryAction, HistoryRequest, ListRunsRequest, Outputs, StoreFolder};

pub(super) fn run(request: &HistoryRequest) -> Result<Exit, Failure> {
    match &request.action {
        None => list(&request.list),
        Some(HistoryAction::List(request)) => list(request),
        Some(HistoryAction::Add { runs, unfinished, store }) => {
            add(&store.folder, runs, *unfinished)
        }
        Some(HistoryAction::Accept { run, note, if_none, store }) => {
            accept(&open(store)?, run, note, *if_none)
        }
        Some(HistoryAction::Unaccept { run, store }) => unaccept(&open(store)?, run),
        Some(HistoryAction::Prune { keep, keep_days, dry_run, store }) => {
            let retention = Retention { keep_runs: *keep, keep_days: *keep_days };
            prune(&open(store)?, retention, *dry_run)
        }
        Some(HistoryAction::Show { run, format, rank, store }) => {
            show(&open(store)?, run, format, *rank)
        }
        Some(HistoryAction::Changes(request)) => changes::run(&open(&request.runs.store)?, request),
    }
}

fn open(store: &StoreFolder) -> Result<Store, Failure> {
    Ok(Store::open(&store.folder)?)
}

/// Each run for itself: one that is refused keeps no other out.
fn add(store: &Path, runs: &[PathBuf], unfinished: Unfinished) -> Result<Exit, Failure> {
    let store = Store::create_or_open(store)?;
    let mut failures = Vec::new();
    for run in runs {
        match store.add(run, unfinished) {
            Ok(added) => super::print(&format!("{}\n", outcome(&added)))?,
            Err(error) => failures.push(error),
        }
    }
    // The first failure makes the exit code, and is printed with it.
    let mut failures = failures.into_iter();
    let first = failures.next();
    for failure in failures {
        super::say(&format!("bench: {failure}"));
    }
    first.map_or(Ok(Exit::Success), |failure| Err(failure.into()))
}

fn outcome(added: &Added) -> String {
    match added {
        Added::New(id) => format!("{id}: added"),
        Added::Known(id) => format!("{id}: is in the store already"),
        Added::Repaired(id) => format!("{id}: was damaged in the store, and is whole again"),
    }
}

fn list(request: &ListRunsRequest) -> Result<Exit, Failure> {
    let (store, filter) = (open(&request.runs.store)?, request.filter());
    let entries = store.list(&filter)?;
    super::put(&request.format, |format, _| Ok(history::render(format, &entries)?))?;
    for damaged in store.damaged_marks()? {
        super::say(&format!("bench: a mark of an accepted run: {damaged}"));
    }
    if entries.is_empty() {
        let kind = if filter == Filter::default() { "no runs" } else { "no such runs" };
        super::say(&format!("{kind} in {}", store.root().shown()));
    }
    Ok(Exit::Success)
}

fn accept(store: &Store, run: &str, note: &str, if_none: bool) -> Result<Exit, Failure> {
    let run = store.find(run, None)?;
    // Without --if-none nobody asks for the old baseline: it may be damaged, and
    // that be the reason for another one.
    let known = if if_none { store.baseline(&run.series())? } else { None };
    if let Some(baseline) = known {
        let (id, series) = (&baseline.id, run.series());
        super::print(&format!("{id}: stays accepted for {series}\n"))?;
        return Ok(Exit::Success);
    }
    store.accept(&run.id, note)?;
    super::print(&format!("{}: accepted for {}\n", run.id, run.series()))?;
    Ok(Exit::Success)
}

fn unaccept(store: &Store, run: &str) -> Result<Exit, Failure> {
    let (id, series) = store.unaccept(run)?;
    super::print(&format!("{id}: no longer accepted for {series}\n"))?;
    Ok(Exit::Success)
}

fn prune(store: &Store, retention: Retention, dry_run: bool) -> Result<Exit, Failure> {
    let (ids, done) = if dry_run {
        (store.prunable(retention)?, "would be deleted")
    } else {
        (store.prune(retention)?, "deleted")
    };
    let lines: String = ids.iter().map(|id| format!("{id}: {done}\n")).collect();
    super::print(&lines)?;
    super::say(&format!("{} {done}", units::counted(ids.len(), "run")));
    Ok(Exit::Success)
}

fn show(store: &Store, run: &str, format: &Outputs<Format>, rank: Rank) -> Result<Exit, Failure> {
    let folder = store.resolve(run, None)?;
    let record = read_run(&folder).map_err(HistoryError::from)?;
    let rows = read_summary(&folder).map_err(HistoryError::from)?;
    super::put(format, |format, paint| {
        Ok(run_table::render(format, &record, &rows, View { rank, paint })?)
    })?;
    super::say(&format!("run: {}", folder.shown()));
    Ok(Exit::Success)
}
