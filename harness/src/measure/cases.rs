//! Inputs with their reference results, each generated once and shared.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use algorithms::task::Case;
use generators::DataError;

use crate::plan::{Input, Origin, Plan};

/// Slot for an input. Candidates stay ready on it while it is filled.
pub(crate) type InputSlot = OnceCell<Box<dyn Case>>;

/// Creates `count` empty slots.
pub(crate) fn slots(count: usize) -> Vec<InputSlot> {
    (0..count).map(|_| InputSlot::new()).collect()
}

/// Generates an input, unless it was read from a file; returns the input and the time taken.
pub(crate) fn make<'c>(
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
