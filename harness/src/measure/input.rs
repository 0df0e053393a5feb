//! One input: each candidate is checked on it, and the right ones are sampled
//! in visits.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use algorithms::device::gpu::DeviceError;
use algorithms::device::{Device, Place};
use algorithms::task::{Candidate, Case};
use reports::record::Effort;

use super::crew::{Crew, TeamState};
use super::gpu::fleet::Fleet;
use super::gpu::memory::{self, FreeBefore};
use super::gpu::on_gpu::{Care, OnGpu};
use super::on_device::{Ceilings, OnDevice};
use super::recorder::{Recorder, VisitRecorder};
use super::rounds::{self, Series, Visitor};
use super::rows::{FAILED, Subject, WRONG};
use super::session::Session;
use super::{CandidateSampler, Policy, Sample, StopReason};
use crate::cli::CacheMode;
use crate::failure::Failure;
use crate::gpus::Gpus;
use crate::plan::{CandidateSpec, Input, Origin, Plan};
use crate::platform::peak_allocation;

/// An input that is being measured.
pub(super) struct InputState<'p> {
    pub(super) input: &'p Input,
    plan: &'p Plan,
    crew: &'p Crew,
    gpus: &'p Gpus,
    fleet: &'p Fleet,
    care: Care,
    slowdown: f64,
    seed: u64,
    subjects: Vec<Subject>,
    series: Vec<Series<Sample>>,
    phases: Vec<Phase>,
    next_round: usize,
    pub(super) effort: Effort,
}

/// How far a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its output was not checked yet.
    Unchecked,
    /// It is being sampled.
    Sampled,
    /// It has its row in the summary.
    Finished(Ending),
}

/// How a candidate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With times.
    Measured,
    /// Its output was wrong.
    Wrong,
    /// It can't run here, or not on such an input.
    Unavailable,
}

/// Why a candidate is not timed.
struct Refusal {
    ending: Ending,
    note: String,
}

impl<'p> InputState<'p> {
    pub(super) fn new(
        session: &'p Session<'_>,
        plan: &'p Plan,
        input: &'p Input,
        seed: u64,
    ) -> Self {
        let subject = |spec: &CandidateSpec| {
            let point = plan.point(input, spec);
            Subject::new(point, plan.variant(spec), &session.fingerprint)
        };
        let candidates = input.candidates.len();
        InputState {
            subjects: input.candidates.iter().map(subject).collect(),
            series: (0..candidates).map(|_| Series::default()).collect(),
            phases: vec![Phase::Unchecked; candidates],
            next_round: 0,
            effort: Effort::default(),
            input,
            plan,
            crew: &session.crew,
            gpus: &session.gpus,
            fleet: &session.fleet,
            care: session.care(),
            slowdown: session.assignment.slowdown,
            seed,
        }
    }

    /// How the candidates ended that did.
    pub(super) fn endings(&self) -> impl Iterator<Item = Ending> {
        self.phases.iter().filter_map(|phase| match phase {
            Phase::Finished(ending) => Some(*ending),
            _ => None,
        })
    }

    /// Whether all candidates have what they need.
    pub(super) fn is_finished(&self) -> bool {
        self.endings().count() == self.phases.len()
    }

    /// Makes the input anew and takes samples of all candidates that need more.
    ///
    /// # Errors
    /// If the input can't be made or samples can't be written.
    pub(super) fn visit(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        let made;
        let case = match &self.input.origin {
            Origin::Read { case, .. } => {
                case.drop_buffers();
                case.as_ref()
            }
            Origin::Generated(params) => {
                made = self.plan.task().generate(params, self.seed)?;
                made.as_ref()
            }
        };
        self.effort.generating_s += start.elapsed().as_secs_f64();
        self.sample(case, policy, recorder)?;
        self.conclude(policy, recorder)
    }

