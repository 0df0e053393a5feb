//! Tasks of LHCb's vertex locator (VELO), each with its reference, its check and its variants.
//!
//! | module | holds |
//! |---|---|
//! | [`velo`] | the tasks of the reconstruction: from raw banks to tracks |
//!
//! [`TASKS`] has all tasks.

mod kernels;
pub mod velo;

use tasks::registry::TaskSet;
use tasks::task::TypedTask;

use velo::{Stage, VeloTask};

/// All tasks.
pub const TASKS: TaskSet = TaskSet::new(&[
    &TypedTask(VeloTask { stage: Stage::Clusters }),
    &TypedTask(VeloTask { stage: Stage::Decode }),
    &TypedTask(VeloTask { stage: Stage::Sort }),
    &TypedTask(VeloTask { stage: Stage::Tracks }),
    &TypedTask(VeloTask { stage: Stage::Chain }),
]);

#[cfg(test)]
mod tests;
