//! Groups of inputs whose samples are interleaved, so that the samples of each input are spread
//! over more time than one input takes.
//!
//! All inputs of a group are generated and checked first, and kept until their candidates have
//! enough samples. Group size is limited by time and memory. If the run has a time limit,
//! generating and checking may take only part of it before sampling starts.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use generators_common::DataError;
use reports::store::StoreError;
use tasks::task::Case;

use super::MeasureError;
use super::bandwidths::Bandwidths;
use super::checking::CandidateOutcome;
use super::deadline::share;
use super::input::InputState;
use super::recorder::Recorder;
use super::resources::Resources;
use super::run_spec::{Job, RunResult, RunSpec};
use super::stopping::Policy;
use crate::plan::{Input, Origin, Plan};
use crate::platform::available_memory;

/// Time limit of a group: all of its inputs should be finished within this time.
const GROUP_TIME: Duration = Duration::from_secs(180);
/// Share of the available memory for the inputs of a group.
const MEMORY: f64 = 0.5;
/// Share of a group's time for generating and checking, if the run has a time limit.
const MAKING_READY: f64 = 0.5;

/// An input with its job.
type Planned<'a> = (&'a Job<'a>, &'a Input);

/// A checked input with its job.
type Ready<'a> = (&'a Job<'a>, InputState<'a>);

/// Remaining inputs, and statistics of the time that inputs take.
pub(super) struct InputGroups<'a> {
    run_spec: &'a RunSpec<'a>,
    resources: &'a Resources,
    left: VecDeque<Planned<'a>>,
    /// Bandwidths that are still to be measured.
    bandwidths: Option<Bandwidths>,
    /// Bytes of the inputs prepared so far, and seconds spent on them.
    made: (u64, f64),
}

impl<'a> InputGroups<'a> {
    /// Collects the inputs of all jobs; inputs with the same data are adjacent.
    pub(super) fn new(
        run_spec: &'a RunSpec<'a>,
        resources: &'a Resources,
        bandwidths: Option<Bandwidths>,
    ) -> Self {
        let jobs = run_spec.jobs.iter();
        let inputs = jobs.flat_map(|job| job.plan.inputs.iter().map(move |input| (job, input)));
        let mut left: Vec<Planned<'a>> = Vec::new();
        for planned in inputs {
            let same = left.iter().rposition(|earlier| is_same(earlier, &planned));
            left.insert(same.map_or(left.len(), |at| at + 1), planned);
        }
        InputGroups { run_spec, resources, left: left.into(), bandwidths, made: (0, 0.0) }
    }

    /// Measures group after group until all inputs are done or time runs out.
    pub(super) fn measure(
        mut self,
        recorder: &mut Recorder<'_>,
        outcome: &mut RunResult,
    ) -> Result<(), MeasureError> {
        while !self.left.is_empty() && !recorder.ends_before(Duration::ZERO) {
            let slots = input_slots(self.left.len());
            let mut group = Vec::new();
            let ready = self.make_ready(&slots, &mut group, recorder);
            let measured = ready.and_then(|()| self.sample(&mut group, recorder));
            for (_, state) in &mut group {
                // Inputs that were sampled get their rows even if an error occurred.
                let closed = state.close(recorder);
                outcome.count(state);
                closed?;
            }
            measured?;
        }
        // Inputs that ran out of time. After an interrupt no note is needed.
        for (job, input) in std::mem::take(&mut self.left) {
            let mut state = self.state(job, input);
            state.close(recorder)?;
            outcome.count(&state);
        }
        Ok(())
    }

    /// State of an input that is not generated yet.
    fn state(&self, job: &'a Job<'a>, input: &'a Input) -> InputState<'a> {
        let mut state = InputState::new(self.resources, job.plan, input, job.request.settings.seed);
        state.slowdown = self.run_spec.slowdown;
        state
    }

    fn make_ready<'b>(
        &mut self,
        slots: &'b [InputSlot],
        group: &mut Vec<Ready<'b>>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), MeasureError>
    where
        'a: 'b,
    {
        let start = Instant::now();
        let left = recorder.deadline.left();
        let mut planned = Duration::ZERO;
        let mut bytes = 0_u64;
        let memory = (MEMORY * available_memory() as f64) as u64;
        let planned_points = self.left.iter().map(|(_, input)| input.candidates.len());
        let all = planned_points.sum::<usize>();
        let mut points = 0;
        for slot in slots {
            let Some(&(job, input)) = self.left.front() else {
                break;
            };
            planned = planned.saturating_add(max_sampling_time(job, input));
            bytes = bytes.saturating_add(input.memory_bytes);
            let is_full = planned > GROUP_TIME || bytes > memory;
            let is_late = left.is_some_and(|left| {
                let part = points as f64 / all as f64;
                start.elapsed() > left.mul_f64(MAKING_READY * part)
            });
            if !group.is_empty() && (is_full || is_late) || recorder.ends_before(Duration::ZERO) {
                break;
            }
            self.left.pop_front();
            recorder.progress.input(input);
            let begin = Instant::now();
            let is_known = |(other_job, state): &&Ready<'b>| {
                is_same(&(*other_job, state.input), &(job, input))
            };
            let known = group.iter().find(is_known);
            let (case, took) = match known.and_then(|(_, state)| state.case) {
                Some(case) => (case, Duration::ZERO),
                None => make_case(slot, job.plan, input, job.request.settings.seed)?,
            };
            let mut state = self.state(job, input);
            state.set_case(case, took);
            group.push((job, state));
            if let Some((job, state)) = group.last_mut() {
                state.check_all(case, recorder)?;
                // The first block of samples is taken immediately, so that results exist even if
                // the next input fails.
                if recorder.deadline.left().is_none() {
                    self.sample_block(state, &policy(job, Duration::MAX), recorder)?;
                }
            }
            self.made.0 += input.memory_bytes;
            self.made.1 += begin.elapsed().as_secs_f64();
            points += input.candidates.len();
        }
        Ok(())
    }

