//! Measuring the points of the suite `thesis` that figures need.

use std::path::Path;

use reports::published::Figure;
use reports::record::Point;
use reports::store::Run;

use super::super::suite::Planned;
use super::super::{open_suite, try_plugins};
use super::THESIS;
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Job, KernelTimes, Session, Start, default_folder};
use crate::platform::{Interrupt, process_start, usable_threads};
use crate::request::ReproduceRequest;
use crate::suite::Suite;

/// The run with what was measured, and what that led to.
pub(super) fn run(figures: &[Figure], request: &ReproduceRequest) -> Result<(Run, Exit), Failure> {
    let Planned { requests, plans, part } =
        Planned::new(suite(figures)?, &request.command, &request.config)?;
    try_plugins(&plans, request.output.quiet)?;
    let out = request.output.out.clone();
    let assignment = Assignment {
        command: &request.command,
        jobs: Job::of(&requests, &plans),
        out: out.unwrap_or_else(|| default_folder("reproduce")),
        start: Start::New,
        suite: Some(part),
        started: process_start(),
        budget: Some(request.budget),
        ceilings: true,
        charts: None,
        kernels: KernelTimes::OfSome,
        slowdown: 0.0,
        quiet: request.output.quiet,
    };
    let outcome = Session::run(&assignment, &Interrupt::listen())?;
    Ok((Run::read(&outcome.folder)?, outcome.exit()))
}

/// The part of the suite that figures need.
fn suite(figures: &[Figure]) -> Result<Suite, Failure> {
    let most = usable_threads();
    let is_wanted = |point: &Point| figures.iter().any(|figure| figure.wants(point, most));
    let suite = open_suite(Path::new(THESIS), &[])?.restricted(is_wanted);
    if suite.parts.is_empty() {
        let nothing = "nothing was measured: no task of this program is what these figures show";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    Ok(suite)
}
