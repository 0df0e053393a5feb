//! A suite measured in turn with a base.

use std::path::{Path, PathBuf};

use reports::clock::now;
use reports::compare::{Comparison, Measured, Terms, Thresholds, compare};
use reports::history::Series;
use reports::store::{Run, read_run};
use reports::units;
use text::Foreign;

use super::super::present::keep_complete;
use super::super::{say, tell, try_plugins};
use super::Planned;
use super::earlier;
use crate::duet::{self, Against, DuetOutcome, Executable, points};
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Job, KernelTimes, Outcome, Start, default_folder, describe};
use crate::plan::plugin_records;
use crate::platform::{self, Interrupt, Topology};
use crate::request::{AgainstRequest, DEFAULT_STORE, SuiteRequest};
use crate::suite::Suite;

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
    let base = duet::base::find(&against.base, &store, Some(&series), tell)?;
    try_plugins(&plans, request.output.quiet)?;
    // Building a base is not the measurement's time.
    let started = std::time::Instant::now();
    let earlier = earlier::find_paired(request, &part, &plugin_records(plans.iter()))?;
    let start = Start::after(&earlier);
    let name = format!("{}-against-{}", part.name, simple(&base.name));
    let named = || request.output.out.clone().unwrap_or_else(|| default_folder(&name));
    let out = earlier.unwrap_or_else(named);
    let libraries = absolute(&[&request.plugins[..], named_plugins].concat())?;
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
        new: Executable::of_this_process("this build")?,
        plugins: &libraries,
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
    conclude(request, against, outcome)
}

/// Stores the new side, and says what came of it.
fn conclude(
    request: &SuiteRequest,
    against: &AgainstRequest,
    outcome: DuetOutcome,
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
    if outcome.left_out > 0 {
        say(&format!(
            "note: the time was over before the first round of {}",
            units::counted(outcome.left_out, "point")
        ));
    }
    let judged = judged(&outcome.base, &outcome.folder, &Terms::default());
    if counted.exit() != Exit::Success && judged.is_err() {
        return Ok(counted.exit());
    }
    let comparison = judged?;
    super::super::compare::show(&comparison, &against.format, against.listing)?;
    tell(request.output.quiet, &format!("results: {folder}"));
    Ok(match counted.exit() {
        Exit::Success => super::super::compare::exit(&comparison, against.fail_on),
        exit => exit,
    })
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