    /// Interleaves the inputs of a group until all their candidates have enough samples.
    fn sample(
        &mut self,
        group: &mut [Ready<'_>],
        recorder: &mut Recorder<'_>,
    ) -> Result<(), MeasureError> {
        let share = self.share(group, recorder);
        let is_unfinished = |(_, state): &Ready<'_>| !state.is_finished();
        while group.iter().any(is_unfinished) && !recorder.ends_before(Duration::ZERO) {
            let mut sampled = false;
            for (job, state) in group.iter_mut().filter(|ready| is_unfinished(ready)) {
                if !recorder.ends_before(Duration::ZERO) {
                    sampled |= self.sample_block(state, &policy(job, share), recorder)?;
                }
            }
            // No candidate has samples short enough for the remaining time.
            if !sampled {
                break;
            }
        }
        Ok(())
    }

    /// Takes a block of samples of an input, and finishes points that have enough; returns true if
    /// there was time for any. After the first block the bandwidths are measured.
    fn sample_block(
        &mut self,
        state: &mut InputState<'_>,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<bool, StoreError> {
        let sampled = state.sample_block(policy, recorder)?;
        if sampled && self.bandwidths.is_some() && recorder.interrupt.asked() {
            // Rows without bandwidths are those of interrupted points, which a resumed run measures
            // again.
            return Ok(true);
        }
        if let Some(bandwidths) = self.bandwidths.take_if(|_| sampled) {
            let start = Instant::now();
            state.release_memory();
            bandwidths.measure(self.resources, recorder)?;
            state.effort.ceilings_s += start.elapsed().as_secs_f64();
        }
        state.conclude(policy, recorder)?;
        Ok(sampled)
    }

    /// Time limit of one point of a group if the run has a time limit: the remaining points share
    /// equally what preparing the remaining inputs is expected to leave.
    fn share(&self, group: &[Ready<'_>], recorder: &Recorder<'_>) -> Duration {
        let Some(left) = recorder.deadline.left() else {
            return Duration::MAX;
        };
        let points =
            |job: &Job<'_>, count| std::iter::repeat_n(job.request.settings.max_time, count);
        let of_group = group.iter().flat_map(|(job, state)| points(job, state.sampled()));
        let later = self.left.iter().flat_map(|(job, input)| points(job, input.candidates.len()));
        let later_bytes: u64 = self.left.iter().map(|(_, input)| input.memory_bytes).sum();
        let (bytes, seconds) = self.made;
        let making = seconds * later_bytes as f64 / bytes.max(1) as f64;
        let making = Duration::try_from_secs_f64(making).unwrap_or(Duration::MAX);
        share(of_group.chain(later).collect(), left.saturating_sub(making))
    }
}

impl RunResult {
    fn count(&mut self, state: &InputState<'_>) {
        for outcome in state.outcomes() {
            self.measured += usize::from(outcome == CandidateOutcome::Measured);
            self.wrong += usize::from(outcome == CandidateOutcome::Wrong);
        }
        self.effort.add(&state.effort);
    }
}

/// Returns true if two inputs have the same data.
fn is_same((job, input): &Planned<'_>, (other_job, other): &Planned<'_>) -> bool {
    let is_generated = |input: &Input| matches!(input.origin, Origin::Generated(_));
    let identity = |job: &Job<'_>| (job.plan.task().name(), job.request.settings.seed);
    is_generated(input)
        && is_generated(other)
        && identity(job) == identity(other_job)
        && input.params() == other.params()
}

/// Maximum time for sampling an input.
fn max_sampling_time(job: &Job<'_>, input: &Input) -> Duration {
    let candidates = u32::try_from(input.candidates.len()).unwrap_or(u32::MAX);
    job.request.settings.max_time.saturating_mul(candidates)
}

fn policy(job: &Job<'_>, share: Duration) -> Policy {
    let settings = &job.request.settings;
    let samples = settings.samples.unwrap_or_default();
    Policy {
        min_samples: samples.min,
        min_is_given: settings.samples.is_some(),
        max_samples: samples.max,
        max_time: settings.max_time.min(share),
        precision: settings.precision,
    }
}

/// Slot for an input. Candidates stay ready on it while it is filled.
pub(crate) type InputSlot = OnceCell<Box<dyn Case>>;

/// Creates `count` empty slots.
pub(crate) fn input_slots(count: usize) -> Vec<InputSlot> {
    (0..count).map(|_| InputSlot::new()).collect()
}

/// Generates an input, unless it was read from a file; returns the input and the time taken.
pub(crate) fn make_case<'c>(
    slot: &'c InputSlot,
    plan: &Plan,
    input: &'c Input,
    seed: u64,
) -> Result<(&'c dyn Case, Duration), DataError> {
    let params = match &input.origin {
        Origin::Read { case, .. } => return Ok((case.as_ref(), Duration::ZERO)),
        Origin::Generated(params) => params,
    };
    let start = Instant::now();
    let case = plan.task().generate(params, seed)?;
    Ok((slot.get_or_init(|| case).as_ref(), start.elapsed()))
}
