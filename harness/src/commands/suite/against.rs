//! Paired run of a suite with a baseline, and its output: verdicts, and points without a verdict.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use reports::aliases::ALIASES;
use reports::clock::now;
use reports::compare::render::words;
use reports::compare::{CompareOptions, Key, Thresholds};
use reports::history::Store;
use reports::record::{Point, RunRecord, SuitePart, SummaryRow, YesNo};
use reports::store::{Run, StoreError, read_run, read_summary};
use reports::units;
use tasks::plugin;
use text::Untrusted;

use super::super::present::check_store;
use super::super::{log, try_plugins};
use super::{ExpandedSuite, resume};
use crate::commands::compare::{exit, judged, show};
use crate::commands::present::{keep_complete, say_findings};
use crate::commands::runs::StoreContext;
use crate::commands::say;
use crate::failure::{Exit, Failure};
use crate::measure::{Job, RunResult, RunSpec, Start, TOTAL, describe, run_folder, series_of};
use crate::paired::base::Base;
use crate::paired::{self, Against, Executable, PairedResult, SidePlugins, points};
use crate::plan::{Plan, plugin_records};
use crate::platform::{Interrupt, Topology};
use crate::request::values::and_more;
use crate::request::{AgainstRequest, DEFAULT_STORE, SuiteRequest};
use crate::suite::Suite;

pub(super) fn run(
    suite: Suite,
    named_plugins: &[PathBuf],
    request: &SuiteRequest,
    against: &AgainstRequest,
) -> Result<Exit, Failure> {
    let ExpandedSuite { requests, plans, part } = ExpandedSuite::from_suite(suite, request)?;
    let log = |text: &str| log(request.output.quiet, text);
    let store = request.store.clone();
    let store = store.unwrap_or_else(|| PathBuf::from(DEFAULT_STORE));
    let series = series_of(plans.iter(), &part);
    let Base { executable: base, run: base_run } =
        paired::base::find(&against.base, &store, Some(&series), log)?;
    check_store(request.store.as_deref())?;
    let failed = try_plugins(&plans, request.output.quiet)?;
    // Building a base is not the measurement's time.
    let started = std::time::Instant::now();
    let plugins = plugin_records(plans.iter());
    let earlier = resume::find_paired(request, &part, &plugins)?;
    let start = Start::after(&earlier);
    let name = format!("{}-against-{}", part.name, simple(&base.name));
    let out = match earlier {
        Some(earlier) => earlier,
        None => run_folder(request.output.out.as_deref(), &name)?,
    };
    let libraries = absolute(&[&request.plugins[..], named_plugins].concat())?;
    let new_plugins = SidePlugins::from_files(libraries, plugins);
    let base_plugins = match &base_run {
        Some(run) => {
            let loaded: Vec<PathBuf> =
                plugin::plugins().iter().map(|loaded| loaded.path.clone()).collect();
            let store = Store::open(&store).ok();
            SidePlugins::from_run(run, &read_run(run)?, &loaded, store.as_ref())?
        }
        None => new_plugins.clone(),
    };
    let planned: Vec<Point> = plans.iter().flat_map(Plan::points).collect();
    let points = planned.clone().into_iter();
    let refused = points.filter_map(|point| failed.iter().find_map(|trial| trial.row(&point)));
    let refused = refused.collect();
    let jobs = Job::pair(&requests, &plans);
    let inputs = points::of_jobs(&jobs);
    let run_spec =
        RunSpec { suite: Some(part.clone()), ..RunSpec::new(&request.command, jobs, out.clone()) };
    let mut record = describe(&run_spec, &Topology::this_machine());
    record.pair = Some(match start {
        Start::New => format!("{}-{}", now(), std::process::id()),
        Start::Resume => read_run(&out)?.pair.unwrap_or_default(),
    });
    log(&format!(
        "measuring {} interleaved with {}; results go to {}",
        units::counted(part.points, "point"),
        base.name,
        out.escaped()
    ));
    let order = Against {
        base,
        base_plugins,
        new: Executable::this_process("this build")?,
        new_plugins,
        refused,
        inputs,
        slowdown: &|_| 0.0,
        record,
        out,
        start,
        thresholds: Thresholds::default(),
        started,
        budget: request.budget,
        quiet: request.output.quiet,
    };
    let outcome = paired::measure(&order, &Interrupt::listen())?;
    let known = match &base_run {
        Some(run) => points_of(run, &part)?,
        None => Vec::new(),
    };
    conclude(request, against, outcome, &known)
}

/// A name for a part of a folder's name.
fn simple(name: &str) -> String {
    let base = Path::new(name).file_name().unwrap_or_default();
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    base.to_string_lossy().replace(is_other, "-")
}

