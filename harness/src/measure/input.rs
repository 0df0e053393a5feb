//! One input: each candidate is checked on it once, and the right ones are sampled
//! in visits.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use algorithms::algorithm::Work;
use algorithms::device::Place;
use algorithms::device::gpu::DeviceError;
use algorithms::task::{Candidate, Case};
use reports::record::{Effort, SampleRow, SummaryRow};

use super::cases::{Cases, HeldCase};
use super::gpu::memory::{self, FreeBefore};
use super::gpu::on_gpu::Care;
use super::on_device::OnDevice;
use super::recorder::{Recorder, VisitRecorder};
use super::rounds::{self, At, Sampler, Series, Taken, Visitor};
use super::rows::{FAILED, Subject, WRONG};
use super::workplace::Workplace;
use super::{CandidateSampler, Policy, Sample, StopReason};
use crate::duet::protocol::VisitOrder;
use crate::failure::Failure;
use crate::plan::{CandidateSpec, Input, Plan};
use crate::platform::peak_allocation;

/// An input that is being measured.
pub(super) struct InputState<'p> {
    pub(super) input: &'p Input,
    plan: &'p Plan,
    workplace: &'p Workplace,
    /// A known slowdown of all samples, as a fraction.
    slowdown: f64,
    seed: u64,
    /// The data, from when they are made until nobody needs them.
    case: Option<HeldCase<'p>>,
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
    /// Its output is right: it is sampled.
    Right,
    /// It has its row in the summary, or gets none.
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
    /// The time was over before its first sample.
    LeftOut,
}

/// Why a candidate is not timed.
pub(super) struct Refusal {
    pub(super) ending: Ending,
    pub(super) note: String,
}

impl<'p> InputState<'p> {
    pub(super) fn new(
        workplace: &'p Workplace,
        plan: &'p Plan,
        input: &'p Input,
        seed: u64,
    ) -> Self {
        let subject = |spec: &CandidateSpec| workplace.subject(plan, spec, plan.point(input, spec));
        let candidates = input.candidates.len();
        InputState {
            subjects: input.candidates.iter().map(subject).collect(),
            series: (0..candidates).map(|_| Series::default()).collect(),
            phases: vec![Phase::Unchecked; candidates],
            next_round: 0,
            effort: Effort::default(),
            case: None,
            slowdown: 0.0,
            input,
            plan,
            workplace,
            seed,
        }
    }

    /// Makes all samples slower than they are.
    pub(super) fn slowed_by(mut self, slowdown: f64) -> Self {
        self.slowdown = slowdown;
        self
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

    /// The candidates that are sampled.
    pub(super) fn sampled(&self) -> impl Iterator<Item = usize> {
        let right = |&number: &usize| self.phases[number] == Phase::Right;
        (0..self.phases.len()).filter(right)
    }

    /// Makes the input and keeps it; returns how much there is to do.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn hold(&mut self, cases: &Cases) -> Result<Work, Failure> {
        let (case, took) = cases.get(self.plan, self.input, self.seed)?;
        self.effort.generating_s += took.as_secs_f64();
        let work = case.as_dyn().work();
        self.case = Some(case);
        Ok(work)
    }

    /// Frees the input.
    pub(super) fn forget(&mut self) {
        self.case = None;
    }

    /// Checks a candidate on the input that is held; returns its rows if it is not right.
    pub(super) fn check_held(&mut self, number: usize) -> Vec<SummaryRow> {
        let Some(case) = self.case.clone() else {
            return Vec::new();
        };
        match self.check(number, case.as_dyn()) {
            Ok(()) => {
                self.phases[number] = Phase::Right;
                Vec::new()
            }
            Err(Refusal { ending, note }) => {
                self.phases[number] = Phase::Finished(ending);
                vec![self.subjects[number].invalid_row(&note)]
            }
        }
    }

