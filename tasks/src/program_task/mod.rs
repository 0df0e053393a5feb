//! Tasks whose inputs and right outputs are made by programs: `docs/external-programs.md`.
//!
//! | module | holds |
//! |---|---|
//! | `task` | the task, as a description and as an algorithm |
//! | `soundness` | a trial of such a task: it has to refuse wrong outputs |

mod soundness;
mod task;

use crate::plugin::TaskProblem;
use crate::task::{Task, TypedTask};
use task::ProgramAlgorithm;

pub use task::{HardInput, HardInputSource, Items, ProgramTask};

/// Wraps a task, for as long as the process lives, after a trial on its hard inputs.
///
/// # Errors
/// The first error that is found.
pub(crate) fn wrap(task: ProgramTask) -> Result<&'static dyn Task, TaskProblem> {
    let task: &'static ProgramTask = Box::leak(Box::new(task));
    soundness::check(task)?;
    Ok(Box::leak(Box::new(TypedTask(ProgramAlgorithm(task)))))
}
