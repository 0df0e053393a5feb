//! Loads that run concurrently on one node: rates and latencies alone and together, slowdowns of
//! all pairs, and what they compete for.
//!
//! | module | holds |
//! |---|---|
//! | this | the rows of windows and of slowdowns |
//! | `load_row` | the row of a load |
//! | `windows` | figures of a load in a configuration, block by block |
//! | `slowdowns` | windows → rows of slowdowns |
//! | `competition` | resources that two loads compete for, inferred from their use |
//! | `result` | windows → all rows of a mix |
//! | `matrix` | the slowdowns by load and neighbour, for tables and charts |
//! | `table` | output for people and programs |
//!
//! A background load has rows as any other load, with a name that begins with [`BACKGROUND`].

mod competition;
#[cfg(test)]
pub(crate) mod fixture;
mod load_row;
mod matrix;
mod result;
mod slowdowns;
mod table;
mod windows;

pub use competition::{NodeCpus, Resource};
pub use load_row::LoadRow;
pub use result::MixedResult;
pub use slowdowns::TOGETHER;
pub use table::MixedTable;
pub use windows::{configuration, is_unbounded};

use serde::{Deserialize, Serialize};

use crate::units;

/// Prefix of the names of background loads.
pub const BACKGROUND: &str = "background-";

/// One load, or a background load, in one window. The order of the fields is the order of the
/// columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadWindowRow {
    /// Attempt, from 0: after a load has failed, all blocks are measured anew without it.
    pub attempt: usize,
    /// Block of windows, one of each configuration, from 0.
    pub block: usize,
    /// Position of the configuration within its block, from 0.
    pub order: usize,
    /// Names of the loads that run concurrently: `sts+velo`.
    pub configuration: String,
    /// Name of the load.
    pub load: String,
    /// The window in seconds.
    pub window_s: Option<f64>,
    /// Events that began and ended in the window, which the quantiles include.
    pub events: usize,
    /// Items per second, of all streams.
    pub items_per_s: Option<f64>,
    /// Events per second, of all streams.
    pub events_per_s: Option<f64>,
    /// The median latency of an event, in seconds, from its due time in an open loop.
    pub p50_s: Option<f64>,
    /// The 99th percentile of the latency of an event, in seconds.
    pub p99_s: Option<f64>,
    /// Events that were due in the window, in an open loop.
    pub due: Option<u64>,
    /// Events that were due in the window, less those that ended in it, in an open loop.
    pub backlog_growth: Option<f64>,
    /// CPU time of the process over that of all CPUs that it may use.
    pub cores_share: Option<f64>,
    /// CPU time of other processes over that of these CPUs.
    pub others_share: Option<f64>,
    /// Bytes that the events move at least over the copy bandwidth of the device.
    pub copy_share: Option<f64>,
    /// Bytes of copies over the bandwidth of the link of the GPU.
    pub link_share: Option<f64>,
    /// Time of the kernels of all events, over that of the GPU.
    pub kernels_share: Option<f64>,
    /// The mean power of all processors in the window, in watts.
    pub cpu_w: Option<f64>,
    /// The mean power of the GPUs in the window, in watts.
    pub gpu_w: Option<f64>,
    /// The mean power in the window by the command of `--power-command`, in watts.
    pub command_w: Option<f64>,
}

/// Slowdown of a load by a neighbour. The order of the fields is the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowdownRow {
    /// Name of the load that is slowed down.
    pub load: String,
    /// Name of the load that runs concurrently; `together` for all others.
    pub neighbour: String,
    /// `rate` in a closed loop, `latency` in an open loop: the quantity that is compared.
    pub quantity: String,
    /// Rate alone over the rate with the neighbour, or median latency with it over that alone.
    pub slowdown: Option<f64>,
    /// The lower end of its 95 % interval over blocks.
    pub slowdown_low: Option<f64>,
    /// The upper end of its 95 % interval over blocks.
    pub slowdown_high: Option<f64>,
    /// Blocks that have both.
    pub blocks: usize,
    /// `slower` or `faster` beyond the noise, `noise`, `unbounded` if the backlog grows only
    /// with the neighbour, or `unknown`.
    pub effect: String,
    /// Resources that explain it, joined by `+`: an inference from the columns that follow.
    pub competes_for: String,
    /// Threads of all streams of both.
    pub threads: usize,
    /// CPUs that the process may use.
    pub cpus: usize,
    /// Physical cores with these CPUs.
    pub cores: usize,
    /// Shares of the CPU time of all CPUs that both use alone, added.
    pub cores_share_alone: Option<f64>,
    /// Share of the CPU time of all CPUs that both use together, with other processes.
    pub cores_share_with: Option<f64>,
    /// Shares of the copy bandwidth of the same memory that both use alone, added.
    pub copy_share_alone: Option<f64>,
    /// Shares of the same link to a GPU that both use alone, added.
    pub link_share_alone: Option<f64>,
    /// Shares of the time of the same GPU that both use alone for kernels, added.
    pub kernels_share_alone: Option<f64>,
    /// Events per second of the neighbour; unknown for several.
    pub neighbour_per_s: Option<f64>,
    /// Items per second of the neighbour: iterations or bytes of a background load.
    pub neighbour_items_per_s: Option<f64>,
}

/// A rate of events: `12.5/s`.
pub(crate) fn per_second(rate: f64) -> String {
    format!("{}/s", units::trimmed(&units::significant(rate, 3)))
}
