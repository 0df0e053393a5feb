//! Tasks of CBM's Silicon Tracking System, each with its reference, its check and its variants.
//!
//! Algorithm first, then backend, one file for each variant. Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`sts_sort`] | a task: sorting digis by channel and time |
//! | [`sts_unpack`] | a task: unpacking raw data |
//! | [`sts`] | the tasks of the chain, and what they share: clusters, hits, their formulas |
//! | [`sts_events`] | a task: finding bursts of digis, and building events from them |
//! | [`sts_scenario`] | parameters of simulated digis |
//! | `sts_raw_shape` | parameters of raw data that are made of them |
//! | `file_selection` | options that select timeslices of a file |
//! | `open_loop` | the chain as a task that can be streamed |
//! | `std_sort` | `std::sort` of C++ |
//! | `data_sets` | data that can be generated and written to files |
//!
//! [`TASKS`] has all tasks.

mod data_sets;
mod file_selection;
mod kernels;
mod open_loop;
mod std_sort;
pub mod sts;
pub mod sts_events;
mod sts_raw_shape;
pub mod sts_scenario;
pub mod sts_sort;
pub mod sts_unpack;

#[cfg(test)]
mod channel_counts;
#[cfg(test)]
mod shared_inputs_test;
#[cfg(test)]
mod tests;

use tasks::registry::{ItemSource, PresetItems, TaskSet};
use tasks::task::TypedTask;

use sts::task::{STS, STS_CLUSTER, STS_CLUSTER_SORT, STS_COLLECT, STS_HITS, STS_PRESORT};
use sts_events::StsEvents;
use sts_sort::StsSort;
use sts_unpack::StsUnpack;

/// Digis per collision: 17.184 million of 1000 collisions, and 44.447 million of 650 000 with noise.
const PRESETS: &[PresetItems] = &[
    PresetItems {
        preset: "cbm-auau",
        item_unit: "digi",
        interactions_hz: 100e3,
        items_per_interaction: 17_184.0,
        source: ItemSource::Particles,
    },
    PresetItems {
        preset: "mcbm-2024",
        item_unit: "digi",
        interactions_hz: 260e3,
        items_per_interaction: 68.4,
        source: ItemSource::Noise,
    },
];

/// All tasks, with their data sets.
pub const TASKS: TaskSet = TaskSet {
    tasks: &[
        &TypedTask(StsSort),
        &TypedTask(StsUnpack),
        &TypedTask(STS_PRESORT),
        &TypedTask(STS_CLUSTER),
        &TypedTask(STS_CLUSTER_SORT),
        &TypedTask(STS_HITS),
        &TypedTask(STS_COLLECT),
        &TypedTask(STS),
        &TypedTask(StsEvents),
        #[cfg(test)]
        &TypedTask(channel_counts::ChannelCounts),
    ],
    experiment: Some("CBM"),
    data_sets: data_sets::DATA_SETS,
    open_loop: &[&TypedTask(STS)],
    suites: tasks::built_in_suites!("../../../suites", ["sort-shapes", "gpu-sort", "gpu-sts"]),
    published: None,
    presets: PRESETS,
};
