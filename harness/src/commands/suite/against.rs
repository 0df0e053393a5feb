//! A suite measured in turn with a base.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use algorithms::plugin;
use reports::aliases::ALIASES;
use reports::clock::now;
use reports::compare::render::words;
use reports::compare::{Comparison, Key, Measured, Terms, Thresholds, compare};
use reports::history::{Series, Store};
use reports::record::{Point, RunRecord, SuitePart, SummaryRow, YesNo};
use reports::store::{Run, StoreError, read_run, read_summary};
use reports::units;
use text::Foreign;

use super::super::present::keep_complete;
use super::super::{say, tell, try_plugins};
use super::Planned;
use super::earlier;
use crate::duet::base::Base;
use crate::duet::{self, Against, DuetOutcome, Executable, SidePlugins, points};
use crate::failure::{Exit, Failure};
use crate::measure::{
    Assignment, Job, KernelTimes, Outcome, Start, TOTAL, default_folder, describe,
};
use crate::plan::{Plan, plugin_records};
use crate::platform::{self, Interrupt, Topology};
use crate::request::{AgainstRequest, DEFAULT_STORE, SuiteRequest};
use crate::suite::Suite;

/// Points that are named.
const NAMED: usize = 5;

pub(super) fn run(
    suite: Suite,
    named_plugins: &[PathBuf],
    request: &SuiteRequest,
    against: &AgainstRequest,
) -> Result<Exit, Failure> {
    let Planned { requests, plans, part } = Planned::of(suite, request)?;
    let tell = |text: &str| tell(request.output.quiet, text);
    let store = request.store.clone();
    let store = store.unwrap_or_else(|| PathBuf::from(DEFAULT_STORE));
    let series = Series::of_suite(&platform::machine_key(), &part);
    let Base { executable: base, run: base_run } =
        duet::base::find(&against.base, &store, Some(&series), tell)?;
    let failed = try_plugins(&plans, request.output.quiet)?;
    // Building a base is not the measurement's time.
    let started = std::time::Instant::now();
    let earlier = earlier::find_paired(request, &part, &plugin_records(plans.iter()))?;
    let start = Start::after(&earlier);
    let name = format!("{}-against-{}", part.name, simple(&base.name));
    let named = || request.output.out.clone().unwrap_or_else(|| default_folder(&name));
    let out = earlier.unwrap_or_else(named);
    let libraries = absolute(&[&request.plugins[..], named_plugins].concat())?;
    let new_plugins = SidePlugins::of_files(&libraries);
    let base_plugins = match &base_run {
        Some(run) => {
            let loaded: Vec<PathBuf> =
                plugin::plugins().iter().map(|loaded| loaded.path.clone()).collect();
            let store = Store::open(&store).ok();
            SidePlugins::of_run(run, &read_run(run)?, &loaded, store.as_ref())?
        }
        None => new_plugins.clone(),
    };
    let planned: Vec<Point> = plans.iter().flat_map(Plan::points).collect();
    let points = planned.clone().into_iter();
    let refused = points.filter_map(|point| failed.iter().find_map(|trial| trial.row(&point)));
    let refused = refused.collect();
    let jobs = Job::of(&requests, &plans);
    let inputs = points::of_jobs(&jobs);
    let assignment = Assignment {
        command: &request.command,
        jobs,
        out: out.clone(),
        start,
        suite: Some(part.clone()),
        started,
        budget: request.budget,
        ceilings: false,
        charts: None,
        kernels: KernelTimes::OfSome,
        slowdown: 0.0,
        quiet: request.output.quiet,
    };
    let mut record = describe(&assignment, &Topology::of_this_machine());
    record.pair = Some(match start {
        Start::New => format!("{}-{}", now(), std::process::id()),
        Start::Resume => read_run(&out)?.pair.unwrap_or_default(),
    });
    tell(&format!(
        "measuring {} in turn with {}; results go to {}",
        units::counted(part.points, "point"),
        base.name,
        out.shown()
    ));
    let order = Against {
        base,
        base_plugins,
        new: Executable::of_this_process("this build")?,
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
    let outcome = duet::measure(&order, &Interrupt::listen())?;
    let known = match &base_run {
        Some(run) => points_of(run, &part)?,
        None => Vec::new(),
    };
    conclude(request, against, outcome, &known)
}

/// The points that a base was measured at, if it is a run of the same suite.
fn points_of(run: &Path, part: &SuitePart) -> Result<Vec<Point>, StoreError> {
    let RunRecord { suite, software, .. } = read_run(run)?;
    let is_same = |suite: &SuitePart| (&suite.name, suite.shard) == (&part.name, part.shard);
    if !suite.as_ref().is_some_and(is_same) {
        return Ok(Vec::new());
    }
    let rows = read_summary(run)?;
    let measured = rows.iter().filter(|row| row.valid_median().is_some() && row.stage == TOTAL);
    Ok(measured.map(|row| ALIASES.point(row.point(), &software.version)).collect())
}

/// Stores the new side, and reports what was found.
fn conclude(
    request: &SuiteRequest,
    against: &AgainstRequest,
    outcome: DuetOutcome,
    known: &[Point],
) -> Result<Exit, Failure> {
    let folder = outcome.folder.shown().to_string();
    if let Some(failure) = outcome.failure {
        say(&format!(
            "bench: what was measured is kept in {folder}; the same command with --out {folder} \
             goes on where this one stopped"
        ));
        return Err(failure.into());
    }
    let counted =
        Outcome { interrupted: outcome.interrupted, ..Outcome::from(Run::read(&outcome.folder)?) };
    keep_complete(&counted, request.store.as_deref(), request.output.quiet)?;
    for note in &counted.record.notes {
        say(&format!("note: {note}"));
    }
    let base = read_summary(&outcome.base)?;
    for (side, rows) in [("", &counted.summary), ("the base: ", &base)] {
        for row in rows.iter().filter(|row| row.valid == YesNo::No) {
            let point = words(&Key::new(row.point(), &row.stage));
            say(&format!("bench: not measured: {side}{point}: {}", row.note));
        }
    }
    let version = read_run(&outcome.base)?.software.version;
    let again = base.iter().map(|row| ALIASES.point(row.point(), &version)).collect();
    let vanished = vanished(known, &again, &counted);
    if !counted.interrupted && !vanished.is_empty() {
        let names =
            vanished.iter().take(NAMED).map(|point| words(&Key::new((*point).clone(), TOTAL)));
        let names = names.collect::<Vec<_>>().join("; ");
        let more = match vanished.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let count = units::counted(vanished.len(), "point");
        say(&format!("bench: not judged: {count} of the base's run: {names}{more}"));
    }
    let judged = judged(&outcome.base, &outcome.folder, &Terms::default());
    let own = counted.exit();
    if own != Exit::Success && judged.is_err() {
        return Ok(own);
    }
    let comparison = judged?;
    super::super::compare::show(&comparison, &against.format, against.listing)?;
    tell(request.output.quiet, &format!("results: {folder}"));
    if own == Exit::Interrupted {
        return Ok(own);
    }
    let is_complete = outcome.left_out == 0 && vanished.is_empty();
    let complete = if is_complete { Exit::Success } else { Exit::NothingMeasured };
    Ok(own.and(super::super::compare::exit(&comparison, against.fail_on)).and(complete))
}

/// The points of the base's run that the base was not measured at again: the suite no longer has
/// them, the base can't measure them here, or there was no time. Those whose variant is wrong or
/// fails now have a row that says so.
fn vanished<'a>(known: &'a [Point], again: &HashSet<Point>, new: &Outcome) -> Vec<&'a Point> {
    let refused = new.summary.iter().filter(|row| row.valid == YesNo::No);
    let refused: HashSet<Point> = refused.map(SummaryRow::point).collect();
    let is_lost = |point: &&Point| !again.contains(*point) && !refused.contains(*point);
    known.iter().filter(is_lost).collect()
}

/// What both sides of a measurement in turn say.
///
/// # Errors
/// If they can't be read, or have no point in common.
pub(in crate::commands) fn judged(
    base: &Path,
    new: &Path,
    terms: &Terms,
) -> Result<Comparison, Failure> {
    let base = Measured::read(base)?;
    let new = Measured::read(new)?;
    Ok(compare(&base, &new, terms)?)
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
