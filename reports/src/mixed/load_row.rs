//! The row of a load.

use serde::{Deserialize, Serialize};

use super::BACKGROUND;
use crate::record::{Params, YesNo};
use crate::row::row;
use crate::throughput::ThroughputRow;

row! {
    /// One load of a mix, alone and together with all others. The order of the fields is the order of
    /// the columns.
    ///
    /// A row that is not valid has no results: its `note` contains the reason.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub struct LoadRow {
        /// Name of the load.
        pub load: String,
        /// The task.
        pub algorithm: String,
        /// The variant's name.
        pub variant: String,
        /// `cpu`, `cuda`, `hip` or `wgpu`.
        pub backend: String,
        /// `cpu` or `cuda:0`.
        pub device: String,
        /// Threads on the host of each stream.
        pub threads: usize,
        /// CPU sets of the threads of all streams of all loads.
        pub cpu_sets as "places": String,
        /// Binding of the threads to CPU sets.
        pub bind: String,
        /// The data shape and the task's other axes.
        pub params: Params,
        /// Number of concurrent streams.
        pub streams: usize,
        /// Number of events of each stream, which it processes cyclically.
        pub batch: usize,
        /// Events per second that are due, in an open loop; unknown in a closed loop.
        pub due_per_s: Option<f64>,
        /// Events of the load in a mix, in a closed loop; unknown in an open loop.
        pub weight: Option<f64>,
        /// Items of an event: the mean.
        pub items: f64,
        /// Unit of the items: `digi`.
        pub item_unit: String,
        /// Bytes that any implementation must move for an event, read and written: the mean.
        pub bytes_min: f64,
        /// Bytes of the inputs of all events of all streams, with a set of buffers for each stream.
        pub working_set_bytes: u64,
        /// Blocks in which it was measured alone.
        pub blocks: usize,
        /// Events per second of all streams alone.
        pub alone_per_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub alone_per_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub alone_per_s_high: Option<f64>,
        /// The median latency of an event alone, in seconds; unknown if the backlog grows.
        pub alone_p50_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub alone_p50_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub alone_p50_s_high: Option<f64>,
        /// The 99th percentile of the latency of an event alone, in seconds: the mean over blocks.
        pub alone_p99_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub alone_p99_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub alone_p99_s_high: Option<f64>,
        /// `yes` if the backlog of an open loop grows alone: its latency has no bound.
        pub alone_unbounded: YesNo,
        /// Events per second of all streams together with all other loads.
        pub together_per_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub together_per_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub together_per_s_high: Option<f64>,
        /// The median latency of an event together, in seconds; unknown if the backlog grows.
        pub together_p50_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub together_p50_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub together_p50_s_high: Option<f64>,
        /// The 99th percentile of the latency of an event together, in seconds: the mean over blocks.
        pub together_p99_s: Option<f64>,
        /// The lower end of its 95 % interval over blocks.
        pub together_p99_s_low: Option<f64>,
        /// The upper end of its 95 % interval over blocks.
        pub together_p99_s_high: Option<f64>,
        /// `yes` if the backlog of an open loop grows together with all other loads.
        pub together_unbounded: YesNo,
        /// Complete mixes per second that the load permits: its rate together over its weight.
        pub mixes_per_s: Option<f64>,
        /// `yes` for the load that permits the fewest mixes.
        pub limits_mix: YesNo,
        /// CPU time of the process over that of all CPUs that it may use, with the load alone.
        pub alone_cores_share: Option<f64>,
        /// CPU time of the process over that of all CPUs that it may use, with all loads together.
        pub together_cores_share: Option<f64>,
        /// CPU time of other processes over that of all CPUs, with all loads together.
        pub together_others_share: Option<f64>,
        /// `bytes_min` of all events over the copy bandwidth of the device, together.
        pub together_copy_share: Option<f64>,
        /// Bytes of copies over the bandwidth of the link of the GPU, together.
        pub together_link_share: Option<f64>,
        /// Time of the kernels of all events, over that of the GPU, together.
        pub together_kernels_share: Option<f64>,
        /// `yes` if all outputs were right, before and after each window.
        pub valid: YesNo,
        /// Notes on the row.
        pub note: String,
    }
}

impl LoadRow {
    /// True if it has results.
    pub fn is_valid(&self) -> bool {
        self.valid == YesNo::Yes
    }

    /// True for a background load.
    pub fn is_background(&self) -> bool {
        self.load.starts_with(BACKGROUND)
    }

    /// True if its events come when they are due.
    pub fn is_open_loop(&self) -> bool {
        self.due_per_s.is_some()
    }

    /// Threads of all streams.
    pub fn all_threads(&self) -> usize {
        self.threads * self.streams
    }

    /// Row of the same streams with the rates and latencies together, for plans of farms.
    pub fn together(&self) -> ThroughputRow {
        let items = |events: Option<f64>| events.map(|events| events * self.items);
        ThroughputRow {
            point_id: self.load.clone(),
            algorithm: self.algorithm.clone(),
            variant: self.variant.clone(),
            backend: self.backend.clone(),
            device: self.device.clone(),
            threads: self.threads,
            cpu_sets: self.cpu_sets.clone(),
            bind: self.bind.clone(),
            params: self.params.clone(),
            streams: self.streams,
            batch: self.batch,
            processes: 1,
            items: self.items,
            item_unit: self.item_unit.clone(),
            bytes_min: self.bytes_min,
            working_set_bytes: self.working_set_bytes,
            events_per_s: self.together_per_s,
            items_per_s: items(self.together_per_s),
            items_per_s_low: items(self.together_per_s_low),
            items_per_s_high: items(self.together_per_s_high),
            p50_s: self.together_p50_s,
            p99_s: self.together_p99_s,
            cores_share: self.together_cores_share,
            others_share: self.together_others_share,
            copy_share: self.together_copy_share,
            link_share: self.together_link_share,
            kernels_share: self.together_kernels_share,
            valid: self.valid,
            note: self.note.clone(),
            ..ThroughputRow::default()
        }
    }
}