    /// Takes so many samples of a candidate, in fresh buffers; returns their rows, and
    /// those of the candidate if it failed.
    pub(super) fn visit_one(
        &mut self,
        number: usize,
        order: &VisitOrder,
    ) -> (Vec<SampleRow>, Vec<SummaryRow>) {
        let mut rows = Vec::new();
        let Some(case) = self.case.clone() else {
            return (rows, Vec::new());
        };
        case.as_dyn().drop_buffers();
        let sampler = self.sampler(number, case.as_dyn());
        let taken = sampler.map_err(|refusal| refusal.note).and_then(|sampler| {
            let mut sampler = sampler.slowed_by(order.slowdown);
            let failed = |error: DeviceError| format!("{FAILED}{error}");
            if order.warm_up {
                sampler.sample().map_err(failed)?;
            }
            let series = &mut self.series[number];
            series.visits.push(series.seconds.len());
            for sample in 0..order.samples {
                let at = At {
                    candidate: number,
                    round: order.round,
                    number: series.samples.len(),
                    fresh: sample == 0,
                };
                let sample = sampler.sample().map_err(failed)?;
                rows.extend(self.subjects[number].sample_rows(at, &sample));
                if sample.counts() {
                    series.seconds.push(sample.seconds());
                }
                series.samples.push(sample);
            }
            Ok(())
        });
        let failed = taken
            .err()
            .map(|note| self.subjects[number].invalid_row(&note));
        (rows, failed.into_iter().collect())
    }

    /// The rows of all samples of a candidate.
    pub(super) fn summary(&self, number: usize, stopped_by: &str) -> Vec<SummaryRow> {
        self.subjects[number].summary_rows(stopped_by, &self.series[number])
    }

    /// Makes the input and checks every candidate on it, as long as there is time.
    ///
    /// # Errors
    /// If the input can't be made or rows can't be written.
    pub(super) fn make_ready(
        &mut self,
        cases: &Cases,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Failure> {
        let (case, took) = cases.get(self.plan, self.input, self.seed)?;
        self.effort.generating_s += took.as_secs_f64();
        self.case = Some(case.clone());
        let mut longest = Duration::ZERO;
        for number in 0..self.phases.len() {
            if recorder.ends_before(longest) {
                break;
            }
            let start = Instant::now();
            let checked = self.check(number, case.as_dyn());
            longest = longest.max(start.elapsed());
            self.phases[number] = match checked {
                Ok(()) => Phase::Right,
                Err(Refusal { ending, note }) => {
                    recorder.refused(&self.subjects[number], &note)?;
                    Phase::Finished(ending)
                }
            };
        }
        Ok(())
    }

    /// Runs a candidate once, and takes down what that tells of it.
    pub(super) fn check(&mut self, number: usize, case: &dyn Case) -> Result<(), Refusal> {
        let spec = &self.input.candidates[number];
        let place = self.workplace.place(self.plan, spec);
        let place = place.map_err(Refusal::unavailable)?;
        let subject = &mut self.subjects[number];
        subject.describe(case.work(), self.workplace.ceilings(self.plan, spec));
        let candidate = case.prepare(spec.variant, &place);
        let mut candidate = candidate.map_err(Refusal::unavailable)?;
        let start = Instant::now();
        candidate.find_reference();
        let referred = Instant::now();
        self.effort.reference_s += (referred - start).as_secs_f64();
        let checked = check(candidate.as_mut(), &place, subject);
        let is_careful = self.workplace.care == Care::Full;
        let figures = checked.and_then(|()| match is_careful {
            true => Ok(candidate.figures()?),
            false => Ok(Vec::new()),
        });
        self.effort.checking_s += referred.elapsed().as_secs_f64();
        subject.quality.extend(figures?);
        Ok(())
    }

    /// Takes samples of all candidates that need more, in fresh buffers; returns
    /// whether there was time for any.
    ///
    /// # Errors
    /// If samples can't be written.
    pub(super) fn visit(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<bool, Failure> {
        let Some(case) = self.case.clone() else {
            return Ok(false);
        };
        let before = self.samples_taken();
        case.as_dyn().drop_buffers();
        let samplers = self.samplers(case.as_dyn(), policy, recorder)?;
        let mut samplers = samplers.into_iter();
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
        let taken = self.samples_taken() > before;
        self.conclude(policy, recorder)?;
        Ok(taken)
    }

    fn samples_taken(&self) -> usize {
        self.series.iter().map(|series| series.samples.len()).sum()
    }

    /// A sampler for each candidate that needs samples and can give them.
    fn samplers<'a>(
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
            samplers.push(match self.phases[number] {
                Phase::Right => self.sampler_or_row(number, case, policy, recorder)?,
                _ => None,
            });
        }
        self.effort.checking_s += start.elapsed().as_secs_f64();
        Ok(samplers)
    }

