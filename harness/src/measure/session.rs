//! A run: folder, teams, ceilings, and one batch of inputs after the other.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reports::record::{Effort, Point, RunRecord, SCHEMA_VERSION, SampleRow, SuitePart, YesNo};
use reports::store::RunFolder;
use reports::units;

use super::batch::Batches;
use super::deadline::Deadline;
use super::folder::{default_folder, now};
use super::gpu::on_gpu::Care;
use super::input::InputState;
use super::recorder::{Recorder, Rows};
use super::rows::{FAILED, WRONG, is_whole};
use super::workplace::Workplace;
use crate::cli::{CacheMode, MeasureRequest};
use crate::failure::{Exit, Failure};
use crate::plan::{Input, Plan, plugin_records};
use crate::platform::{self, Interrupt, Topology, last_level_bytes, plugin_guard};
use crate::progress::Progress;

/// The part of a budget that measuring the bandwidth of memory may take.
const CEILINGS: f64 = 0.05;
/// So many of the points that were left out are named.
const NAMED: usize = 5;
/// How the note of a run begins that was stopped and gone on with.
const WENT_ON: &str = "went on at";

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
    /// A known slowdown of all samples, as a fraction: for self-tests.
    pub slowdown: f64,
    /// No lines on how far it is.
    pub quiet: bool,
}

/// Whether a run begins or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In a new folder.
    New,
    /// In the folder of a run that was stopped.
    Resume,
}

/// An assignment that is being carried out.
pub struct Session<'a> {
    pub(super) assignment: &'a Assignment<'a>,
    workplace: Workplace,
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
    pub summary: Vec<reports::record::SummaryRow>,
    /// The content of `run.json`.
    pub record: Option<RunRecord>,
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
        } else if self.measured == 0 {
            Exit::NothingMeasured
        } else {
            Exit::Success
        }
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
            out: request.out.clone().unwrap_or_else(folder),
            start: Start::New,
            suite: None,
            started: Instant::now(),
            budget: request.budget,
            ceilings: !request.profile,
            slowdown: 0.0,
            quiet: request.quiet,
        }
    }

    fn any(&self, is_so: fn(&MeasureRequest) -> bool) -> bool {
        self.jobs.iter().any(|job| is_so(job.request))
    }
}

impl<'a> Session<'a> {
    /// Measures all that is assigned.
    ///
    /// # Errors
    /// If an input can't be made or results can't be written. What was
    /// measured before is on disk.
    pub fn run(assignment: &'a Assignment<'a>, interrupt: &Interrupt) -> Result<Outcome, Failure> {
        let deadline = Deadline::new(assignment.started, assignment.budget);
        let topology = Topology::of_this_machine();
        // Threads that can't be had should leave no empty run behind.
        let plans = assignment.jobs.iter().map(|job| job.plan);
        let workplace = Workplace::of(plans, care(assignment))?;
        let (mut folder, mut record, mut rows) = open(assignment, &topology)?;
        plugin_guard::keep_results_in(folder.path());
        let mut session = Session {
            assignment,
            workplace,
        };
        let mut progress = Progress::new(assignment);
        progress.note(&format!("results go to {}", folder.path().display()));
        for note in &record.notes {
            progress.note(note);
        }
        let mut outcome = Outcome {
            folder: folder.path().to_owned(),
            summary: rows.summary.clone(),
            ..Outcome::default()
        };
        outcome.count_rows();
        let notes = session.prepare(&topology, &progress, &mut outcome.effort);
        // However often it is stopped: each of them once.
        let new = notes
            .into_iter()
            .filter(|note| !record.notes.contains(note));
        let new: Vec<_> = new.collect();
        record.notes.extend(new);
        record.ceilings.extend(session.workplace.crew.ceilings());
        record.ceilings.extend(session.workplace.fleet.ceilings());
        folder.describe(&record)?;
        let mut recorder = Recorder {
            folder: &mut folder,
            rows: &mut rows,
            progress: &mut progress,
            interrupt,
            deadline,
        };
        let measured = Batches::of(&session).measure(&mut recorder, &mut outcome);
        progress.end();
        measured.map_err(|failure| keep(failure, folder.path()))?;
        outcome.interrupted = interrupt.asked();
        if !outcome.interrupted {
            outcome.left_out = rows.left_out.len();
            record
                .notes
                .extend(left_out(assignment.budget, &rows.left_out));
        }
        outcome.earlier_effort = record.effort.unwrap_or_default();
        outcome.effort.wall_s = assignment.started.elapsed().as_secs_f64();
        record.effort = Some(outcome.whole_effort(&rows.samples));
        // Who was interrupted lacks points: no more finished than if killed.
        record.finished = (!outcome.interrupted).then(now);
        folder.describe(&record)?;
        outcome.samples = rows.samples;
        outcome.summary = rows.summary;
        outcome.record = Some(record);
        Ok(outcome)
    }

