//! Inputs with their reference results, each generated once and shared.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use algorithms::task::Case;
use generators::DataError;

use crate::plan::{Input, Origin, Plan};

/// Slot for an input. Candidates stay ready on it while it is filled.
pub(crate) type CaseCell = OnceCell<Box<dyn Case>>;

/// Creates `count` empty slots.
pub(crate) fn cells(count: usize) -> Vec<CaseCell> {
    (0..count).map(|_| CaseCell::new()).collect()
}

/// Generates an input, unless it was read from a file; returns the input and the time taken.
pub(crate) fn make<'c>(
    cell: &'c CaseCell,
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
    Ok((cell.get_or_init(|| case).as_ref(), start.elapsed()))
}
