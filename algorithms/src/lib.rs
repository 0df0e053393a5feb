//! Reconstruction tasks, each with its reference, its check and its variants.
//!
//! Algorithm first, then backend, one file for each variant. Reading order:
//!
//! | module | holds |
//! |---|---|
//! | [`algorithm`] | interfaces of tasks and variants: the traits to implement |
//! | [`registry`] | the list of all tasks |
//! | [`sts`] | code that the tasks of the STS chain share: clusters, hits, their formulas |
//! | [`sts_sort`] | a task: sorting digis by channel and time |
//! | [`sts_unpack`] | a task: unpacking raw data |
//! | [`sts_events`] | a task: finding bursts of digis, and building events from them |
//! | [`tpc_decode`] | a task: decoding raw pages |
//! | [`tpc_merge`] | a task: merging slice tracks |
//! | [`tpc_gather`] | a task: gathering clusters |
//! | [`tpc_cluster_finder`] | a task: finding clusters of the TPC |
//! | [`tpc_noisy_pads`] | a task: finding pads that have lost their baseline |
//! | [`calibrate`] | a task: cost of constants by memory kind |
//! | [`memory_kinds`] | a task: cost of memory kinds |
//! | [`axis`] | parameters of tasks, and their values |
//! | [`sts_scenario`] | parameters of simulated digis of the STS |
//! | [`time_frame`] | parameters of time frames of the TPC |
//! | [`data_sets`] | data that can be generated and written to files |
//! | [`task`] | tasks without type parameters, for the harness |
//! | [`native`] | native variants that ports of them are compared with |
//! | [`plugin`] | shared libraries with variants |
//! | [`device`] | devices, teams of threads, buffers |
//!
//! Nothing here reads a command line, and only the stages of a variant are timed.

pub mod algorithm;
pub mod axis;
pub mod calibrate;
pub mod data_sets;
pub mod device;
mod file_selection;
mod kernels;
pub mod memory_kinds;
pub mod native;
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
pub mod tpc;
pub mod tpc_cluster_finder;
pub mod tpc_decode;
pub mod tpc_gather;
pub mod tpc_merge;
pub mod tpc_noisy_pads;
mod word_task;

// For macros.
#[doc(hidden)]
pub use portable_gpu as gpu;
