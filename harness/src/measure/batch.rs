//! Inputs that are visited in turn, so that the samples of each are spread
//! over more time than an input takes by itself.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::input::InputState;
use super::recorder::Recorder;
use super::session::{Job, Outcome, Session};
use super::stopping::Policy;
use crate::failure::Failure;
use crate::plan::Input;
use crate::suite::budget::share;

/// The time that a batch may take: beyond it, what is done should be done.
const BATCH_TIME: Duration = Duration::from_secs(180);

/// Consecutive inputs with their jobs.
pub(super) type Batch<'a> = Vec<(&'a Job<'a>, &'a Input)>;

/// All inputs of all jobs in batches that take [`BATCH_TIME`] at most, or
/// consist of a single input.
pub(super) fn batches<'a>(jobs: &'a [Job<'a>]) -> Vec<Batch<'a>> {
    let inputs = |job: &'a Job<'a>| job.plan.inputs.iter().map(move |input| (job, input));
    let mut batches: Vec<Batch<'a>> = Vec::new();
    let mut planned = Duration::ZERO;
    for (job, input) in jobs.iter().flat_map(inputs) {
        let needed = job
            .request
            .max_time
            .saturating_mul(input.candidates.len() as u32);
        planned = planned.saturating_add(needed);
        match batches.last_mut() {
            Some(batch) if planned <= BATCH_TIME => batch.push((job, input)),
            _ => {
                planned = needed;
                batches.push(vec![(job, input)]);
            }
        }
    }
    batches
}

/// The wall-clock time of a session, where it is limited.
pub(super) struct Budget {
    end: Option<Instant>,
    /// What the points of each batch that is left may take by themselves.
    limits: VecDeque<Vec<Duration>>,
}

impl Budget {
    pub(super) fn new(budget: Option<Duration>, batches: &[Batch<'_>]) -> Self {
        let limits =
            |(job, input): &(&Job<'_>, &Input)| vec![job.request.max_time; input.candidates.len()];
        let of_batch = |batch: &Batch<'_>| batch.iter().flat_map(limits).collect();
        Budget {
            end: budget.and_then(|budget| Instant::now().checked_add(budget)),
            limits: batches.iter().map(of_batch).collect(),
        }
    }

    /// The most that a point of the next batch may take: all that are left
    /// share alike.
    fn next_share(&mut self) -> Duration {
        let limits = self.limits.iter().flatten().copied().collect();
        self.limits.pop_front();
        self.end.map_or(Duration::MAX, |end| {
            share(limits, end.saturating_duration_since(Instant::now()))
        })
    }
}

/// Visits the inputs of a batch in turn until all their candidates have enough.
pub(super) fn measure<'p>(
    batch: &[(&Job<'p>, &'p Input)],
    session: &'p Session<'_>,
    budget: &mut Budget,
    recorder: &mut Recorder<'_>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let share = budget.next_share();
    let state = |&(job, input): &(&Job<'p>, &'p Input)| {
        let state = InputState::new(session, job.plan, input, job.request.seed);
        (state, policy(job, share))
    };
    let mut states: Vec<_> = batch.iter().map(state).collect();
    while states.iter().any(|(state, _)| !state.is_finished()) && !recorder.interrupt.asked() {
        for (state, policy) in &mut states {
            if !state.is_finished() && !recorder.interrupt.asked() {
                recorder.progress.input(state.input);
                state.visit(policy, recorder)?;
            }
        }
    }
    for (state, policy) in &mut states {
        state.conclude(policy, recorder)?;
        outcome.count(state);
    }
    Ok(())
}

fn policy(job: &Job<'_>, share: Duration) -> Policy {
    Policy {
        min_samples: job.request.samples.min,
        max_samples: job.request.samples.max,
        max_time: job.request.max_time.min(share),
        precision: job.request.precision,
    }
}