    fn sample(
        &mut self,
        case: &dyn Case,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Failure> {
        let ready = self.ready(case, policy, recorder)?;
        let mut samplers = ready.into_iter();
        let series = self.series.iter_mut().enumerate();
        let visitors = series.filter_map(|(number, series)| {
            let sampler = samplers.next().flatten()?;
            Some(Visitor::new(number, sampler, series))
        });
        let mut observer = VisitRecorder {
            recorder,
            subjects: &self.subjects,
        };
        let from = (self.next_round, self.seed);
        self.next_round = rounds::visit(visitors.collect(), policy, from, &mut observer)?;
        Ok(())
    }

    /// A sampler for each candidate that needs samples and can give them.
    fn ready<'a>(
        &mut self,
        case: &'a dyn Case,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Option<CandidateSampler<'a>>>, Failure>
    where
        'p: 'a,
    {
        let start = Instant::now();
        let mut samplers = Vec::new();
        for number in 0..self.phases.len() {
            let wanted = !matches!(self.phases[number], Phase::Finished(_));
            samplers.push(match wanted && !recorder.interrupt.asked() {
                true => self.ready_one(number, case, policy, recorder)?,
                false => None,
            });
        }
        self.effort.checking_s += start.elapsed().as_secs_f64();
        Ok(samplers)
    }

    fn ready_one<'a>(
        &mut self,
        number: usize,
        case: &'a dyn Case,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<Option<CandidateSampler<'a>>, Failure>
    where
        'p: 'a,
    {
        match self.prepare(number, case, policy) {
            Ok(sampler) => {
                self.phases[number] = Phase::Sampled;
                Ok(Some(sampler))
            }
            Err(Refusal { ending, note }) => {
                self.phases[number] = Phase::Finished(ending);
                recorder.refused(&self.subjects[number], &note)?;
                Ok(None)
            }
        }
    }

    /// Gets a candidate ready; in its first visit it is checked.
    fn prepare<'a>(
        &mut self,
        number: usize,
        case: &'a dyn Case,
        policy: &Policy,
    ) -> Result<CandidateSampler<'a>, Refusal>
    where
        'p: 'a,
    {
        let spec = &self.input.candidates[number];
        let team_spec = &self.plan.teams[spec.team];
        let team = self.crew.get(team_spec);
        let place = self.gpus.place(spec.device, &team.team);
        let place = place.map_err(Refusal::unavailable)?;
        let first = self.phases[number] == Phase::Unchecked;
        let subject = &mut self.subjects[number];
        if first {
            let ceilings = ceilings(spec, team, self.fleet);
            subject.describe(case.work(), ceilings);
        }
        let mut candidate = case
            .prepare(spec.variant, &place)
            .map_err(Refusal::unavailable)?;
        if first {
            check(candidate.as_mut(), &place, subject)?;
        }
        if first && self.care == Care::Full {
            let figures = candidate.figures();
            subject.quality.extend(figures.map_err(CheckError::from)?);
        }
        let mut sampler = CandidateSampler::new(candidate, &team.team)
            .in_places(team_spec)
            .noticing(&team.usual)
            .slowed_by(self.slowdown);
        if let (CacheMode::Cold, Some(flush)) = (spec.cache, &team.flush) {
            sampler = sampler.flushing(flush);
        }
        if let (Some(gpu), Some(state)) = (place.gpu, self.fleet.get(spec.device)) {
            let (watch, care) = (&state.watch, self.care);
            sampler = sampler.on_gpu(OnGpu { gpu, watch, care });
        }
        if first {
            let energy = sampler.energy(policy.max_time);
            subject.energy_j = energy.map_err(CheckError::from)?;
        }
        Ok(sampler)
    }

