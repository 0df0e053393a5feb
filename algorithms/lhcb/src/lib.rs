//! Tasks of LHCb's vertex locator (VELO), each with its reference, its check and its variants.
//!
//! | module | holds |
//! |---|---|
//! | [`task`] | the stages of the reconstruction as tasks: from raw banks to tracks |
//! | [`model`] | hits and tracks, and the formulas of their positions |
//! | [`reference`](mod@reference) | the expected results, slow and obvious |
//! | [`cpu`] | variants on the CPU |
//!
//! [`TASKS`] has all tasks.

pub mod cpu;
pub mod model;
pub mod reference;
pub mod task;

use tasks::registry::{BuiltInSuite, TaskSet};
use tasks::task::TypedTask;

use task::{Stage, VeloTask};

/// All tasks, with their suites.
pub const TASKS: TaskSet = TaskSet {
    tasks: &[
        &TypedTask(VeloTask { stage: Stage::Clusters }),
        &TypedTask(VeloTask { stage: Stage::Decode }),
        &TypedTask(VeloTask { stage: Stage::Sort }),
        &TypedTask(VeloTask { stage: Stage::Tracks }),
        &TypedTask(VeloTask { stage: Stage::Chain }),
    ],
    data_sets: &[],
    open_loop: &[],
    suites: &[
        BuiltInSuite { name: "velo", text: include_str!("../../../suites/velo.toml") },
        BuiltInSuite { name: "gpu-velo", text: include_str!("../../../suites/gpu-velo.toml") },
    ],
    published: None,
};

#[cfg(test)]
mod tests;
