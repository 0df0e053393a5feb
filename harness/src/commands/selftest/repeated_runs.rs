//! Separate runs of all points of a suite, with each sample slowed down or not, and the rate of
//! differences between them that are reported as changes.
//!
//! Verdicts use the variance between runs of the same code, which these runs give. Each pair is
//! judged with the variance of all other runs, so that no run is judged by itself.

use std::path::{Path, PathBuf};

use reports::compare::{CompareOptions, Measured, RunScatter, compare, scatter_of};
use reports::record::{Point, RunRecord, Trial};

use super::super::log;
use super::count;
use crate::failure::Failure;
use crate::measure::{Job, RunSpec, Session, describe};
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
        RunSpec { slowdown, ..RunSpec::new(self.command, self.jobs(), out) }
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

/// Slowdowns of the runs after the first: changes to detect, each followed by a run without
/// slowdown.
pub(super) const SLOWDOWNS: [f64; 8] = [0.01, 0.0, 0.02, 0.0, 0.05, 0.0, 0.10, 0.0];

/// A run of all points.
pub(super) struct WholeRun {
    measured: Measured,
    /// Slowdown of each sample, as a fraction.
    slowdown: f64,
}

impl WholeRun {
    /// Measures the run with index `index` of `last` runs.
    pub(super) fn measure(
        repeated: &RepeatedRuns<'_>,
        index: usize,
        last: usize,
        slowdown: f64,
    ) -> Result<Self, Abort> {
        let name = format!("run-{index}");
        repeated.log(&format!("{name} of {last}, {} % slower", 100.0 * slowdown));
        Ok(WholeRun { measured: repeated.whole(&name, slowdown)?, slowdown })
    }

    /// Returns the slowed-down run and its slowdown.
    pub(super) fn slowed(&self) -> (&Measured, f64) {
        (&self.measured, self.slowdown)
    }
}

/// Compares every run with every run without slowdown; pairs of the latter once. Returns no trials
/// without runs.
pub(super) fn judge(runs: &[WholeRun]) -> Result<Vec<Trial>, Failure> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut trials = trials();
    for (base, new) in pairs(runs) {
        let options = CompareOptions {
            scatter: RunScatter::from_points(&scatter_of(&others(runs, [base, new]))),
            ..CompareOptions::default()
        };
        let comparison = compare(&runs[base].measured, &runs[new].measured, &options)?;
        let slowdown = runs[new].slowdown;
        for trial in trials.iter_mut().filter(|it| it.slowdown == slowdown) {
            count(trial, comparison.points.iter());
        }
    }
    Ok(trials)
}

/// One for each slowdown, none first.
fn trials() -> Vec<Trial> {
    let mut slowdowns = SLOWDOWNS.to_vec();
    slowdowns.sort_by(f64::total_cmp);
    slowdowns.dedup();
    slowdowns.into_iter().map(Trial::new).collect()
}

/// Returns the indices of base and new run of each pair.
fn pairs(runs: &[WholeRun]) -> impl Iterator<Item = (usize, usize)> {
    let plain = |run: usize| runs[run].slowdown == 0.0;
    let all = (0..runs.len()).flat_map(move |base| (0..runs.len()).map(move |new| (base, new)));
    all.filter(move |&(base, new)| plain(base) && (base < new || !plain(new)))
}

fn others(runs: &[WholeRun], pair: [usize; 2]) -> Vec<(&Measured, f64)> {
    let numbered = runs.iter().enumerate();
    let others = numbered.filter(|(index, _)| !pair.contains(index));
    others.map(|(_, run)| run.slowed()).collect()
}
