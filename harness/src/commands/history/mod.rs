//! `bench history`: the store of runs.

mod changes;

use std::path::{Path, PathBuf};

use reports::history::{
    Added, BaselineState, Filter, HistoryError, Retention, Series, Store, Unfinished,
};
use reports::rank::Rank;
use reports::record::{Shard, SuitePart};
use reports::run_table::{Detail, RunTable};
use reports::store::{read_run, read_summary};
use reports::table::Tabular;
use reports::units;
use text::Untrusted;

use crate::failure::{Exit, Failure};
use crate::measure::series_of;
use crate::paired::{self, PairedError};
use crate::platform::{self, Topology};
use crate::request::{
    BaselineRequest, HistoryAction, HistoryRequest, ListRunsRequest, Outputs, StoreFolder,
};
use crate::suite::SuiteFile;
pub(super) use changes::accepted;
pub(crate) use changes::parse_accepted_shifts;

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
        Some(HistoryAction::Baseline(request)) => baseline(request),
        Some(HistoryAction::Unaccept { run, store }) => unaccept(&open(store)?, run),
        Some(HistoryAction::Prune(request)) => {
            prune(&open(&request.store)?, request.retention(), request.dry_run)
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
        Added::Repaired(id) => format!("{id}: was damaged in the store, and is repaired"),
    }
}

fn list(request: &ListRunsRequest) -> Result<Exit, Failure> {
    let store = open(&request.runs.store)?;
    let filter = request.filter();
    let entries = store.list(&filter)?;
    super::put(&request.format, |format, screen| Ok(entries.render(format, screen)?))?;
    for damaged in store.damaged_marks()? {
        super::say(&format!("bench: a mark of an accepted run: {damaged}"));
    }
    if entries.is_empty() {
        let kind = if filter == Filter::default() { "no runs" } else { "no such runs" };
        super::say(&format!("{kind} in {}", store.root().escaped()));
    }
    Ok(Exit::Success)
}

fn accept(store: &Store, run: &str, note: &str, if_none: bool) -> Result<Exit, Failure> {
    let run = store.find(run, None)?;
    // Without --if-none the old baseline is not read: it may be damaged, and that be the reason
    // for another one.
    if if_none {
        let record = read_run(&store.run_folder(&run.id)).map_err(HistoryError::from)?;
        match store.baseline_state(&run.series(), &record.machine)? {
            BaselineState::Accepted(baseline) => {
                let id = &baseline.id;
                let series = run.series();
                super::print(&format!("{id}: stays accepted for {series}\n"))?;
                return Ok(Exit::Success);
            }
            BaselineState::Elsewhere(elsewhere) => {
                return Err(HistoryError::BaselineElsewhere(Box::new(elsewhere)).into());
            }
            BaselineState::Unknown => {}
        }
    }
    store.accept(&run.id, note)?;
    super::print(&format!("{}: accepted for {}\n", run.id, run.series()))?;
    Ok(Exit::Success)
}

/// Prints the id of the accepted run of a suite on this machine; nothing if no run of it was ever
/// accepted. It is an error if the suite has a baseline on another machine only, or if its
/// executable is not stored: a gate that treated these as "nothing to compare with yet" would pass.
fn baseline(request: &BaselineRequest) -> Result<Exit, Failure> {
    let BaselineRequest { suite, shard, store: StoreFolder { folder } } = request;
    let series = series_of_suite(suite, *shard)?;
    let store = match Store::open(folder) {
        Err(HistoryError::Missing(_)) => {
            super::say(&format!("no run of {series} is accepted yet: there is no store"));
            return Ok(Exit::Success);
        }
        store => store?,
    };
    let machine = platform::machine(&Topology::this_machine());
    match store.baseline_state(&series, &machine)? {
        BaselineState::Unknown => super::say(&format!("no run of {series} is accepted yet")),
        BaselineState::Elsewhere(elsewhere) => {
            return Err(HistoryError::BaselineElsewhere(Box::new(elsewhere)).into());
        }
        BaselineState::Accepted(run) => {
            let record = read_run(&store.run_folder(&run.id)).map_err(HistoryError::from)?;
            if paired::base::executable(&record.software.fingerprint, folder).is_none() {
                let run = run.id;
                let store = folder.to_owned();
                return Err(PairedError::NotKept { run, store }.into());
            }
            super::print(&format!("{}\n", run.id))?;
        }
    }
    Ok(Exit::Success)
}

/// The series that a run of a suite would be of, here and now.
fn series_of_suite(suite: &Path, shard: Option<Shard>) -> Result<Series, Failure> {
    let mut suite = super::load_suite(&SuiteFile::read(suite)?, &[])?;
    suite.leave_out_unusable();
    let requests = suite.requests(&[]);
    let plans = suite.plans(&requests)?;
    let part = SuitePart { name: suite.name, hash: suite.hash, shard, points: 0, path: None };
    Ok(series_of(plans.iter(), &part))
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

fn show(store: &Store, run: &str, format: &Outputs, rank: Rank) -> Result<Exit, Failure> {
    let folder = store.resolve(run, None)?;
    let record = read_run(&folder).map_err(HistoryError::from)?;
    let rows = read_summary(&folder).map_err(HistoryError::from)?;
    let table = RunTable { run: &record, rows: &rows, rank, detail: Detail::Stages };
    super::put(format, |format, screen| Ok(table.render(format, screen)?))?;
    super::say(&format!("run: {}", folder.escaped()));
    Ok(Exit::Success)
}
