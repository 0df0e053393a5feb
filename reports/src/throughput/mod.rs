//! Throughput of concurrent streams of events: rates and latencies over the number of streams.
//!
//! The rows of a point and of its events are here.
//!
//! | module | holds |
//! |---|---|
//! | `curve` | points that differ in their streams only, their saturation and their limits |
//! | `table` | output for people and programs |

mod curve;
mod table;

pub use curve::{Curve, DISTURBED, LIMITED, curves, shares, what_limits};

use serde::{Deserialize, Serialize};

use crate::energy::EnergyParts;
use crate::record::{Params, Point, YesNo};
use crate::row::row;
use crate::shape::{self, Axes};

row! {
    /// One point: a variant that is run by concurrent streams. The order of the fields is the order of
    /// the columns.
    ///
    /// A row that is not valid has no results: its `note` contains the reason.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub struct ThroughputRow {
        /// Equal for equal points in any run.
        pub point_id: String,
        /// The task.
        pub algorithm: String,
        /// The variant's name.
        pub variant: String,
        /// `cpu`, `cuda` or `wgpu`.
        pub backend: String,
        /// `cpu`, `cuda:0`, or `cuda:0+cuda:1` over which streams are spread.
        pub device: String,
        /// Threads on the host of each stream.
        pub threads: usize,
        /// CPU sets of the threads of all streams.
        pub cpu_sets as "places": String,
        /// Binding of the threads to CPU sets.
        pub bind: String,
        /// The data shape and the task's other axes.
        pub params: Params,
        /// Number of concurrent streams.
        pub streams: usize,
        /// Number of events of each stream, which it processes cyclically.
        pub batch: usize,
        /// Number of processes that drive the streams. Runs of earlier versions had one.
        #[serde(default = "one")]
        pub processes: usize,
        /// Items of an event: the mean.
        pub items: f64,
        /// Unit of the items: `digi`.
        pub item_unit: String,
        /// Bytes that any implementation must move for an event, read and written: the mean.
        pub bytes_min: f64,
        /// Bytes of the inputs of all events of all streams, with a set of buffers for each stream.
        pub working_set_bytes: u64,
        /// The window in seconds.
        pub window_s: Option<f64>,
        /// Events that began and ended in the window, which the quantiles include.
        pub events: usize,
        /// Items per second, of all streams.
        pub items_per_s: Option<f64>,
        /// The lower end of its 95 % interval.
        pub items_per_s_low: Option<f64>,
        /// The upper end of its 95 % interval.
        pub items_per_s_high: Option<f64>,
        /// Events per second, of all streams.
        pub events_per_s: Option<f64>,
        /// The median time of an event, in seconds.
        pub p50_s: Option<f64>,
        /// The lower end of its 95 % interval.
        pub p50_low_s: Option<f64>,
        /// The upper end of its 95 % interval.
        pub p50_high_s: Option<f64>,
        /// The 99th percentile of the time of an event, in seconds.
        pub p99_s: Option<f64>,
        /// The lower end of its 95 % interval; unknown for few events.
        pub p99_low_s: Option<f64>,
        /// The upper end of its 95 % interval; unknown for few events.
        pub p99_high_s: Option<f64>,
        /// The longest time of an event, in seconds.
        pub max_s: Option<f64>,
        /// The share of the streams' time that was spent on delivering events: fresh input, and
        /// buffers.
        pub delivery_share: Option<f64>,
        /// CPU time of the process over that of all CPUs that it may use.
        pub cores_share: Option<f64>,
        /// CPU time of other processes, on the CPUs that the process may use, over that of these CPUs.
        pub others_share: Option<f64>,
        /// `bytes_min` of all events over the maximum copy bandwidth: that of the host with all CPUs,
        /// or of the GPUs.
        pub copy_share: Option<f64>,
        /// Bytes of copies over the bandwidth of the links of the GPUs: for several, that of all at the
        /// same time.
        pub link_share: Option<f64>,
        /// Sum of the times of the kernels of all events, over the time of the GPUs.
        pub kernels_share: Option<f64>,
        /// The mean power of all processors in the window, in watts, by their own counters.
        pub cpu_w: Option<f64>,
        /// The mean power of the GPUs in the window, in watts, by their own counters.
        pub gpu_w: Option<f64>,
        /// `yes` if all outputs were right, before and after.
        pub valid: YesNo,
        /// Notes on the row.
        pub note: String,
        /// The mean power in the window by the command of `--power-command`, in watts.
        #[serde(default)]
        pub command_w: Option<f64>,
        /// Energy of an item in joules; unknown where nothing can measure it.
        #[serde(default)]
        pub j_per_item: Option<f64>,
        /// Meters of that energy: `cpu`, `cpu+gpu`, `gpu` or `command`, and `minus idle` if the
        /// power of the idle machine was subtracted. Runs of earlier versions have none.
        #[serde(default)]
        pub energy_source: String,
    }
}

/// One event within a window. The order of the fields is the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Id of the point.
    pub point_id: String,
    /// The stream, from 0.
    pub stream: usize,
    /// The index of the event within its batch, from 0.
    pub event: usize,
    /// Start of the delivery of its input, in seconds from the start of the window.
    pub begin_s: f64,
    /// Duration of the delivery, in seconds.
    pub delivery_s: f64,
    /// Time from the delivery to the output, in seconds.
    pub seconds: f64,
}