    /// Closes the candidates that have enough samples, or get no more.
    ///
    /// # Errors
    /// If their rows can't be written.
    pub(super) fn conclude(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Failure> {
        let interrupted = recorder.interrupt.asked();
        for number in 0..self.phases.len() {
            if self.phases[number] != Phase::Sampled {
                continue;
            }
            let series = &self.series[number];
            if let Some(failure) = &series.failure {
                let note = format!("{FAILED}{failure}");
                recorder.refused(&self.subjects[number], &note)?;
                self.phases[number] = Phase::Finished(Ending::Wrong);
                continue;
            }
            let reason = match interrupted {
                true => Some(StopReason::Interrupt),
                false => policy.stops(series),
            };
            if let Some(reason) = reason {
                recorder.finished(&self.subjects[number], reason, series)?;
                self.phases[number] = Phase::Finished(Ending::Measured);
                self.effort.sampling_s += series.spent.as_secs_f64();
                self.effort.timed_s += series.seconds.iter().sum::<f64>();
            }
        }
        Ok(())
    }
}

impl Refusal {
    fn unavailable(reason: impl ToString) -> Self {
        Refusal {
            ending: Ending::Unavailable,
            note: format!("not run: {}", reason.to_string()),
        }
    }
}

impl From<CheckError> for Refusal {
    fn from(error: CheckError) -> Self {
        let (ending, note) = match error {
            CheckError::Wrong(problem) => (Ending::Wrong, format!("{WRONG}{problem}")),
            CheckError::Device(
                error @ (DeviceError::Kernel { .. } | DeviceError::Plugin { .. }),
            ) => (Ending::Wrong, format!("{FAILED}{error}")),
            CheckError::Device(error) => return Refusal::unavailable(error),
        };
        Refusal { ending, note }
    }
}

/// What the device of a candidate can do at most, as far as it is known.
fn ceilings(spec: &CandidateSpec, team: &TeamState, fleet: &Fleet) -> Ceilings {
    let bandwidth = match spec.device {
        Device::Cpu => team.bandwidth,
        device => fleet.get(device).and_then(|state| state.bandwidth),
    };
    Ceilings {
        backend: spec.device.backend(),
        bandwidth,
    }
}

/// Checks a candidate, and takes down what its run tells of it.
fn check(
    candidate: &mut dyn Candidate,
    place: &Place<'_>,
    subject: &mut Subject,
) -> Result<(), CheckError> {
    let free = place.gpu.as_deref().map(FreeBefore::look);
    let allocated = check_candidate(candidate, place)?;
    subject.memory_bytes = candidate.buffer_bytes() + allocated;
    subject.remarks = candidate.remarks();
    subject.quality = candidate.quality();
    if let Some(work) = candidate.sample() {
        subject.does_a_sample(work);
    }
    let Some(gpu) = place.gpu.as_deref() else {
        return Ok(());
    };
    let taken = free.and_then(|free| free.taken(gpu));
    let counted = candidate.buffer_bytes();
    subject.on_device = OnDevice {
        // Who can't be asked leaves the columns empty.
        kernels: gpu.kernels().unwrap_or_default(),
        properties: Some(gpu.properties().clone()),
        taken_bytes: taken,
        note: taken.and_then(|taken| memory::disagreement(taken, counted)),
    };
    Ok(())
}

/// Why a candidate is not right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// Its output is not, or it panicked.
    #[error("{0}")]
    Wrong(String),
    /// The device can't run it, or a kernel failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Runs a candidate once and checks its output; returns the most bytes that it
/// allocated while running. A candidate that panics is wrong.
///
/// # Errors
/// What is wrong.
pub fn check_candidate(
    candidate: &mut dyn Candidate,
    place: &Place<'_>,
) -> Result<u64, CheckError> {
    let run = AssertUnwindSafe(|| run_and_check(candidate, place));
    let result = catch_unwind(run).unwrap_or_else(|panic| {
        let problem = format!("panicked: {}", message(&*panic));
        Err(CheckError::Wrong(problem))
    });
    candidate.release();
    result
}

fn run_and_check(candidate: &mut dyn Candidate, place: &Place<'_>) -> Result<u64, CheckError> {
    place.team.run(|| {
        candidate.reset()?;
        candidate.poison()
    })?;
    let (ran, allocated) = peak_allocation(|| place.team.run(|| candidate.run()));
    ran?;
    let checked = candidate.check();
    checked.map_err(|mismatch| CheckError::Wrong(mismatch.to_string()))?;
    Ok(allocated)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied())
        .unwrap_or("without a message")
}
