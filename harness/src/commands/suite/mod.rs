//! `bench run`: a suite.

pub(super) mod against;
mod conclusion;
pub(super) mod dry_run;
pub(super) mod measure;
mod merge;
pub(super) mod resume;

use std::collections::HashSet;
use std::path::PathBuf;

use reports::record::SuitePart;

use super::{load_suite, refuse_development_build};
use crate::failure::{Exit, Failure};
use crate::plan::{Plan, missing_devices};
use crate::platform::gpus;
use crate::request::{MeasureRequest, SuiteRequest};
use crate::suite::built_in::file_of;
use crate::suite::{Suite, SuiteFile};
use dry_run::DryRun;

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
        None => measure::run(suite, request),
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
        }
        Ok(planned)
    }
}
