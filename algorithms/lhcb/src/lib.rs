//! Tasks of LHCb's vertex locator (VELO), each with its reference, its check and its variants.
//!
//! | module | holds |
//! |---|---|
//! | [`velo`] | the tasks of the reconstruction: from raw banks to tracks |
//! | `data_sets` | data that can be generated and written to files |
//!
//! [`TASKS`] has all tasks.

mod data_sets;
mod kernels;
pub mod velo;

use tasks::registry::TaskSet;
use tasks::task::TypedTask;

use velo::{Stage, VeloTask};

/// All tasks, with their suites.
pub const TASKS: TaskSet = TaskSet {
    tasks: &[
        &TypedTask(VeloTask { stage: Stage::Clusters }),
        &TypedTask(VeloTask { stage: Stage::Decode }),
        &TypedTask(VeloTask { stage: Stage::Sort }),
        &TypedTask(VeloTask { stage: Stage::Tracks }),
        &TypedTask(VeloTask { stage: Stage::Chain }),
    ],
    experiment: Some("LHCb"),
    data_sets: data_sets::DATA_SETS,
    open_loop: &[],
    suites: tasks::built_in_suites!("../../../suites", ["velo", "gpu-velo"]),
    published: None,
    presets: &[],
};

#[cfg(test)]
mod tests;
