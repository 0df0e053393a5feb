//! Tasks of shared libraries, as any other task: `recobench_task` in `docs/plugin/recobench.h`.
//!
//! | module | holds |
//! |---|---|
//! | `task` | the task, as an algorithm |
//! | `calls` | calls of the library's functions |
//! | `params` | parameters of a point, as C sees them |
//! | `handle`, `input` | an input: the library's handle, and its arrays |
//! | `output` | an output: arrays of elements, compared and mutated |
//! | `judged` | reference, check and metrics |
//! | `shown_input` | an input as variants see it |
//! | `self_check` | reference and check, tried on all hard inputs when the library is loaded |

mod calls;
mod handle;
mod input;
mod judged;
mod output;
mod params;
mod self_check;
mod shown_input;
mod task;
#[cfg(test)]
mod tests;

use crate::plugin::TaskProblem;
use crate::plugin::loaded_task::LoadedTask;
use crate::task::{Task, TypedTask};
use task::LibraryTask;

/// Wraps a loaded task, for as long as the process lives.
pub(crate) fn wrap(task: &'static LoadedTask) -> &'static dyn Task {
    Box::leak(Box::new(TypedTask(LibraryTask::new(task))))
}

/// Tries reference and check of a task on all of its hard inputs.
///
/// # Errors
/// The first error that is found.
pub(crate) fn self_check(task: &'static LoadedTask) -> Result<(), TaskProblem> {
    self_check::check(LibraryTask::new(task))
}
