//! A run: folder, teams, ceilings, and one batch of inputs after the other.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use algorithms::device::Device;
use reports::record::{Effort, RunRecord, SCHEMA_VERSION, SuitePart, YesNo};
use reports::store::RunFolder;

use super::batch::{self, Budget};
use super::crew::Crew;
use super::folder::{default_folder, now};
use super::gpu::fleet::Fleet;
use super::gpu::on_gpu::Care;
use super::input::{Ending, InputState};
use super::recorder::{Recorder, Rows};
use super::rows::{FAILED, WRONG, is_whole};
use crate::cli::{CacheMode, MeasureRequest};
use crate::failure::{Exit, Failure};
use crate::gpus::Gpus;
use crate::plan::Plan;
use crate::platform::{self, Interrupt, Topology, last_level_bytes};
use crate::plugins::{self, guard};
use crate::progress::Progress;

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
    /// Wall-clock time for all points together.
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
    pub(super) crew: Crew,
    pub(super) gpus: Gpus,
    pub(super) fleet: Fleet,
    pub(super) fingerprint: String,
}

/// What came of a request.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Candidates that were timed.
    pub measured: usize,
    /// Candidates whose output was wrong.
    pub wrong: usize,
    /// Whether the user asked for an end.
    pub interrupted: bool,
    /// Where the time went.
    pub effort: Effort,
    /// Where the results are.
    pub folder: PathBuf,
    /// The rows of `samples.csv`.
    pub samples: Vec<reports::record::SampleRow>,
    /// The rows of `summary.csv`.
    pub summary: Vec<reports::record::SummaryRow>,
    /// The content of `run.json`.
    pub record: Option<RunRecord>,
}

impl Outcome {
    pub(super) fn count(&mut self, state: &InputState<'_>) {
        for ending in state.endings() {
            self.measured += usize::from(ending == Ending::Measured);
            self.wrong += usize::from(ending == Ending::Wrong);
        }
        self.effort.add(&state.effort);
    }

    /// Counts the rows of the summary, which were not measured just now.
    pub fn count_rows(&mut self) {
        let wrong = |note: &str| note.starts_with(WRONG) || note.starts_with(FAILED);
        for row in self.summary.iter().filter(|row| is_whole(&row.stage)) {
            self.measured += usize::from(row.valid == YesNo::Yes);
            self.wrong += usize::from(row.valid == YesNo::No && wrong(&row.note));
        }
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
            budget: None,
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
        let start = Instant::now();
        let topology = Topology::of_this_machine();
        // Threads that can't be had should leave no empty run behind.
        let specs = assignment.jobs.iter().flat_map(|job| &job.plan.teams);
        let crew = Crew::start(specs)?;
        let (mut folder, mut record, mut rows) = open(assignment, &topology)?;
        guard::keep_results_in(folder.path());
        let mut session = Session {
            assignment,
            crew,
            gpus: Gpus::default(),
            fleet: Fleet::of(devices(assignment)),
            fingerprint: platform::executable_fingerprint(),
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
        record.ceilings.extend(session.crew.ceilings());
        record.ceilings.extend(session.fleet.ceilings());
        folder.describe(&record)?;
        let mut recorder = Recorder {
            folder: &mut folder,
            rows: &mut rows,
            progress: &mut progress,
            interrupt,
        };
        let measured = session.measure(&mut recorder, &mut outcome);
        progress.end();
        measured.map_err(|failure| keep(failure, folder.path()))?;
        outcome.interrupted = interrupt.asked();
        outcome.effort.wall_s = start.elapsed().as_secs_f64();
        let mut effort = record.effort.unwrap_or_default();
        effort.add(&outcome.effort);
        record.effort = Some(effort);
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
        if self.assignment.any(cold) {
            self.crew.prepare_flushes(cache_bytes);
        }
        let mut notes = self.fleet.notes();
        notes.extend(note);
        if self.assignment.ceilings {
            let tell = |text: &str| progress.stage(text);
            self.crew.measure_bandwidths(cache_bytes, tell);
            notes.extend(self.fleet.measure_bandwidths(&self.gpus, tell));
        }
        effort.ceilings_s = start.elapsed().as_secs_f64();
        notes
    }

    /// A profiler should see nothing but runs.
    pub(super) fn care(&self) -> Care {
        match self.assignment.any(|request| request.profile) {
            true => Care::None,
            false => Care::Full,
        }
    }

    fn measure(&self, recorder: &mut Recorder<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
        let batches = batch::batches(&self.assignment.jobs);
        let mut budget = Budget::new(self.assignment.budget, &batches);
        for batch in batches {
            if recorder.interrupt.asked() {
                break;
            }
            batch::measure(&batch, self, &mut budget, recorder, outcome)?;
        }
        Ok(())
    }
}

/// The devices of all candidates.
fn devices<'a>(assignment: &'a Assignment<'_>) -> impl Iterator<Item = Device> + use<'a> {
    let inputs = assignment.jobs.iter().flat_map(|job| &job.plan.inputs);
    let candidates = inputs.flat_map(|input| &input.candidates);
    candidates.map(|candidate| candidate.device)
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

fn describe(assignment: &Assignment<'_>, topology: &Topology) -> RunRecord {
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
        software: platform::software(),
        plugins: plugins::records(plans),
        machine_key: machine.key(),
        machine,
        notes,
        environment,
        ceilings: Default::default(),
        effort: None,
    }
}
