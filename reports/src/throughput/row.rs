//! Rows of `throughput.csv` and `events.csv`.

use serde::{Deserialize, Serialize};

use crate::record::{Params, Point, YesNo};
use crate::shape::{self, Axes};

/// One point: a variant that so many streams run side by side. The order of the fields is the
/// order of the columns.
///
/// A row that is not valid has no figures: its `note` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThroughputRow {
    /// The same for the same point in any run.
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
    /// Where the threads of all streams were placed.
    pub places: String,
    /// How they were bound to places.
    pub bind: String,
    /// The data shape and the task's other axes.
    pub params: Params,
    /// Streams side by side.
    pub streams: usize,
    /// Events of each stream, which it takes in turn.
    pub batch: usize,
    /// Processes that drive the streams. Runs of earlier versions had one.
    #[serde(default = "one")]
    pub processes: usize,
    /// Items of an event: the mean.
    pub items: f64,
    /// What those are: `digi`.
    pub item_unit: String,
    /// Bytes that any implementation must move for an event, read and written: the mean.
    pub bytes_min: f64,
    /// Bytes of the inputs of all events of all streams, with a set of buffers for each stream.
    pub working_set_bytes: u64,
    /// The window in seconds.
    pub window_s: Option<f64>,
    /// Events that began and ended in the window: their times are in the quantiles.
    pub events: usize,
    /// Items in a second, of all streams.
    pub items_per_s: Option<f64>,
    /// The lower end of its 95 % interval.
    pub items_per_s_low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub items_per_s_high: Option<f64>,
    /// Events in a second, of all streams.
    pub events_per_s: Option<f64>,
    /// The median time of an event, in seconds.
    pub p50_s: Option<f64>,
    /// The lower end of its 95 % interval.
    pub p50_low_s: Option<f64>,
    /// The upper end of its 95 % interval.
    pub p50_high_s: Option<f64>,
    /// The 99th percentile of the time of an event, in seconds.
    pub p99_s: Option<f64>,
    /// The lower end of its 95 % interval; unknown of few events.
    pub p99_low_s: Option<f64>,
    /// The upper end of its 95 % interval; unknown of few events.
    pub p99_high_s: Option<f64>,
    /// The longest time of an event, in seconds.
    pub max_s: Option<f64>,
    /// The share of the streams' time that went into handing events over: fresh input, and
    /// buffers.
    pub delivery_share: Option<f64>,
    /// CPU time of the process over that of all CPUs that it may use.
    pub cores_share: Option<f64>,
    /// CPU time of all others, on the CPUs that the process may use, over that of these CPUs.
    pub others_share: Option<f64>,
    /// `bytes_min` of all events over what memory copies at most: that of the host with all CPUs,
    /// or of the GPUs.
    pub copy_share: Option<f64>,
    /// Bytes of copies over what the links of the GPUs carry at most: of several, all at once.
    pub link_share: Option<f64>,
    /// Time that the kernels of all events take one after the other, over that of the GPUs.
    pub kernels_share: Option<f64>,
    /// The mean power of all processors in the window, in watts, by their own counters.
    pub cpu_w: Option<f64>,
    /// The mean power of the GPUs in the window, in watts, by their own counters.
    pub gpu_w: Option<f64>,
    /// Whether all outputs were right, before and after.
    pub valid: YesNo,
    /// What a reader should know about the row.
    pub note: String,
}

/// One event within a window. The order of the fields is the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The point's.
    pub point_id: String,
    /// The stream, from 0.
    pub stream: usize,
    /// Which of the events of its batch, from 0.
    pub event: usize,
    /// When its input was being handed over, in seconds from the beginning of the window.
    pub begin_s: f64,
    /// The time that handing it over took, in seconds.
    pub delivery_s: f64,
    /// The time from when its input was there until its output was, in seconds.
    pub seconds: f64,
}

