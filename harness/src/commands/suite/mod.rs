//! `bench run`: a suite.

pub(super) mod against;
pub(super) mod dry_run;
mod merge;
pub(super) mod resume;

use std::collections::HashSet;
use std::path::PathBuf;

use reports::record::SuitePart;
use text::Untrusted;

use super::present::{check_store, keep_complete, present, say_what_resumes, store_and_show};
use super::{load_suite, refuse_development_build, say, try_plugins};
use crate::failure::{Exit, Failure};
use crate::measure::{Job, RunSpec, Session, Start, default_folder};
use crate::plan::{Plan, missing_devices, plugin_records};
use crate::platform::{self, Interrupt, gpus};
use crate::request::{MeasureRequest, SuiteRequest};
use crate::suite::built_in::file_of;
use crate::suite::{Suite, SuiteFile};
use dry_run::DryRun;
use resume::ResumableRun;

pub(super) fn run(request: &SuiteRequest, file: &SuiteFile) -> Result<Exit, Failure> {
    let suite = load_suite(file, &request.plugins)?;
    if !request.merge.is_empty() {
        return merge::run(&suite, request);
    }
    let suite = part(suite, request)?;
    if request.dry_run {
        let dry_run = DryRun::for_suite(&suite, request);
        say_what_is_missing(&suite);
        super::put(&request.output.format, |format, _| Ok(dry_run.render(format)))?;
        return Ok(Exit::Success);
    }
    match &request.against {
        Some(against) => against::run(suite, &file.plugins, request, against),
        None => measure_suite(suite, request),
    }
}

/// Prints which devices of a suite can't be used here.
fn say_what_is_missing(suite: &Suite) {
    let devices = suite.parts.iter().flat_map(|part| missing_devices(&part.settings.devices));
    for device in devices.collect::<HashSet<_>>() {
        let reason = gpus::problem_of(device).unwrap_or_default();
        super::say(&format!("note: {device} can't be used here: {reason}"));
    }
}

/// Returns the requested shard, or the complete suite.
fn part(suite: Suite, request: &SuiteRequest) -> Result<Suite, Failure> {
    let Some(shard) = request.shard else {
        return Ok(suite);
    };
    let nothing = format!("{} has fewer inputs than shards ({shard})", suite.name);
    not_empty(suite.shard(shard), &nothing)
}

/// Returns the suite if it has points, else the error `nothing`.
pub(super) fn not_empty(suite: Suite, nothing: &str) -> Result<Suite, Failure> {
    if suite.parts.is_empty() {
        return Err(Failure::NothingMeasured(format!("nothing was measured: {nothing}")));
    }
    Ok(suite)
}

/// Requests and plans of a suite.
pub(super) struct ExpandedSuite {
    pub(super) requests: Vec<MeasureRequest>,
    pub(super) plans: Vec<Plan>,
    pub(super) part: SuitePart,
}

impl ExpandedSuite {
    /// Makes all plans before the first sample, so that problems are reported at once.
    pub(super) fn new(
        mut suite: Suite,
        command: &[String],
        config: &Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let left_out = suite.leave_out_unusable();
        let mut requests = suite.requests(command);
        // The record of a run names the file of its defaults once.
        if let Some(first) = requests.first_mut() {
            first.config.clone_from(config);
        }
        let mut plans = suite.plans(&requests)?;
        // The record of the run names the parts that were left out.
        if let Some(first) = plans.first_mut() {
            first.notes.extend(left_out.notes);
            first.missing_devices.extend(left_out.devices);
        }
        refuse_development_build()?;
        let part = SuitePart {
            points: plans.iter().map(Plan::len).sum(),
            name: suite.name,
            hash: suite.hash,
            shard: None,
            path: None,
        };
        Ok(ExpandedSuite { requests, plans, part })
    }

    /// Creates the requests and plans of `bench run`.
    fn from_suite(suite: Suite, request: &SuiteRequest) -> Result<Self, Failure> {
        let mut planned = ExpandedSuite::new(suite, &request.command, &request.config)?;
        planned.part.shard = request.shard;
        planned.part.path = file_of(&request.suite).map(|path| path.to_string_lossy().into_owned());
        for part in &mut planned.requests {
            part.session.counters = request.counters;
            part.session.energy = request.energy.clone();
        }
        Ok(planned)
    }
}

fn measure_suite(suite: Suite, request: &SuiteRequest) -> Result<Exit, Failure> {
    let ExpandedSuite { requests, mut plans, part } = ExpandedSuite::from_suite(suite, request)?;
    let earlier = resume::find(request, &part, &plugin_records(plans.iter()))?;
    if let Some(earlier) = &earlier {
        plans.iter_mut().for_each(|plan| plan.retain(|point| !earlier.done.contains(point)));
        log_resumed(earlier, &part);
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
    let jobs = Job::pair(&requests, &plans);
    let run_spec = RunSpec {
        start,
        suite: Some(part),
        started: platform::process_start(),
        budget: request.budget,
        // A run that only lacks its end has them.
        ceilings: request.ceilings && !nothing_left,
        charts: output.charts_wanted(),
        quiet: output.quiet,
        ..RunSpec::new(&request.command, jobs, folder(request, earlier))
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

fn log_resumed(earlier: &ResumableRun, part: &SuitePart) {
    let done = earlier.done.len();
    let folder = earlier.folder.escaped();
    say(&format!(
        "resuming {folder}: {done} of {} points are done (--fresh starts a new run)",
        part.points
    ));
}