impl ThroughputRow {
    /// The row of these streams, with this batch each and driven by these processes, without
    /// results.
    pub fn new(point: &Point, [streams, batch, processes]: [usize; 3]) -> Self {
        let mut identity = point.clone();
        identity.params.set("streams", streams.to_string());
        identity.params.set("batch", batch.to_string());
        if processes > 1 {
            identity.params.set("processes", processes.to_string());
        }
        let point = point.clone();
        ThroughputRow {
            point_id: identity.id(),
            algorithm: point.algorithm,
            variant: point.variant,
            device: point.device,
            threads: point.threads,
            cpu_sets: point.cpu_sets,
            bind: point.bind,
            params: point.params,
            streams,
            batch,
            processes,
            ..ThroughputRow::default()
        }
    }

    /// Items per second of a valid row.
    pub fn rate(&self) -> Option<f64> {
        let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
        self.items_per_s.filter(|rate| self.valid == YesNo::Yes && is_rate(rate))
    }

    /// Items of an event; 1 if the items are events themselves, of which an input has many.
    pub fn items_per_event(&self) -> f64 {
        if self.item_unit == "event" { 1.0 } else { self.items }
    }

    /// The ends of the interval of the rate.
    pub fn rate_interval(&self) -> Option<(f64, f64)> {
        self.items_per_s_low.zip(self.items_per_s_high)
    }

    /// Number of devices over which streams are spread.
    pub fn devices(&self) -> usize {
        // A part without a device index is a suffix of the one before: `wgpu:0+checked`.
        let named = self.device.split('+').filter(|name| name.contains(':')).count();
        named.max(1)
    }

    /// Items per second over the share of the CPUs used.
    pub fn items_per_cpu_share(&self) -> Option<f64> {
        let share = self.cores_share.filter(|&share| share > 0.0)?;
        Some(self.rate()? / share)
    }

    /// Energy of an item in joules; in runs of earlier versions by the mean powers.
    pub fn joules_per_item(&self) -> Option<f64> {
        if self.j_per_item.is_some() || !self.energy_source.is_empty() {
            return self.j_per_item;
        }
        let watts = EnergyParts { cpu: self.cpu_w, gpu: self.gpu_w, command: None };
        let (watts, _) = watts.total(&self.device)?;
        Some(watts / self.items_per_s?).filter(|joules| joules.is_finite() && *joules > 0.0)
    }

    /// Events per joule.
    pub fn events_per_j(&self) -> Option<f64> {
        Some(self.events_per_s? / (self.joules_per_item()? * self.items_per_s?))
    }

    /// All axes that distinguish points except for streams and device: data and batch.
    pub fn setting(&self) -> Axes {
        let params = shape::param_axes(&self.algorithm, &self.params).into_iter();
        let own = [
            ("batch", self.batch.to_string()),
            ("places", self.cpu_sets.clone()),
            ("bind", self.bind.clone()),
        ];
        params.chain(own.map(|(name, value)| (name.into(), value))).collect()
    }
}

/// Default of rows without a number of processes.
fn one() -> usize {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_of_earlier_runs_is_that_of_their_mean_powers() {
        let row = ThroughputRow {
            device: "cuda:0".into(),
            events_per_s: Some(100.0),
            items_per_s: Some(1000.0),
            cpu_w: Some(30.0),
            gpu_w: Some(20.0),
            ..ThroughputRow::default()
        };
        assert_eq!(row.events_per_j(), Some(2.0));
        assert_eq!(row.joules_per_item(), Some(0.05));
        let unknown = ThroughputRow { cpu_w: None, gpu_w: None, ..row.clone() };
        assert_eq!(unknown.events_per_j(), None);
        let recorded = ThroughputRow {
            j_per_item: Some(0.04),
            energy_source: "cpu+gpu minus idle".into(),
            ..row
        };
        assert_eq!(recorded.events_per_j(), Some(2.5));
        let failed =
            ThroughputRow { j_per_item: None, energy_source: "command".into(), ..recorded };
        assert_eq!(failed.joules_per_item(), None, "powers by counters are not what was requested");
    }

    #[test]
    fn streams_and_batch_distinguish_points() {
        let point = Point { algorithm: "sts".into(), ..Point::default() };
        let id = |counts| ThroughputRow::new(&point, counts).point_id;
        assert_eq!(id([1, 2, 1]), id([1, 2, 1]));
        assert!(id([1, 2, 1]) != id([2, 2, 1]) && id([1, 2, 1]) != id([1, 4, 1]));
        assert_ne!(id([2, 2, 1]), id([2, 2, 2]));
        assert!(ThroughputRow::new(&point, [1, 2, 1]).params.iter().next().is_none());
    }
}

/// Rows for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use super::ThroughputRow;
    use crate::record::{Point, YesNo};

    /// A row of `streams` streams with one thread each, and their items per second.
    pub fn row(streams: usize, rate: f64) -> ThroughputRow {
        let point = Point {
            algorithm: "sts".into(),
            variant: "time-sweep".into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: "scale=0.1".parse().expect("well formed"),
        };
        ThroughputRow {
            backend: "cpu".into(),
            items: 1e6,
            item_unit: "digi".into(),
            events: 1000,
            items_per_s: Some(rate),
            items_per_s_low: Some(0.99 * rate),
            items_per_s_high: Some(1.01 * rate),
            events_per_s: Some(rate / 1e6),
            p50_s: Some(1e6 * streams as f64 / rate),
            p99_s: Some(2e6 * streams as f64 / rate),
            cores_share: Some(0.5),
            valid: YesNo::Yes,
            ..ThroughputRow::new(&point, [streams, 4, 1])
        }
    }
}