impl ThroughputRow {
    /// The header of `throughput.csv`.
    pub const COLUMNS: &str = "point_id,algorithm,variant,backend,device,threads,places,bind,\
        params,streams,batch,processes,items,item_unit,bytes_min,working_set_bytes,window_s,events,\
        items_per_s,items_per_s_low,items_per_s_high,events_per_s,p50_s,p50_low_s,p50_high_s,\
        p99_s,p99_low_s,p99_high_s,max_s,delivery_share,cores_share,others_share,copy_share,link_share,\
        kernels_share,cpu_w,gpu_w,valid,note";

    /// The row of so many streams, with a batch each and driven by so many processes, of which
    /// nothing is known.
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
            places: point.places,
            bind: point.bind,
            params: point.params,
            streams,
            batch,
            processes,
            ..ThroughputRow::default()
        }
    }

    /// Items in a second of a row that is valid.
    pub fn rate(&self) -> Option<f64> {
        let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
        self.items_per_s.filter(|rate| self.valid == YesNo::Yes && is_rate(rate))
    }

    /// The ends of the interval of that.
    pub fn rate_interval(&self) -> Option<(f64, f64)> {
        self.items_per_s_low.zip(self.items_per_s_high)
    }

    /// Over how many devices streams are spread.
    pub fn devices(&self) -> usize {
        // What has no number says something of the one before: `wgpu:0+checked`.
        let named = self.device.split('+').filter(|name| name.contains(':')).count();
        named.max(1)
    }

    /// Items for each second that a CPU had worked.
    pub fn items_per_cpu_share(&self) -> Option<f64> {
        let share = self.cores_share.filter(|&share| share > 0.0)?;
        Some(self.rate()? / share)
    }

    /// Events for each joule of processors and GPUs, as far as they are known.
    pub fn events_per_j(&self) -> Option<f64> {
        let watts = match (self.cpu_w, self.gpu_w) {
            (None, None) => None,
            (cpu, gpu) => Some(cpu.unwrap_or_default() + gpu.unwrap_or_default()),
        };
        Some(self.events_per_s? / watts.filter(|&watts| watts > 0.0)?)
    }

    /// All that tells points apart but the streams and where they run: data and batch.
    pub fn setting(&self) -> Axes {
        let params = shape::param_axes(&self.algorithm, &self.params).into_iter();
        let own = [
            ("batch", self.batch.to_string()),
            ("places", self.places.clone()),
            ("bind", self.bind.clone()),
        ];
        params.chain(own.map(|(name, value)| (name.into(), value))).collect()
    }
}

/// Streams without a word on it are of one process.
fn one() -> usize {
    1
}

impl EventRow {
    /// The header of `events.csv`.
    pub const COLUMNS: &str = "point_id,stream,event,begin_s,delivery_s,seconds";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_the_fields() {
        let header = |text: Vec<u8>| -> String {
            let text = String::from_utf8(text).expect("a text");
            text.lines().next().expect("a header").to_owned()
        };
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.serialize(ThroughputRow::default()).expect("written");
        assert_eq!(header(rows.into_inner().expect("written")), ThroughputRow::COLUMNS);
        let mut events = csv::Writer::from_writer(Vec::new());
        events.serialize(EventRow::default()).expect("written");
        assert_eq!(header(events.into_inner().expect("written")), EventRow::COLUMNS);
    }

    #[test]
    fn energy_is_of_all_that_tells() {
        let row = ThroughputRow {
            events_per_s: Some(100.0),
            cpu_w: Some(30.0),
            gpu_w: Some(20.0),
            ..ThroughputRow::default()
        };
        assert_eq!(row.events_per_j(), Some(2.0));
        let unknown = ThroughputRow { cpu_w: None, gpu_w: None, ..row };
        assert_eq!(unknown.events_per_j(), None);
    }

    #[test]
    fn streams_and_batch_tell_points_apart() {
        let point = Point { algorithm: "sts".into(), ..Point::default() };
        let id = |counts| ThroughputRow::new(&point, counts).point_id;
        assert_eq!(id([1, 2, 1]), id([1, 2, 1]));
        assert!(id([1, 2, 1]) != id([2, 2, 1]) && id([1, 2, 1]) != id([1, 4, 1]));
        assert_ne!(id([2, 2, 1]), id([2, 2, 2]));
        assert!(ThroughputRow::new(&point, [1, 2, 1]).params.iter().next().is_none());
    }
}
