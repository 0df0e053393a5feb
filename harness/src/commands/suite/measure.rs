//! Measurement of a suite, or of its remaining points.

use std::path::PathBuf;

use reports::record::SuitePart;
use text::Untrusted;

use super::super::present::{
    check_store, keep_complete, present, say_what_resumes, store_and_show,
};
use super::super::{say, try_plugins};
use super::ExpandedSuite;
use super::resume::{self, ResumableRun};
use crate::failure::{Exit, Failure};
use crate::measure::{Job, KernelTimes, RunSpec, Session, Start, default_folder};
use crate::plan::{Plan, plugin_records};
use crate::platform::{self, Interrupt};
use crate::request::SuiteRequest;
use crate::suite::Suite;

pub(super) fn run(suite: Suite, request: &SuiteRequest) -> Result<Exit, Failure> {
    let ExpandedSuite { requests, mut plans, part } = ExpandedSuite::from_suite(suite, request)?;
    let earlier = resume::find(request, &part, &plugin_records(plans.iter()))?;
    if let Some(earlier) = &earlier {
        plans.iter_mut().for_each(|plan| plan.retain(|point| !earlier.done.contains(point)));
        log(earlier, &part);
    }
    let output = &request.output;
    let nothing_left = plans.iter().all(Plan::is_empty);
    if let Some(earlier) = earlier.as_ref().filter(|it| it.is_finished && nothing_left) {
        return store_and_show(&earlier.folder, request.store.as_deref(), output);
    }
    check_store(request.store.as_deref())?;
    try_plugins(&plans, request.output.quiet)?;
    let points = part.points;
    let start = Start::after(&earlier);
    let run_spec = RunSpec {
        command: &request.command,
        jobs: Job::pair(&requests, &plans),
        out: folder(request, earlier),
        start,
        suite: Some(part),
        started: platform::process_start(),
        budget: request.budget,
        // A run that only lacks its end has them.
        ceilings: request.ceilings && !nothing_left,
        charts: output.charts_wanted(),
        kernels: KernelTimes::OfSome,
        slowdown: 0.0,
        quiet: output.quiet,
    };
    let outcome = Session::run(&run_spec, &Interrupt::listen())?;
    keep_complete(&outcome, request.store.as_deref(), output.quiet)?;
    let exit = present(&outcome, output)?;
    if outcome.interrupted {
        say_what_resumes(&outcome, points);
    }
    Ok(exit)
}

fn folder(request: &SuiteRequest, earlier: Option<ResumableRun>) -> PathBuf {
    let name = || request.suite.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    earlier
        .map(|earlier| earlier.folder)
        .or_else(|| request.output.out.clone())
        .unwrap_or_else(|| default_folder(&name().unwrap_or_else(|| "suite".to_owned())))
}

fn log(earlier: &ResumableRun, part: &SuitePart) {
    let done = earlier.done.len();
    let folder = earlier.folder.escaped();
    say(&format!(
        "resuming {folder}: {done} of {} points are done (--fresh starts a new run)",
        part.points
    ));
}
