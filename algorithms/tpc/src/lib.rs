//! Tasks of ALICE's TPC, each with its reference, its check and its variants.
//!
//! Algorithm first, then backend, one file for each variant. Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`tpc_decode`] | a task: decoding raw pages |
//! | [`tpc_noisy_pads`] | a task: finding pads that have lost their baseline |
//! | [`tpc_cluster_finder`] | a task: finding clusters |
//! | [`tpc`] | a task: the chain of these, from pages to clusters |
//! | [`tpc_merge`] | a task: merging slice tracks |
//! | [`tpc_gather`] | a task: gathering clusters |
//! | [`time_frame`] | parameters of simulated time frames |
//! | `file_selection` | options that select time frames of a file |
//! | `data_sets` | data that can be generated and written to files |
//!
//! [`TASKS`] has all tasks.

mod data_sets;
mod file_selection;
mod kernels;
pub mod time_frame;
pub mod tpc;
pub mod tpc_cluster_finder;
pub mod tpc_decode;
pub mod tpc_gather;
pub mod tpc_merge;
pub mod tpc_noisy_pads;

#[cfg(test)]
mod tests;

use tasks::registry::{ItemSource, PresetItems, TaskSet};
use tasks::task::TypedTask;

use tpc::Tpc;
use tpc_cluster_finder::TpcClusterFinder;
use tpc_decode::TpcDecode;
use tpc_gather::TpcGather;
use tpc_merge::TpcMerge;
use tpc_noisy_pads::TpcNoisyPads;

/// Samples per collision in all 36 sectors: the mean of nine seeds with 285 collisions each, ± 3 %.
const PRESETS: &[PresetItems] = &[PresetItems {
    preset: "pbpb-50khz",
    item_unit: "sample",
    interactions_hz: 50e3,
    items_per_interaction: 4.2e6,
    source: ItemSource::Particles,
}];

/// All tasks, with their data sets.
pub const TASKS: TaskSet = TaskSet {
    tasks: &[
        &TypedTask(TpcDecode),
        &TypedTask(TpcMerge),
        &TypedTask(TpcGather),
        &TypedTask(TpcNoisyPads),
        &TypedTask(TpcClusterFinder),
        &TypedTask(Tpc),
    ],
    experiment: Some("ALICE"),
    data_sets: data_sets::DATA_SETS,
    open_loop: &[&TypedTask(Tpc)],
    suites: tasks::built_in_suites!(
        "../../../suites",
        ["gpu-decode", "gpu-noisy-pads", "gpu-clusters", "gpu-merge", "gpu-gather"]
    ),
    published: None,
    presets: PRESETS,
};