    /// Measures what times are related to; returns what can't be known here.
    fn prepare(
        &mut self,
        topology: &Topology,
        progress: &Progress,
        effort: &mut Effort,
    ) -> Vec<String> {
        let start = Instant::now();
        let (cache_bytes, note) = last_level_bytes(topology);
        let cold = |request: &MeasureRequest| request.caches.contains(&CacheMode::Cold);
        let place = &mut self.workplace;
        if self.assignment.any(cold) {
            place.crew.prepare_flushes(cache_bytes);
        }
        let mut notes = place.fleet.notes();
        notes.extend(note);
        if self.assignment.any(|request| request.counters) {
            notes.extend(place.crew.open_counters());
        }
        if self.assignment.ceilings {
            let tell = |text: &str| progress.stage(text);
            let time = self
                .assignment
                .budget
                .map(|budget| budget.mul_f64(CEILINGS));
            place.crew.measure_bandwidths(cache_bytes, time, tell);
            notes.extend(place.fleet.measure_bandwidths(&place.gpus, tell));
        }
        effort.ceilings_s = start.elapsed().as_secs_f64();
        notes
    }

    /// An input before anything is known of it.
    pub(super) fn state(&'a self, job: &'a Job<'a>, input: &'a Input) -> InputState<'a> {
        let state = InputState::new(&self.workplace, job.plan, input, job.request.seed);
        state.slowed_by(self.assignment.slowdown)
    }
}

/// A profiler should see nothing but runs.
fn care(assignment: &Assignment<'_>) -> Care {
    match assignment.any(|request| request.profile) {
        true => Care::None,
        false => Care::Full,
    }
}

/// What a reader should know of points that the time was too short for.
fn left_out(budget: Option<Duration>, points: &[Point]) -> Option<String> {
    let budget = budget.filter(|_| !points.is_empty())?;
    let names: Vec<_> = points.iter().take(NAMED).map(name).collect();
    let more = match points.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "--budget {} was over before the first sample of {} points: {}{more}; what was measured \
         is whole",
        humantime::format_duration(budget),
        points.len(),
        names.join(", ")
    ))
}

fn name(point: &Point) -> String {
    let (task, variant) = (&point.algorithm, &point.variant);
    let params = point.params.to_string().replace(';', " ");
    format!(
        "{task} {variant} ({} on {}, {params})",
        units::counted(point.threads, "thread"),
        point.device
    )
}

/// The folder of the run, new or as it was left.
fn open(
    assignment: &Assignment<'_>,
    topology: &Topology,
) -> Result<(RunFolder, RunRecord, Rows), Failure> {
    let (path, mut rows) = (&assignment.out, Rows::default());
    match assignment.start {
        Start::New => {
            let record = describe(assignment, topology);
            Ok((RunFolder::create(path, &record)?, record, rows))
        }
        Start::Resume => {
            let (folder, run) = RunFolder::resume(path)?;
            let mut record = run.record;
            record.finished = None;
            // However often it is stopped: one note, of the last time.
            record.notes.retain(|note| !note.starts_with(WENT_ON));
            record.notes.push(format!("{WENT_ON} {}", now()));
            rows.samples = run.samples;
            rows.summary = run.summary;
            Ok((folder, record, rows))
        }
    }
}

/// A store that fails in the middle leaves what was measured before.
fn keep(failure: Failure, folder: &Path) -> Failure {
    match failure {
        Failure::Store(source) => Failure::StoreInterrupted {
            source,
            kept: folder.display().to_string(),
        },
        other => other,
    }
}

/// What is known of a run before it begins.
pub(crate) fn describe(assignment: &Assignment<'_>, topology: &Topology) -> RunRecord {
    let machine = platform::machine(topology);
    let environment = platform::environment();
    let mut notes = platform::oddities(&environment);
    let plans = assignment.jobs.iter().map(|job| job.plan);
    notes.extend(plans.clone().flat_map(|plan| plan.notes.iter().cloned()));
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: assignment.command.to_vec(),
        started: now(),
        finished: None,
        seed: assignment.jobs.first().map_or(0, |job| job.request.seed),
        suite: assignment.suite.clone(),
        pair: None,
        software: platform::software(),
        plugins: plugin_records(plans),
        machine_key: machine.key(),
        machine,
        notes,
        environment,
        ceilings: Default::default(),
        effort: None,
    }
}
