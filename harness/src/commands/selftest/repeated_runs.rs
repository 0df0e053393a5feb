//! Measuring all points of a suite once, with each sample slowed down or not.

use std::path::{Path, PathBuf};
use std::time::Instant;

use reports::compare::Measured;
use reports::record::{Point, RunRecord};

use super::super::log;
use crate::failure::Failure;
use crate::measure::{Job, KernelTimes, RunSpec, Session, Start, describe};
use crate::plan::Plan;
use crate::platform::{Interrupt, Topology};
use crate::request::{MeasureRequest, SelfTestRequest};
use crate::suite::Suite;

/// Reason for the early end of a self-test.
pub(super) enum Abort {
    /// Interrupted by the user.
    Interrupted,
    /// Failed with an error.
    Failed(Failure),
}

impl<F: Into<Failure>> From<F> for Abort {
    fn from(failure: F) -> Self {
        Abort::Failed(failure.into())
    }
}

/// Suite that is measured repeatedly.
pub(super) struct RepeatedRuns<'a> {
    command: &'a [String],
    plans: Vec<Plan>,
    requests: Vec<MeasureRequest>,
    /// Plugins of the suite.
    pub(super) plugins: Vec<PathBuf>,
    pub(super) folder: &'a Path,
    pub(super) interrupt: &'a Interrupt,
    quiet: bool,
}

impl<'a> RepeatedRuns<'a> {
    pub(super) fn new(
        suite: &Suite,
        plugins: &[PathBuf],
        request: &'a SelfTestRequest,
        folder: &'a Path,
        interrupt: &'a Interrupt,
    ) -> Result<Self, Failure> {
        let requests = suite.requests(&request.command);
        let plans = suite.plans(&requests)?;
        let failed = super::super::try_plugins(&plans, request.quiet)?;
        let mut points = plans.iter().flat_map(Plan::points);
        let refused = points.find_map(|point| failed.iter().find_map(|trial| trial.row(&point)));
        drop(points);
        if let Some(row) = refused {
            let problem = format!("{} {}: {}", row.algorithm, row.variant, row.note);
            return Err(Failure::WrongOutput(problem));
        }
        let libraries = plugins.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
        Ok(RepeatedRuns {
            command: &request.command,
            plans,
            requests,
            plugins: libraries,
            folder,
            interrupt,
            quiet: request.quiet,
        })
    }

    /// Measures the suite once.
    pub(super) fn whole(&self, name: &str, slowdown: f64) -> Result<Measured, Abort> {
        let out = self.measure(name, slowdown)?;
        Ok(Measured::read(&out)?)
    }

    /// Returns all points.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        self.plans.iter().flat_map(Plan::points)
    }

    /// Returns the jobs to measure.
    pub(super) fn jobs(&self) -> Vec<Job<'_>> {
        Job::pair(&self.requests, &self.plans)
    }

    /// Returns the metadata of a run that starts now.
    pub(super) fn record(&self) -> RunRecord {
        let run_spec = self.run_spec(PathBuf::new(), 0.0);
        describe(&run_spec, &Topology::this_machine())
    }

    /// Prints progress unless quiet.
    pub(super) fn log(&self, text: &str) {
        log(self.quiet, text);
    }

    fn run_spec(&self, out: PathBuf, slowdown: f64) -> RunSpec<'_> {
        RunSpec {
            command: self.command,
            jobs: self.jobs(),
            out,
            start: Start::New,
            suite: None,
            started: Instant::now(),
            budget: None,
            ceilings: false,
            charts: None,
            kernels: KernelTimes::OfSome,
            slowdown,
            quiet: true,
        }
    }

    fn measure(&self, name: &str, slowdown: f64) -> Result<PathBuf, Abort> {
        let run_spec = self.run_spec(self.folder.join(name), slowdown);
        let outcome = Session::run(&run_spec, self.interrupt)?;
        if outcome.wrong > 0 {
            let problem = "a variant's output was wrong: see bench verify";
            return Err(Failure::NothingMeasured(problem.to_owned()).into());
        }
        if outcome.interrupted {
            return Err(Abort::Interrupted);
        }
        Ok(outcome.folder)
    }
}