fn absolute(libraries: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    Ok(libraries.iter().map(std::path::absolute).collect::<Result<_, _>>()?)
}

/// Points that are named.
const NAMED: usize = 5;

/// Stores the new side, and reports the results. `known` are the points of the base's run.
pub(super) fn conclude(
    request: &SuiteRequest,
    against: &AgainstRequest,
    outcome: PairedResult,
    known: &[Point],
) -> Result<Exit, Failure> {
    let folder = outcome.folder.escaped().to_string();
    if let Some(failure) = outcome.failure {
        say(&format!(
            "bench: what was measured is kept in {folder}; the same command with --out {folder} \
             resumes it: points that are not done are measured from their beginning"
        ));
        return Err(failure.into());
    }
    let new = RunResult {
        interrupted: outcome.interrupted,
        ..RunResult::from(Run::read(&outcome.folder)?)
    };
    keep_complete(&new, request.store.as_deref(), request.output.quiet)?;
    let base = read_summary(&outcome.base)?;
    report_findings(&new, &base);
    let vanished = vanished(known, &base, &read_run(&outcome.base)?, &new);
    let judged = judged(&outcome.base, &outcome.folder, &CompareOptions::default());
    if new.exit() != Exit::Success && judged.is_err() {
        vanished_words(&vanished).iter().for_each(|words| say(&format!("bench: {words}")));
        return Ok(new.exit());
    }
    let mut comparison = judged?;
    comparison.notes.extend(vanished_words(&vanished));
    // Error rates of such runs on this machine.
    if let Some(store) = &request.store {
        match Store::open(store) {
            Ok(store) => {
                StoreContext::with_self_test(&store, &new.record).annotate(&mut comparison);
            }
            Err(problem) => comparison.notes.push(problem.to_string()),
        }
    }
    show(&comparison, &against.format, against.listing)?;
    log(request.output.quiet, &format!("results: {folder}"));
    if new.exit() == Exit::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let is_complete = outcome.left_out == 0 && vanished.is_empty();
    let complete = if is_complete { Exit::Success } else { Exit::NothingMeasured };
    Ok(new.exit().and(exit(&comparison, against.fail_on)).and(complete))
}

/// Prints the notes of the new side, and the points of both sides that have no samples.
fn report_findings(new: &RunResult, base: &[SummaryRow]) {
    say_findings(&new.record);
    for (side, rows) in [("", &new.summary[..]), ("the base: ", base)] {
        for row in rows.iter().filter(|row| row.valid == YesNo::No) {
            let point = words(&Key::new(row.point(), &row.stage));
            say(&format!("bench: not measured: {side}{point}: {}", row.note));
        }
    }
}

/// The points that a base was measured at, if it is a run of the same suite.
pub(super) fn points_of(run: &Path, part: &SuitePart) -> Result<Vec<Point>, StoreError> {
    let RunRecord { suite, software, .. } = read_run(run)?;
    let is_same = |suite: &SuitePart| (&suite.name, suite.shard) == (&part.name, part.shard);
    if !suite.as_ref().is_some_and(is_same) {
        return Ok(Vec::new());
    }
    let rows = read_summary(run)?;
    let measured = rows.iter().filter(|row| row.valid_median().is_some() && row.stage == TOTAL);
    Ok(measured.map(|row| ALIASES.point(row.point(), &software.version)).collect())
}

/// Returns the points of the base's run that the base was not measured at again: the suite no
/// longer has them, the base can't measure them here, or the time ran out. Points whose variant
/// is wrong or fails now have a row that states it.
fn vanished<'a>(
    known: &'a [Point],
    base: &[SummaryRow],
    of_base: &RunRecord,
    new: &RunResult,
) -> Vec<&'a Point> {
    if new.interrupted {
        return Vec::new();
    }
    let version = of_base.software.version.as_str();
    let again = base.iter().map(|row| ALIASES.point(row.point(), version));
    let refused = new.summary.iter().filter(|row| row.valid == YesNo::No);
    let settled: HashSet<Point> = again.chain(refused.map(SummaryRow::point)).collect();
    known.iter().filter(|point| !settled.contains(*point)).collect()
}

fn vanished_words(vanished: &[&Point]) -> Option<String> {
    let names = vanished.iter().take(NAMED);
    let names: Vec<_> = names.map(|point| words(&Key::new((*point).clone(), TOTAL))).collect();
    let more = and_more(";", vanished.len(), NAMED);
    let count = units::counted(vanished.len(), "point");
    let names = names.join("; ");
    (!vanished.is_empty()).then(|| format!("not judged: {count} of the base's run: {names}{more}"))
}