    fn sampler_or_row<'a>(
        &mut self,
        number: usize,
        case: &'a dyn Case,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<Option<CandidateSampler<'a>>, Failure>
    where
        'p: 'a,
    {
        let is_first = self.series[number].visits.is_empty();
        let sampler = self.sampler(number, case).and_then(|mut sampler| {
            if is_first {
                let energy = sampler.energy(policy.max_time);
                self.subjects[number].energy_j = energy.map_err(CheckError::from)?;
            }
            Ok(sampler)
        });
        match sampler {
            Ok(sampler) => Ok(Some(sampler)),
            Err(Refusal { ending, note }) => {
                self.phases[number] = Phase::Finished(ending);
                recorder.refused(&self.subjects[number], &note)?;
                Ok(None)
            }
        }
    }

    /// A sampler of a candidate that is right, in buffers of its own.
    pub(super) fn sampler<'a>(
        &self,
        number: usize,
        case: &'a dyn Case,
    ) -> Result<CandidateSampler<'a>, Refusal>
    where
        'p: 'a,
    {
        let spec = &self.input.candidates[number];
        let place = self.workplace.place(self.plan, spec);
        let place = place.map_err(Refusal::unavailable)?;
        let candidate = case.prepare(spec.variant, &place);
        let candidate = candidate.map_err(Refusal::unavailable)?;
        let sampler = self.workplace.sampler(candidate, self.plan, spec, place);
        Ok(sampler.slowed_by(self.slowdown))
    }

    /// Closes the candidates that have enough samples, or get no more; frees the data
    /// once nobody needs them.
    ///
    /// # Errors
    /// If their rows can't be written.
    fn conclude(&mut self, policy: &Policy, recorder: &mut Recorder<'_>) -> Result<(), Failure> {
        for number in 0..self.phases.len() {
            let series = &self.series[number];
            if self.phases[number] != Phase::Right {
                continue;
            }
            if let Some(failure) = &series.failure {
                let note = format!("{FAILED}{failure}");
                recorder.refused(&self.subjects[number], &note)?;
                self.end(number, Ending::Wrong);
            } else if let Some(reason) = policy.stops(series) {
                recorder.finished(&self.subjects[number], reason, series)?;
                self.end(number, Ending::Measured);
            }
        }
        Ok(())
    }

    /// Closes all candidates: there is no more time, or the user asked for an end.
    ///
    /// # Errors
    /// If their rows can't be written.
    pub(super) fn close(&mut self, recorder: &mut Recorder<'_>) -> Result<(), Failure> {
        let interrupted = recorder.interrupt.asked();
        let reason = match interrupted {
            true => StopReason::Interrupt,
            false => StopReason::Time,
        };
        for number in 0..self.phases.len() {
            if matches!(self.phases[number], Phase::Finished(_)) {
                continue;
            }
            let (subject, series) = (&self.subjects[number], &self.series[number]);
            let has_row =
                !series.samples.is_empty() || (interrupted && self.phases[number] == Phase::Right);
            if has_row {
                recorder.finished(subject, reason, series)?;
                self.end(number, Ending::Measured);
            } else {
                recorder.left_out(subject);
                self.end(number, Ending::LeftOut);
            }
        }
        Ok(())
    }

    fn end(&mut self, number: usize, ending: Ending) {
        let series = &self.series[number];
        self.effort.warming_s += series.warming.as_secs_f64();
        let sampling = series.spent.saturating_sub(series.warming);
        self.effort.sampling_s += sampling.as_secs_f64();
        self.phases[number] = Phase::Finished(ending);
        if self.is_finished() {
            self.case = None;
        }
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
