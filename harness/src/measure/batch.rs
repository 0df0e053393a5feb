//! Inputs that are visited in turn, so that the samples of each are spread
//! over more time than an input takes by itself.

use std::time::{Duration, Instant};

use super::input::InputState;
use super::recorder::Recorder;
use super::session::{Job, Outcome, Session};
use super::stopping::Policy;
use crate::failure::Failure;
use crate::plan::Input;

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
    /// Candidates that are not finished.
    left: usize,
}

impl Budget {
    pub(super) fn new(budget: Option<Duration>, candidates: usize) -> Self {
        Budget {
            end: budget.and_then(|budget| Instant::now().checked_add(budget)),
            left: candidates,
        }
    }

    /// What one of the candidates may take: all that are left share alike.
    fn share(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| {
            let left = end.saturating_duration_since(Instant::now());
            left / self.left.max(1) as u32
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
    let share = budget.share();
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
        budget.left = budget.left.saturating_sub(state.input.candidates.len());
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
