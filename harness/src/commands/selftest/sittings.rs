//! Measuring all points of a suite once, with each sample slowed down or not.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reports::compare::Measured;

use super::super::say;
use crate::cli::{MeasureRequest, SampleRange, SelfTestRequest};
use crate::failure::Failure;
use crate::measure::{Assignment, Job, Session, Start};
use crate::plan::Plan;
use crate::platform::Interrupt;
use crate::suite::Suite;

/// Samples of a point in a round: those of one visit.
const SAMPLES_A_ROUND: usize = 5;
/// The time of a point in a round, if its samples are long.
const TIME_A_ROUND: Duration = Duration::from_secs(2);

/// Why a self-test ends before its time.
pub(super) enum Ended {
    /// The user asked for an end.
    Interrupted,
    /// Something can't be done.
    Failed(Failure),
}

impl<F: Into<Failure>> From<F> for Ended {
    fn from(failure: F) -> Self {
        Ended::Failed(failure.into())
    }
}

/// What is measured again and again.
pub(super) struct Sittings<'a> {
    command: &'a [String],
    plans: Vec<Plan>,
    whole: Vec<MeasureRequest>,
    short: Vec<MeasureRequest>,
    folder: &'a Path,
    interrupt: &'a Interrupt,
    quiet: bool,
}

impl<'a> Sittings<'a> {
    pub(super) fn new(
        suite: &Suite,
        request: &'a SelfTestRequest,
        folder: &'a Path,
        interrupt: &'a Interrupt,
    ) -> Result<Self, Failure> {
        let whole = suite.requests(&request.command);
        let short = suite.requests(&request.command).into_iter().map(shortened);
        let plans = suite.plans(&whole)?;
        super::super::try_plugins(&plans, request.quiet)?;
        Ok(Sittings {
            command: &request.command,
            plans,
            short: short.collect(),
            whole,
            folder,
            interrupt,
            quiet: request.quiet,
        })
    }

    /// Measures as the suite says.
    pub(super) fn whole(&self, name: &str, slowdown: f64) -> Result<Measured, Ended> {
        let out = self.measure(&self.whole, name, slowdown)?;
        Ok(Measured::read(&out)?)
    }

    /// Measures a visit to each point; returns the run's folder.
    pub(super) fn short(&self, name: &str, slowdown: f64) -> Result<PathBuf, Ended> {
        self.measure(&self.short, name, slowdown)
    }

    /// Says how far it is, if anybody wants to know.
    pub(super) fn tell(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    fn measure(
        &self,
        requests: &[MeasureRequest],
        name: &str,
        slowdown: f64,
    ) -> Result<PathBuf, Ended> {
        let assignment = Assignment {
            command: self.command,
            jobs: Job::of(requests, &self.plans),
            out: self.folder.join(name),
            start: Start::New,
            suite: None,
            started: Instant::now(),
            budget: None,
            ceilings: false,
            slowdown,
            quiet: true,
        };
        let outcome = Session::run(&assignment, self.interrupt)?;
        if outcome.wrong > 0 {
            let problem = "a variant's output was wrong: see bench verify";
            return Err(Failure::NothingMeasured(problem.to_owned()).into());
        }
        match outcome.interrupted {
            true => Err(Ended::Interrupted),
            false => Ok(outcome.folder),
        }
    }
}

fn shortened(request: MeasureRequest) -> MeasureRequest {
    MeasureRequest {
        samples: SampleRange::exactly(SAMPLES_A_ROUND),
        max_time: request.max_time.min(TIME_A_ROUND),
        ..request
    }
}
