//! Trial of a task of programs on its hard inputs: it has to refuse wrong outputs.

use text::Untrusted;

use super::task::{HardInput, ProgramAlgorithm, ProgramInput, ProgramTask};
use crate::algorithm::Mutation;
use crate::algorithm::mutants::choices;
use crate::external::try_on;
use crate::plugin::TaskProblem;

/// Seed of the hard inputs.
const SEED: u64 = 1;

/// Tries a task on all of its hard inputs.
///
/// # Errors
/// The first error that is found.
pub(super) fn check(task: &'static ProgramTask) -> Result<(), TaskProblem> {
    let task = ProgramAlgorithm(task);
    let mut refused = 0;
    for input in &task.0.hard_inputs {
        refused += refused_outputs(task, input)?;
    }
    if refused == 0 { Err(TaskProblem::NothingToRefuse) } else { Ok(()) }
}

/// Returns the number of wrong outputs for an input, all of which are refused.
fn refused_outputs(task: ProgramAlgorithm, hard: &HardInput) -> Result<usize, TaskProblem> {
    let name = || hard.name.clone();
    let failed = |problem: String| TaskProblem::CallFailed {
        input: format!("hard input {}: ", hard.name.quoted()),
        problem,
    };
    let content = task.hard_input(hard, SEED).map_err(failed)?;
    if task.hard_input(hard, SEED).map_err(failed)? != content {
        return Err(TaskProblem::InputVaries { input: name(), array: "bytes" });
    }
    let input = ProgramInput(Ok(content));
    let right = task.right_output(&input).map_err(failed)?;
    let comparison = &task.0.comparison;
    try_on(comparison, &right).map_err(failed)?;
    let compared = |found: &[u8]| comparison.compare(found, &right);
    compared(&right).map_err(|difference| TaskProblem::ReferenceRefused {
        input: name(),
        problem: difference.to_string(),
    })?;
    let again = task.right_output(&input).map_err(failed)?;
    compared(&again).map_err(|difference| TaskProblem::ReferenceVaries {
        input: name(),
        problem: difference.to_string(),
    })?;
    let mut choose = choices(SEED);
    let mut refused = 0;
    for (mutation, mutant) in comparison.mutants(&right, &mut choose) {
        let is_allowed = mutation == Mutation::Swapped && comparison.is_in_any_order();
        if mutant == right || is_allowed {
            continue;
        }
        if compared(&mutant).is_ok() {
            let array = if mutation == Mutation::Swapped { "elements" } else { "rows or bytes" };
            return Err(TaskProblem::AcceptsMutant {
                input: name(),
                array,
                mutation: mutation.words(),
            });
        }
        refused += 1;
    }
    if !right.is_empty() {
        if compared(&[]).is_ok() {
            return Err(TaskProblem::AcceptsNoOp { input: name(), output: "empty" });
        }
        refused += 1;
    }
    Ok(refused)
}
