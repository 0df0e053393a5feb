//! Specification of a run (tasks, folder, budget), its result, and errors.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use algorithms::device::TeamError;
use generators::DataError;
use reports::charts::{ChartError, Wanted};
use reports::record::{Effort, RunRecord, SampleRow, SuitePart, SummaryRow, YesNo};
use reports::store::{Run, StoreError};

use super::folder::default_folder;
use super::rows::{FAILED, WRONG};
use super::stages::is_whole;
use crate::plan::Plan;
use crate::platform::Exit;
use crate::request::MeasureRequest;

/// A task with the points that remain to be measured.
pub struct Job<'a> {
    /// The request as parsed from the command line or a suite.
    pub request: &'a MeasureRequest,
    /// Plan of that request.
    pub plan: &'a Plan,
}

/// Specification of one run folder.
pub struct RunSpec<'a> {
    /// The command line as typed.
    pub command: &'a [String],
    /// Tasks in the order in which they are measured.
    pub jobs: Vec<Job<'a>>,
    /// The run folder.
    pub out: PathBuf,
    /// New run, or continuation of a stopped one.
    pub start: Start,
    /// Suite that the run belongs to, if any.
    pub suite: Option<SuitePart>,
    /// Start of all work for the run, including reading the suite.
    pub started: Instant,
    /// Wall-clock time limit, counted from `started`.
    pub budget: Option<Duration>,
    /// Measure the bandwidths that times are compared with.
    pub ceilings: bool,
    /// Charts to draw before the run counts as finished.
    pub charts: Option<Wanted>,
    /// Runs on a GPU that are profiled for kernel times.
    pub kernels: KernelTimes,
    /// Known slowdown of all samples, as a fraction; used by self-tests.
    pub slowdown: f64,
    /// Suppress progress lines.
    pub quiet: bool,
}

/// Runs on a GPU that report kernel times. Each of them is an additional, profiled run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelTimes {
    /// The first runs and a few after them; enough because kernel times are stable.
    OfSome,
    /// All runs; used where kernels are what is compared.
    OfAll,
}

/// Start mode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Start a new folder.
    New,
    /// Resume in the folder of a run that was stopped.
    Resume,
}

impl Start {
    /// Resumes if there is an earlier run.
    pub fn after<T>(earlier: &Option<T>) -> Self {
        if earlier.is_some() { Start::Resume } else { Start::New }
    }
}

/// Result of a run.
#[derive(Debug, Default)]
pub struct RunResult {
    /// Candidates that were timed.
    pub measured: usize,
    /// Candidates whose output was wrong.
    pub wrong: usize,
    /// Candidates without a sample because time ran out.
    pub left_out: usize,
    /// True if the user interrupted the run.
    pub interrupted: bool,
    /// Time spent by this process, by activity.
    pub effort: Effort,
    /// Time spent by earlier processes of a resumed run.
    pub earlier_effort: Effort,
    /// Run folder.
    pub folder: PathBuf,
    /// The rows of `samples.csv`.
    pub samples: Vec<SampleRow>,
    /// The rows of `summary.csv`.
    pub summary: Vec<SummaryRow>,
    /// The content of `run.json`.
    pub record: RunRecord,
}

impl RunResult {
    /// Adds the summary rows of an earlier process to the counts.
    pub fn count_rows(&mut self) {
        let wrong = |note: &str| note.starts_with(WRONG) || note.starts_with(FAILED);
        for row in self.summary.iter().filter(|row| is_whole(&row.stage)) {
            self.measured += usize::from(row.valid == YesNo::Yes);
            self.wrong += usize::from(row.valid == YesNo::No && wrong(&row.note));
        }
    }

    /// Time spent in total, including earlier processes of a resumed run.
    pub fn whole_effort(&self, samples: &[SampleRow]) -> Effort {
        let mut effort = self.earlier_effort;
        effort.add(&self.effort);
        let timed = samples.iter().filter(|row| is_whole(&row.stage));
        effort.timed_s = timed.map(|row| row.seconds).sum();
        effort
    }

    /// Exit code for scripts.
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

impl From<Run> for RunResult {
    /// Result of a run that was measured earlier.
    fn from(run: Run) -> Self {
        let mut outcome = RunResult {
            folder: run.folder,
            samples: run.samples,
            summary: run.summary,
            record: run.record,
            ..RunResult::default()
        };
        outcome.count_rows();
        outcome
    }
}

impl<'a> Job<'a> {
    /// Pairs requests with their plans.
    pub fn pair(requests: &'a [MeasureRequest], plans: &'a [Plan]) -> Vec<Self> {
        let both = requests.iter().zip(plans);
        both.map(|(request, plan)| Job { request, plan }).collect()
    }
}

impl<'a> RunSpec<'a> {
    /// Specification of a run of a single task.
    pub fn for_task(request: &'a MeasureRequest, plan: &'a Plan) -> Self {
        let folder = || default_folder(request.task.name());
        RunSpec {
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

    /// Returns true if the predicate holds for any of the tasks.
    pub(super) fn any(&self, is_so: fn(&MeasureRequest) -> bool) -> bool {
        self.jobs.iter().any(|job| is_so(job.request))
    }
}

/// Error that ended a run early or prevented its start.
#[expect(missing_docs, reason = "messages say what fields are")]
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Data that can't be generated or read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Threads that can't be started.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// A run folder that can't be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A chart that can't be drawn or written.
    #[error("{source}; what was measured is kept in {kept}")]
    Chart { source: ChartError, kept: String },
    /// A run folder that can't be written any more.
    #[error("{source}; what was measured before is kept in {kept}")]
    StoreInterrupted { source: StoreError, kept: String },
}

impl MeasureError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            MeasureError::Data(error) => error.into(),
            MeasureError::Store(error) => error.into(),
            _ => Exit::Failed,
        }
    }
}
