//! Specification of a run (tasks, folder, budget), default folders, its result, and errors.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use generators_common::DataError;
use reports::charts::{ChartError, Wanted};
use reports::clock::now;
use reports::record::{Effort, RunRecord, SampleRow, SuitePart, SummaryRow, YesNo};
use reports::store::{Run, StoreError};
use tasks::device::TeamError;

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
        for row in self.summary.iter().filter(|row| is_whole(&row.stage)) {
            self.measured += usize::from(row.valid == YesNo::Yes);
            self.wrong += usize::from(row.valid == YesNo::No && row.notes_failure());
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
        let counts = Counts { measured: self.measured, wrong: self.wrong, ..Counts::default() };
        counts.exit(&self.record, self.interrupted)
    }
}

/// Counts of points, which decide on the exit code of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) measured: usize,
    pub(crate) wrong: usize,
    /// Points whose measurement failed, although outputs were right.
    pub(crate) failed: usize,
    /// Points that were asked for by name and could not be measured.
    pub(crate) missing: usize,
}

impl Counts {
    /// Exit code for scripts.
    pub(crate) fn exit(self, record: &RunRecord, interrupted: bool) -> Exit {
        if self.wrong > 0 {
            Exit::WrongOutput
        } else if self.failed > 0 {
            Exit::Failed
        } else if interrupted {
            Exit::Interrupted
        } else if self.measured == 0 || self.missing > 0 || !record.missing_devices.is_empty() {
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
    /// Specification of a new run that starts now, without a time limit, bandwidths, charts and
    /// progress lines.
    pub fn new(command: &'a [String], jobs: Vec<Job<'a>>, out: PathBuf) -> Self {
        RunSpec {
            command,
            jobs,
            out,
            start: Start::New,
            suite: None,
            started: Instant::now(),
            budget: None,
            ceilings: false,
            charts: None,
            kernels: KernelTimes::OfSome,
            slowdown: 0.0,
            quiet: true,
        }
    }

    /// Specification of a run of a single task.
    pub fn for_task(request: &'a MeasureRequest, plan: &'a Plan) -> Self {
        let output = &request.session.output;
        let out = output.out.clone().unwrap_or_else(|| default_folder(request.task.name()));
        RunSpec {
            budget: request.session.budget,
            ceilings: !request.session.profile,
            charts: output.charts_wanted(),
            quiet: output.quiet,
            ..RunSpec::new(&request.command, vec![Job { request, plan }], out)
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

/// Returns `results/20261120T093000Z-sort`, with a number appended if that exists. Creates nothing:
/// the caller must handle that another process creates the folder meanwhile.
pub(crate) fn default_folder(name: &str) -> PathBuf {
    let base = timed(name);
    let free = numbered(&base).find(|path| !path.exists());
    let free = free.unwrap_or(base);
    made_up().insert(free.clone());
    free
}

/// Creates the folder to write to. A name that the user specified is used as it is; a default name
/// may be taken by another run of the same second meanwhile, in which case the next free name is
/// used.
pub(crate) fn claimed(path: &Path) -> Result<PathBuf, StoreError> {
    if !made_up().contains(path) {
        return Ok(path.to_owned());
    }
    claim(path).map_err(|(path, source)| StoreError::Io { path, source })
}

/// The specified folder as it is, or a new default folder.
pub(crate) fn run_folder(out: Option<&Path>, name: &str) -> Result<PathBuf, MeasureError> {
    let Some(out) = out else {
        let created = new_folder(name);
        return Ok(created.map_err(|(path, source)| StoreError::Io { path, source })?);
    };
    Ok(out.to_owned())
}

/// Default names that this process has chosen.
fn made_up() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static MADE_UP: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    MADE_UP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates and returns a new default folder, which no other process uses. An error comes with the
/// path.
pub(crate) fn new_folder(name: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    claim(&timed(name))
}

fn timed(name: &str) -> PathBuf {
    let time = now().replace(['-', ':'], "");
    PathBuf::from(format!("results/{time}-{name}"))
}

/// `base`, `base-2`, `base-3`, …
fn numbered(base: &Path) -> impl Iterator<Item = PathBuf> {
    let name = base.to_string_lossy().into_owned();
    let others = (2..).map(move |number| PathBuf::from(format!("{name}-{number}")));
    std::iter::once(base.to_owned()).chain(others)
}

/// Creates the first folder that does not exist; check and creation are atomic.
fn claim(base: &Path) -> Result<PathBuf, (PathBuf, io::Error)> {
    let parent = files::folder_of(base);
    files::create_folder(parent).map_err(|error| (parent.to_owned(), error))?;
    for folder in numbered(base) {
        match fs::create_dir(&folder).and_then(|()| files::sync_folder(parent)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err((folder, error)),
            Ok(()) => return Ok(folder),
        }
    }
    Err((base.to_owned(), ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use super::*;

    #[test]
    fn concurrent_claims_get_distinct_folders() {
        const COMERS: usize = 8;
        let parent = tempfile::tempdir().expect("a temporary folder");
        let base = parent.path().join("results/now-confirm");
        let folders: BTreeSet<PathBuf> = thread::scope(|scope| {
            let comers: Vec<_> = (0..COMERS).map(|_| scope.spawn(|| claim(&base))).collect();
            let claimed = comers.into_iter().map(|comer| comer.join().expect("no panic"));
            claimed.map(|folder| folder.expect("made")).collect()
        });
        assert_eq!(folders.len(), COMERS);
        assert!(folders.contains(&base) && folders.iter().all(|folder| folder.is_dir()));
    }

    #[test]
    fn default_names_are_unique_and_specified_names_are_kept() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let given = parent.path().join("given");
        fs::create_dir(&given).expect("made");
        assert_eq!(claimed(&given).expect("given"), given);
        let second = parent.path().join("second-sort");
        made_up().insert(second.clone());
        assert_eq!(claimed(&second).expect("free"), second);
        let next = claimed(&second).expect("the next one is free");
        assert_eq!(next, parent.path().join("second-sort-2"));
    }

    #[test]
    fn errors_contain_the_path() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let file = parent.path().join("results");
        fs::write(&file, "").expect("written");
        let (path, _) = claim(&file.join("now")).expect_err("a file is no folder");
        assert_eq!(path, file);
    }
}
