//! Reconstruction tasks, each with its reference, its check and its variants.
//!
//! Algorithm first, then backend, one file for each variant. Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`algorithm`] | what a task and a variant are: the traits to implement |
//! | [`registry`] | the list of all tasks |
//! | [`sts`] | what the tasks of the STS chain share: clusters, hits, their formulas |
//! | [`sts_sort`] | a task: sorting digis by channel and time |
//! | [`sts_unpack`] | a task: unpacking raw data |
//! | [`sts_events`] | a task: finding where many digis come at once, and cutting events out |
//! | [`tpc_decode`] | a task: decoding raw pages |
//! | [`tpc_merge`] | a task: merging slice tracks |
//! | [`tpc_gather`] | a task: gathering clusters |
//! | [`tpc_cluster_finder`] | what is right in finding clusters of the TPC |
//! | [`tpc_noisy_pads`] | a task: finding pads that have lost their baseline |
//! | [`calibrate`] | a task: what constants cost by where they lie |
//! | [`memory_kinds`] | a task: what kinds of memory cost |
//! | [`axis`] | what can be varied, and the values it can have |
//! | [`sts_scenario`] | what can be varied about simulated digis of the STS |
//! | [`time_frame`] | what can be varied about time frames of the TPC |
//! | [`data_sets`] | data that can be made and written to files |
//! | [`task`] | the tasks as the harness sees them, without type parameters |
//! | [`timing`] | how long the parts of a run took |
//! | [`plugin`] | shared libraries with variants |
//! | [`ceilings`] | what memory and link of a GPU can do at most |
//! | [`device`] | where variants run: teams of threads, buffers |
//!
//! Nothing here reads a command line, and nothing but the stages of a variant is timed.

pub mod algorithm;
mod all_cores;
pub mod axis;
pub mod calibrate;
pub mod ceilings;
pub mod data_sets;
pub mod device;
mod kernels;
pub mod memory_kinds;
mod parallel;
pub mod plugin;
mod plugin_session;
pub mod registry;
mod shared_inputs;
mod std_sort;
pub mod sts;
pub mod sts_events;
mod sts_raw_shape;
pub mod sts_scenario;
pub mod sts_sort;
pub mod sts_unpack;
pub mod task;
pub mod time_frame;
pub mod timing;
pub mod tpc;
pub mod tpc_cluster_finder;
pub mod tpc_decode;
pub mod tpc_gather;
pub mod tpc_merge;
pub mod tpc_noisy_pads;
mod word_files;
