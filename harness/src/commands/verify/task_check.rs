//! Check of a task itself, on the hard inputs that its variants are checked on: whether its
//! reference and its check distinguish right outputs from wrong ones.

use tasks::task::{Case, Task};

/// Fault of a task: nothing can be said of its variants.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TaskFault {
    /// Nothing to check variants on.
    #[error(
        "it has no hard inputs; return some from Algorithm::hard_inputs, such as an empty one, a \
         single item, equal items and values at their limits"
    )]
    NoHardInputs,
    /// A reference that contradicts the check.
    #[error(
        "{input}: its check refuses the output of its reference: {problem}; correct \
         Algorithm::reference or the check"
    )]
    ReferenceRefused { input: String, problem: String },
    /// A check that accepts an output that nothing was written to.
    #[error(
        "{input}: its check accepts the output of a variant that does nothing; make \
         Algorithm::compare refuse it"
    )]
    AcceptsNoOp { input: String },
    /// A check that overlooks a wrong element.
    #[error(
        "{input}: its check accepts a wrong output of {mutant}; make Algorithm::compare refuse it"
    )]
    AcceptsMutant { input: String, mutant: String },
    /// Hard inputs on which any check is right.
    #[error(
        "its hard inputs have no output that could be wrong; return some from \
         Algorithm::hard_inputs whose output is not empty, and wrong outputs from Output::mutants"
    )]
    NothingToRefuse,
}

/// Checks of a task on its hard inputs, one after the other.
#[derive(Default)]
pub(super) struct TaskCheck {
    inputs: usize,
    refused: usize,
}

impl TaskCheck {
    /// Checks the task on an input.
    pub(super) fn add(&mut self, name: &str, case: &dyn Case, seed: u64) -> Result<(), TaskFault> {
        let input = name.to_owned();
        if let Err(problem) = case.check_reference() {
            return Err(TaskFault::ReferenceRefused { input, problem: problem.to_string() });
        }
        if !case.rejects_no_op() {
            return Err(TaskFault::AcceptsNoOp { input });
        }
        let refused = case.refused_mutants(seed);
        self.refused += refused.map_err(|mutant| TaskFault::AcceptsMutant { input, mutant })?;
        self.inputs += 1;
        Ok(())
    }

    /// Checks that there was something to check.
    pub(super) fn end(&self, task: &dyn Task, seed: u64) -> Result<(), TaskFault> {
        match (self.inputs, self.refused) {
            (0, _) if task.hard_cases(seed).is_empty() => Err(TaskFault::NoHardInputs),
            // Those that were left out may have some.
            (0, _) => Ok(()),
            (_, 0) => Err(TaskFault::NothingToRefuse),
            _ => Ok(()),
        }
    }
}
