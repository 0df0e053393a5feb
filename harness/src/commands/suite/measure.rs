//! Measuring a suite, or what is left of it.

use std::path::{Path, PathBuf};

use reports::record::SuitePart;
use reports::store::Run;

use super::super::present::{keep, keep_complete, present};
use super::super::{say, try_plugins};
use super::Planned;
use super::earlier::{self, Earlier};
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Job, Outcome, Session, Start, default_folder};
use crate::plan::{Plan, plugin_records};
use crate::platform::{self, Interrupt};
use crate::request::SuiteRequest;
use crate::suite::Suite;

pub(super) fn run(suite: Suite, request: &SuiteRequest) -> Result<Exit, Failure> {
    let Planned { requests, mut plans, part } = Planned::of(suite, request)?;
    let earlier = earlier::find(request, &part, &plugin_records(plans.iter()))?;
    if let Some(earlier) = &earlier {
        plans.iter_mut().for_each(|plan| plan.retain(|point| !earlier.done.contains(point)));
        tell(earlier, &part);
    }
    if let Some(earlier) = earlier.as_ref().filter(|_| plans.iter().all(Plan::is_empty)) {
        return complete(&earlier.folder, request);
    }
    try_plugins(&plans, request.output.quiet)?;
    let start = Start::after(&earlier);
    let output = &request.output;
    let assignment = Assignment {
        command: &request.command,
        jobs: Job::of(&requests, &plans),
        out: folder(request, earlier),
        start,
        suite: Some(part),
        started: platform::process_start(),
        budget: request.budget,
        ceilings: request.ceilings,
        slowdown: 0.0,
        quiet: output.quiet,
    };
    let mut outcome = Session::run(&assignment, &Interrupt::listen())?;
    keep_complete(&outcome, request.store.as_deref(), output.quiet)?;
    let exit = present(&mut outcome, output)?;
    if outcome.interrupted {
        say("bench: the same command goes on where this one stopped");
    }
    Ok(exit)
}

/// A run that has all its points is shown, and not touched.
fn complete(folder: &Path, request: &SuiteRequest) -> Result<Exit, Failure> {
    let output = &request.output;
    let mut outcome = Outcome::from(Run::read(folder)?);
    keep(folder, request.store.as_deref(), output.quiet)?;
    present(&mut outcome, output)
}

fn folder(request: &SuiteRequest, earlier: Option<Earlier>) -> PathBuf {
    let name = || request.suite.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    earlier
        .map(|earlier| earlier.folder)
        .or_else(|| request.output.out.clone())
        .unwrap_or_else(|| default_folder(&name().unwrap_or_else(|| "suite".to_owned())))
}

fn tell(earlier: &Earlier, part: &SuitePart) {
    let (done, folder) = (earlier.done.len(), earlier.folder.display());
    say(&format!(
        "going on with {folder}: {done} of {} points are done (--fresh begins anew)",
        part.points
    ));
}
