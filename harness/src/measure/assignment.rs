//! What a session is to measure, and what comes of it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use reports::charts::Wanted;
use reports::record::{Effort, RunRecord, SampleRow, SuitePart, SummaryRow, YesNo};
use reports::store::Run;

use super::folder::default_folder;
use super::rows::{FAILED, WRONG};
use super::stages::is_whole;
use crate::plan::Plan;
use crate::platform::Exit;
use crate::request::MeasureRequest;

/// A task to measure, with the points that are left to measure.
pub struct Job<'a> {
    /// What was asked for.
    pub request: &'a MeasureRequest,
    /// What that means.
    pub plan: &'a Plan,
}

/// Everything that goes into one run folder.
pub struct Assignment<'a> {
    /// The command line as typed.
    pub command: &'a [String],
    /// What to measure, in this order.
    pub jobs: Vec<Job<'a>>,
    /// The run folder.
    pub out: PathBuf,
    /// Whether the folder holds a part of it already.
    pub start: Start,
    /// Which suite it is.
    pub suite: Option<SuitePart>,
    /// When the work for it began, be it with reading a suite.
    pub started: Instant,
    /// Wall-clock time for everything from then on.
    pub budget: Option<Duration>,
    /// Whether to measure the bandwidths that times are related to.
    pub ceilings: bool,
    /// Which charts to draw; a run is finished once they are.
    pub charts: Option<Wanted>,
    /// Which runs on a GPU tell the times of their kernels.
    pub kernels: KernelTimes,
    /// A known slowdown of all samples, as a fraction: for self-tests.
    pub slowdown: f64,
    /// No lines on how far it is.
    pub quiet: bool,
}

/// Which runs on a GPU tell the times of their kernels. Each of them is made once more for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelTimes {
    /// The first ones and one in some after them: kernels hold still.
    OfSome,
    /// All: kernels are what is compared.
    OfAll,
}

/// Whether a run begins or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In a new folder.
    New,
    /// In the folder of a run that was stopped.
    Resume,
}

impl Start {
    /// Goes on where there is an earlier run.
    pub fn after<T>(earlier: &Option<T>) -> Self {
        if earlier.is_some() { Start::Resume } else { Start::New }
    }
}

/// What came of a request.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Candidates that were timed.
    pub measured: usize,
    /// Candidates whose output was wrong.
    pub wrong: usize,
    /// Candidates that the time was too short for.
    pub left_out: usize,
    /// Whether the user asked for an end.
    pub interrupted: bool,
    /// Where the time went in this sitting.
    pub effort: Effort,
    /// Where it went in earlier ones, if the run was stopped and gone on with.
    pub earlier_effort: Effort,
    /// Where the results are.
    pub folder: PathBuf,
    /// The rows of `samples.csv`.
    pub samples: Vec<SampleRow>,
    /// The rows of `summary.csv`.
    pub summary: Vec<SummaryRow>,
    /// The content of `run.json`.
    pub record: RunRecord,
}

impl Outcome {
    /// Counts the rows of the summary, which were not measured just now.
    pub fn count_rows(&mut self) {
        let wrong = |note: &str| note.starts_with(WRONG) || note.starts_with(FAILED);
        for row in self.summary.iter().filter(|row| is_whole(&row.stage)) {
            self.measured += usize::from(row.valid == YesNo::Yes);
            self.wrong += usize::from(row.valid == YesNo::No && wrong(&row.note));
        }
    }

    /// Where the time went in all sittings.
    pub fn whole_effort(&self, samples: &[SampleRow]) -> Effort {
        let mut effort = self.earlier_effort;
        effort.add(&self.effort);
        let timed = samples.iter().filter(|row| is_whole(&row.stage));
        effort.timed_s = timed.map(|row| row.seconds).sum();
        effort
    }

    /// The exit code that tells scripts.
    pub fn exit(&self) -> Exit {
        if self.wrong > 0 {
            Exit::WrongOutput
        } else if self.interrupted {
            Exit::Interrupted
        } else if self.measured == 0 || !self.record.missing_devices.is_empty() {
            Exit::NothingMeasured
        } else {
            Exit::Success
        }
    }
}

impl From<Run> for Outcome {
    /// A run that was measured before.
    fn from(run: Run) -> Self {
        let mut outcome = Outcome {
            folder: run.folder,
            samples: run.samples,
            summary: run.summary,
            record: run.record,
            ..Outcome::default()
        };
        outcome.count_rows();
        outcome
    }
}

impl<'a> Job<'a> {
    /// The jobs of requests with their plans.
    pub fn of(requests: &'a [MeasureRequest], plans: &'a [Plan]) -> Vec<Self> {
        let both = requests.iter().zip(plans);
        both.map(|(request, plan)| Job { request, plan }).collect()
    }
}

impl<'a> Assignment<'a> {
    /// A single task.
    pub fn of(request: &'a MeasureRequest, plan: &'a Plan) -> Self {
        let folder = || default_folder(request.task.name());
        Assignment {
            command: &request.command,
            jobs: vec![Job { request, plan }],
            out: request.session.output.out.clone().unwrap_or_else(folder),
            start: Start::New,
            suite: None,
            started: Instant::now(),
            budget: request.session.budget,
            ceilings: !request.session.profile,
            charts: request.session.output.charts_wanted(),
            kernels: KernelTimes::OfSome,
            slowdown: 0.0,
            quiet: request.session.output.quiet,
        }
    }

    /// Whether something is so for any of the tasks.
    pub(super) fn any(&self, is_so: fn(&MeasureRequest) -> bool) -> bool {
        self.jobs.iter().any(|job| is_so(job.request))
    }
}
