//! A whole request: folder, teams, ceilings, and one input after the other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use algorithms::device::Team;
use algorithms::task::{Case, VariantInfo};
use reports::record::{Bandwidth, RunRecord, SCHEMA_VERSION};
use reports::store::RunFolder;

use super::cache::CacheFlush;
use super::ceilings::measure_bandwidth;
use super::input::{Recorder, Refusal, Rows, measure_input};
use super::rows::Subject;
use super::stopping::Policy;
use crate::cli::{CacheMode, MeasureRequest};
use crate::failure::{Exit, Failure};
use crate::plan::{CandidateSpec, Input, Plan, TeamSpec};
use crate::platform::placement::Placement;
use crate::platform::{self, Interrupt, Topology};
use crate::progress::Progress;

/// A request that is being carried out.
pub struct Session<'a> {
    pub(super) request: &'a MeasureRequest,
    pub(super) plan: &'a Plan,
    infos: Vec<VariantInfo>,
    teams: Vec<TeamState>,
    fingerprint: String,
}

/// A team with what was measured with it.
pub(super) struct TeamState {
    pub(super) team: Team,
    pub(super) flush: Option<CacheFlush>,
    bandwidth: Option<Bandwidth>,
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
    pub(super) fn count(&mut self, refusal: &Refusal) {
        self.wrong += usize::from(matches!(refusal, Refusal::Wrong(_)));
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

impl<'a> Session<'a> {
    /// Measures all that is planned.
    ///
    /// # Errors
    /// If an input can't be made or results can't be written. What was
    /// measured before is on disk.
    pub fn run(
        request: &'a MeasureRequest,
        plan: &'a Plan,
        interrupt: &Interrupt,
    ) -> Result<Outcome, Failure> {
        let topology = Topology::of_this_machine();
        let mut record = describe(request, &topology);
        record.notes.extend(plan.notes.iter().cloned());
        let path = request
            .out
            .clone()
            .unwrap_or_else(|| default_folder(request));
        // Threads that can't be had should leave no empty run behind.
        let started: Result<Vec<_>, _> = plan.teams.iter().map(TeamSpec::start).collect();
        let started = started?;
        let mut folder = RunFolder::create(&path, &record)?;
        let mut progress = Progress::new(request, plan);
        progress.note(&format!("results go to {}", path.display()));
        for note in &record.notes {
            progress.note(note);
        }
        let session = Session::prepare(request, plan, started, &topology, &mut progress);
        record.ceilings = session.ceilings();
        folder.describe(&record)?;
        let measured = session.measure(&mut folder, &mut progress, interrupt);
        progress.end();
        let mut outcome = measured.map_err(|failure| keep(failure, folder.path()))?;
        record.finished = Some(now());
        folder.describe(&record)?;
        outcome.record = Some(record);
        Ok(outcome)
    }

    fn prepare(
        request: &'a MeasureRequest,
        plan: &'a Plan,
        started: Vec<Team>,
        topology: &Topology,
        progress: &mut Progress,
    ) -> Self {
        let cache_bytes = topology.last_level_bytes();
        let mut teams = Vec::new();
        for (spec, team) in plan.teams.iter().zip(started) {
            let (threads, placement) = (spec.threads, &spec.placement);
            progress.stage(&format!(
                "measuring the bandwidth of {threads} threads, {placement}"
            ));
            let cold = request.caches.contains(&CacheMode::Cold);
            teams.push(TeamState {
                flush: cold.then(|| CacheFlush::new(&team, cache_bytes)),
                bandwidth: (!request.profile).then(|| measure_bandwidth(&team, cache_bytes)),
                team,
            });
        }
        Session {
            request,
            plan,
            infos: request.task.variants(),
            teams,
            fingerprint: platform::executable_fingerprint(),
        }
    }

    /// By device, number of threads and placement: `cpu/2`, `cpu/2/cores/close`.
    fn ceilings(&self) -> BTreeMap<String, Bandwidth> {
        let named = |(spec, state): (&TeamSpec, &TeamState)| {
            let name = match &spec.placement {
                Placement::None => format!("cpu/{}", spec.threads),
                placed => {
                    let (places, bind) = (placed.places_name(), placed.bind_name());
                    format!("cpu/{}/{places}/{bind}", spec.threads)
                }
            };
            Some((name, state.bandwidth?))
        };
        self.plan
            .teams
            .iter()
            .zip(&self.teams)
            .filter_map(named)
            .collect()
    }

    fn measure(
        &self,
        folder: &mut RunFolder,
        progress: &mut Progress,
        interrupt: &Interrupt,
    ) -> Result<Outcome, Failure> {
        let mut outcome = Outcome {
            folder: folder.path().to_owned(),
            ..Outcome::default()
        };
        let mut rows = Rows::default();
        let mut clocks = BTreeMap::new();
        for (number, input) in self.plan.inputs.iter().enumerate() {
            if interrupt.asked() {
                break;
            }
            progress.input(number, input);
            let mut recorder = Recorder {
                folder: &mut *folder,
                rows: &mut rows,
                progress: &mut *progress,
                interrupt,
                clocks: &mut clocks,
                subjects: Vec::new(),
                slow_clocks: Vec::new(),
            };
            match input {
                Input::Read { case, .. } => {
                    measure_input(self, case.as_ref(), &mut recorder, &mut outcome)?;
                }
                Input::Generated(params) => {
                    let case = self.request.task.generate(params, self.request.seed)?;
                    measure_input(self, case.as_ref(), &mut recorder, &mut outcome)?;
                }
            }
        }
        outcome.interrupted = interrupt.asked();
        outcome.samples = rows.samples;
        outcome.summary = rows.summary;
        Ok(outcome)
    }

    pub(super) fn subject(&self, spec: &CandidateSpec, case: &dyn Case) -> Subject {
        let info = &self.infos[spec.variant];
        let (name, work) = (self.request.task.name(), case.work());
        let team = &self.plan.teams[spec.team];
        let mut subject = Subject::new(
            name,
            info,
            spec,
            team,
            case.params(),
            work,
            &self.fingerprint,
        );
        let bandwidth = self.team(spec.team).bandwidth;
        subject.copy_bandwidth = bandwidth.map(|bandwidth| bandwidth.copy_bytes_per_s);
        subject
    }

    /// A team by its number in the plan.
    pub(super) fn team(&self, number: usize) -> &TeamState {
        &self.teams[number]
    }

    pub(super) fn policy(&self) -> Policy {
        Policy {
            min_samples: self.request.samples.min,
            max_samples: self.request.samples.max,
            max_time: self.request.max_time,
            precision: self.request.precision,
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

fn describe(request: &MeasureRequest, topology: &Topology) -> RunRecord {
    let machine = platform::machine(topology);
    let environment = platform::environment();
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: request.command.clone(),
        started: now(),
        finished: None,
        seed: request.seed,
        suite: None,
        software: platform::software(),
        machine_key: machine.key(),
        machine,
        notes: platform::oddities(&environment),
        environment,
        ceilings: Default::default(),
    }
}

fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// `results/20261120T093000Z-sort`, with a number behind it if that is taken.
fn default_folder(request: &MeasureRequest) -> PathBuf {
    let time = now().replace(['-', ':'], "");
    let base = format!("results/{time}-{}", request.task.name());
    let numbered = (2..).map(|number| PathBuf::from(format!("{base}-{number}")));
    let mut candidates = std::iter::once(PathBuf::from(&base)).chain(numbered);
    candidates
        .find(|path| !path.exists())
        .unwrap_or_else(|| base.into())
}
