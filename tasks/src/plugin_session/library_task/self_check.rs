//! Reference and check of a library's task, tried on all of its hard inputs.

use generators_common::random::hash;
use portable_gpu::POISON;
use text::Untrusted;

use super::input::LibraryInput;
use super::judged;
use super::output::LibraryOutput;
use super::task::LibraryTask;
use crate::algorithm::mutants::choices;
use crate::algorithm::{Algorithm, Content, Promise, Semantics};
use crate::axis::Params;
use crate::plugin::TaskProblem;

/// Seed of the hard inputs.
const SEED: u64 = 1;

/// Tries a task on all of its hard inputs.
pub(super) fn check(task: LibraryTask) -> Result<(), TaskProblem> {
    let plan = task.plan(Params::default()).map_err(|error| failed("", error.to_string()));
    plan?;
    let mut refused = 0;
    for (index, name) in task.loaded().hard_inputs.iter().enumerate() {
        refused += HardInput::new(task, index, name)?.check()?;
    }
    if refused == 0 { Err(TaskProblem::NothingToRefuse) } else { Ok(()) }
}

fn failed(input: &str, problem: String) -> TaskProblem {
    let input =
        if input.is_empty() { String::new() } else { format!("hard input {}: ", input.quoted()) };
    TaskProblem::CallFailed { input, problem }
}

/// A hard input with its right output.
struct HardInput {
    task: LibraryTask,
    name: &'static str,
    input: LibraryInput,
    right: LibraryOutput,
    seed: u64,
}

impl HardInput {
    fn new(task: LibraryTask, index: usize, name: &'static str) -> Result<Self, TaskProblem> {
        let make = || {
            let input = task.hard_input(index, SEED);
            input.map_err(|error| failed(name, error.to_string()))
        };
        let input = make()?;
        let again = make()?;
        if let Some(array) = first_different_array(task, &input, &again) {
            return Err(TaskProblem::InputVaries { input: name.to_owned(), array });
        }
        let right = judged::reference(task.loaded(), &input);
        let right = right.map_err(|error| failed(name, error.to_string()))?;
        Ok(HardInput { task, name, input, right, seed: hash(SEED, [index as u64]) })
    }

    /// Returns the number of wrong outputs that the check refuses: all.
    fn check(&self) -> Result<usize, TaskProblem> {
        let input = self.name.to_owned();
        let accepted = judged::check(self.task.loaded(), &self.input, &self.right, &self.right);
        accepted.map_err(|error| TaskProblem::ReferenceRefused {
            input: input.clone(),
            problem: error.to_string(),
        })?;
        let again = judged::reference(self.task.loaded(), &self.input);
        let again = again.map_err(|error| failed(self.name, error.to_string()))?;
        again.difference(&self.right).map_err(|difference| TaskProblem::ReferenceVaries {
            input,
            problem: difference.to_string(),
        })?;
        Ok(self.refused_no_ops()? + self.refused_mutants()?)
    }

    fn refused_no_ops(&self) -> Result<usize, TaskProblem> {
        let specs = &self.task.loaded().outputs;
        let capacities = &self.input.capacities;
        let outputs = [
            ("empty", LibraryOutput::filled(specs, &vec![0; specs.len()], 0)),
            ("zeros", LibraryOutput::filled(specs, capacities, 0)),
            ("the bytes before it ran", LibraryOutput::filled(specs, capacities, POISON)),
        ];
        let mut refused = 0;
        for (output, wrong) in outputs {
            if wrong == self.right {
                continue;
            }
            if self.accepts(&wrong) {
                return Err(TaskProblem::AcceptsNoOp { input: self.name.to_owned(), output });
            }
            refused += 1;
        }
        Ok(refused)
    }

    fn refused_mutants(&self) -> Result<usize, TaskProblem> {
        let mut choose = choices(self.seed);
        let promise = Promise {
            stable: !self.task.loaded().any_order,
            content: Content::Whole,
            semantics: Semantics::Exact,
        };
        let mut refused = 0;
        for (array, mutation, mutant) in
            self.right.array_mutants(&self.input.capacities, &mut choose)
        {
            if mutant == self.right || mutation.is_allowed_by(promise) {
                continue;
            }
            if self.accepts(&mutant) {
                return Err(TaskProblem::AcceptsMutant {
                    input: self.name.to_owned(),
                    array: self.task.loaded().outputs[array].name,
                    mutation: mutation.words(),
                });
            }
            refused += 1;
        }
        Ok(refused)
    }

    fn accepts(&self, output: &LibraryOutput) -> bool {
        judged::check(self.task.loaded(), &self.input, &self.right, output).is_ok()
    }
}

/// Name of the first array that differs between two inputs.
fn first_different_array(
    task: LibraryTask,
    input: &LibraryInput,
    other: &LibraryInput,
) -> Option<&'static str> {
    let mut pairs = input.array_bytes().zip(other.array_bytes());
    let index = pairs.position(|(bytes, other)| bytes != other)?;
    Some(task.loaded().arrays[index].name)
}
