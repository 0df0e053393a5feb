//! Rows of `stream.csv` and `timeslices.csv`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::energy::EnergyParts;
use crate::record::{Params, Point, YesNo};
use crate::row::row;
use crate::shape::{self, Axes, AxisName};

/// Prefix of the note of a row with a wrong result.
pub const WRONG: &str = "wrong output";

row! {
    /// Results at one speed: timeslices that arrive at this multiple of the detector's rate. The order
    /// of the fields is the order of the columns.
    ///
    /// `due` is the sum of `done`, `lost`, `dropped` and `backlog`. Times are in seconds. A row that is
    /// not valid has the reason in its `note`; one without `due` has no results.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub struct StreamRow {
        /// Equal for equal points in any run.
        pub point_id: String,
        /// The task.
        pub algorithm: String,
        /// The variant's name.
        pub variant: String,
        /// `cpu`, `cuda` or `wgpu`.
        pub backend: String,
        /// `cpu`, `cuda:0`, or `cuda:0+cuda:1` over which processes are spread.
        pub device: String,
        /// The node, of several; empty for a single one, and for the sum of all.
        pub node: String,
        /// Nodes, each with a source and processes of its own.
        pub nodes: usize,
        /// Threads on the host of each process.
        pub threads: usize,
        /// CPU sets of the threads of all processes.
        pub cpu_sets as "places": String,
        /// Binding of the threads to CPU sets.
        pub bind: String,
        /// The data shape and the task's other axes.
        pub params: Params,
        /// Processes at the start, of all nodes.
        pub processes: usize,
        /// Rate at which timeslices arrived at each node, over the detector's rate.
        pub speed: f64,
        /// The detector's time in a timeslice.
        pub timeslice_s: f64,
        /// Spills of the accelerator, such as `4s/6s`; empty if there are no pauses.
        pub spill: String,
        /// The standard deviation of the interaction rate over its mean.
        pub jitter: f64,
        /// Maximum number of waiting timeslices.
        pub queue: usize,
        /// Action when the queue is full: `wait` or `drop`.
        pub when_full: String,
        /// Start of the emission, or its planned start: UTC, RFC 3339, by the node's clock.
        pub begin: String,
        /// Duration of the emission.
        pub duration_s: f64,
        /// Timeslices that were due in this time.
        pub due: u64,
        /// Timeslices that were emitted; others were delayed by a full queue until the end.
        pub emitted: u64,
        /// Timeslices with a result.
        pub done: u64,
        /// Timeslices without a result because workers were lost.
        pub lost: u64,
        /// Timeslices that were dropped because the queue was full.
        pub dropped: u64,
        /// Timeslices that no worker had begun at the end.
        pub backlog: u64,
        /// Timeslices that were handed to a second worker because the first one was lost.
        pub repeated: u64,
        /// Workers that were lost.
        pub workers_lost: usize,
        /// Maximum number of timeslices that waited at the same time, on one node.
        pub max_waiting as "most_waiting": u64,
        /// Results that were compared with the reference.
        pub checked: u64,
        /// Items of the timeslices that were due: the mean.
        pub items: f64,
        /// Unit of the items: `digi`.
        pub item_unit: String,
        /// Bytes of the timeslices that were due: the mean.
        pub bytes: f64,
        /// Items of all timeslices that are done.
        pub done_items: u64,
        /// Events that were built from those; unknown without event building.
        pub events: Option<u64>,
        /// Items that are in at least one event, each counted once.
        pub event_items: Option<u64>,
        /// The share of the items that are in at least one event.
        pub kept_share: Option<f64>,
        /// Timeslices that were due per second.
        pub due_per_s: Option<f64>,
        /// Timeslices with results within the duration, per second.
        pub done_per_s: Option<f64>,
        /// Items of those per second.
        pub items_per_s: Option<f64>,
        /// Bytes of those per second.
        pub bytes_per_s: Option<f64>,
        /// The median latency: from when a timeslice was due to its result.
        pub p50_s: Option<f64>,
        /// The lower end of its 95 % interval.
        pub p50_low_s: Option<f64>,
        /// The upper end of its 95 % interval.
        pub p50_high_s: Option<f64>,
        /// The 99th percentile of the latency.
        pub p99_s: Option<f64>,
        /// The lower end of its 95 % interval; unknown for few timeslices.
        pub p99_low_s: Option<f64>,
        /// The upper end of its 95 % interval; unknown for few timeslices.
        pub p99_high_s: Option<f64>,
        /// The 99.9th percentile of the latency.
        pub p999_s: Option<f64>,
        /// The lower end of its 95 % interval; unknown for few timeslices.
        pub p999_low_s: Option<f64>,
        /// The upper end of its 95 % interval; unknown for few timeslices.
        pub p999_high_s: Option<f64>,
        /// The longest latency.
        pub max_s: Option<f64>,
        /// The median processing time of a timeslice in its worker.
        pub work_p50_s: Option<f64>,
        /// The median time of event building, a part of the processing time; unknown without event
        /// building.
        pub building_p50_s: Option<f64>,
        /// The median delay of the emission, without timeslices that were delayed by a full queue.
        pub late_p50_s: Option<f64>,
        /// The 99th percentile of the delay.
        pub late_p99_s: Option<f64>,
        /// The longest delay.
        pub late_max_s: Option<f64>,
        /// CPU time of the workers over that of all CPUs that they may use.
        pub cores_share: Option<f64>,
        /// CPU time of other processes on the same CPUs over that of these CPUs.
        pub others_share: Option<f64>,
        /// Energy of the processors in joules, by their own counters.
        pub cpu_j: Option<f64>,
        /// Energy of the GPUs in joules, by their own counters.
        pub gpu_j: Option<f64>,
        /// `yes` if the workers kept up.
        pub kept_up: YesNo,
        /// `yes` if all results that were compared were right.
        pub valid: YesNo,
        /// Notes on the row.
        pub note: String,
        /// Time of the workers spent on comparing results, over that spent on processing timeslices.
        /// Runs of earlier versions have none.
        #[serde(default)]
        pub check_share: Option<f64>,
        /// Part of the segments that was compared bit by bit: the mean over results that were compared.
        #[serde(default)]
        pub compared_share: Option<f64>,
        /// Energy in joules by the command of `--power-command`.
        #[serde(default)]
        pub command_j: Option<f64>,
        /// Energy of an item in joules; unknown where nothing can measure it.
        #[serde(default)]
        pub j_per_item: Option<f64>,
        /// Meters of that energy: `cpu`, `cpu+gpu`, `gpu` or `command`, and `minus idle` if the
        /// power of the idle machine was subtracted. Runs of earlier versions have none.
        #[serde(default)]
        pub energy_source: String,
    }
}

/// One timeslice. The order of the fields is the order of the columns. Times are in seconds from
/// the start of the emission; missing events are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimesliceRow {
    /// Id of the point.
    pub point_id: String,
    /// The node, of several.
    pub node: String,
    /// Its index, from 0.
    pub timeslice: u64,
    /// Index of the prepared data.
    pub data: usize,
    /// When it was due.
    pub due_s: f64,
    /// When it was emitted.
    pub emitted_s: Option<f64>,
    /// When a worker began with it.
    pub begun_s: Option<f64>,
    /// When its result was available.
    pub ended_s: Option<f64>,
    /// The last worker that processed it.
    pub worker: Option<usize>,
    /// Its final state.
    pub fate: TimesliceState,
    /// `yes` if it was emitted late, or not at all, because the queue was full.
    pub held: YesNo,
    /// `yes` if its result was compared with the reference.
    pub checked: YesNo,
    /// Its digis.
    pub digis: u64,
    /// The clusters that are in these data.
    pub clusters: u64,
    /// The hits that are in these data.
    pub hits: u64,
    /// Bytes of the input: digis, or raw data. Runs of earlier versions have none.
    #[serde(default)]
    pub bytes: u64,
    /// The events that its worker has built from it; unknown without event building.
    pub events: Option<u64>,
    /// Its digis that are in at least one event, each counted once.
    pub event_digis: Option<u64>,
    /// Time that its worker spent on building events.
    pub building_s: Option<f64>,
    /// Time that its worker spent on comparing the result; unknown if it was not compared.
    #[serde(default)]
    pub check_s: Option<f64>,
}

/// Final state of a timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimesliceState {
    /// It has a result.
    Done,
    /// Its workers were lost.
    Lost,
    /// It was dropped because the queue was full.
    Dropped,
    /// No worker had begun with it at the end.
    #[default]
    Backlog,
}

impl StreamRow {
    /// The row of a speed without results.
    pub fn new(point: &Point, processes: usize, speed: f64) -> Self {
        let mut identity = point.clone();
        identity.params.set("processes", processes.to_string());
        identity.params.set("speed", speed.to_string());
        let point = point.clone();
        StreamRow {
            point_id: identity.id(),
            algorithm: point.algorithm,
            variant: point.variant,
            device: point.device,
            nodes: 1,
            threads: point.threads,
            cpu_sets: point.cpu_sets,
            bind: point.bind,
            params: point.params,
            processes,
            speed,
            ..StreamRow::default()
        }
    }

    /// True if the row has results.
    pub fn is_measured(&self) -> bool {
        self.valid == YesNo::Yes && self.due > 0
    }

    /// True if a result was wrong.
    pub fn is_wrong(&self) -> bool {
        self.valid == YesNo::No && self.note.starts_with(WRONG)
    }

    /// Completed rate over the detector's rate, per node on average.
    pub fn speed_done(&self) -> Option<f64> {
        Some(self.done_per_s? * self.timeslice_s / self.nodes.max(1) as f64)
    }

    /// Sets the numbers of events that were built from completed timeslices.
    pub fn set_events(&mut self, events: Option<u64>, event_items: Option<u64>) {
        (self.events, self.event_items) = (events, event_items);
        let share = |kept: u64| kept as f64 / self.done_items as f64;
        self.kept_share = event_items.filter(|_| self.done_items > 0).map(share);
    }

    /// Energy of an item in joules; in runs of earlier versions by the counters.
    pub fn joules_per_item(&self) -> Option<f64> {
        if self.j_per_item.is_some() || !self.energy_source.is_empty() {
            return self.j_per_item;
        }
        let parts = EnergyParts { cpu: self.cpu_j, gpu: self.gpu_j, command: None };
        let (joules, _) = parts.total(&self.device)?;
        let items = self.items_per_s? * self.duration_s;
        Some(joules / items).filter(|joules| joules.is_finite() && *joules > 0.0)
    }

    /// Completed timeslices per joule.
    pub fn done_per_j(&self) -> Option<f64> {
        Some(self.done_per_s? / (self.joules_per_item()? * self.items_per_s?))
    }

    /// All axes that distinguish points except for speed and device.
    pub fn setting(&self) -> Axes {
        let params = shape::param_axes(&self.algorithm, &self.params).into_iter();
        let own = [
            (AxisName::count("nodes"), self.nodes.to_string()),
            (AxisName::count("workers"), self.processes.to_string()),
            ("spill".into(), self.spill.clone()),
            ("jitter".into(), self.jitter.to_string()),
            ("places".into(), self.cpu_sets.clone()),
            ("bind".into(), self.bind.clone()),
        ];
        let is_said = |(name, value): &(AxisName, String)| match name.as_str() {
            "nodes" => value != "1",
            "spill" => !value.is_empty(),
            "jitter" => value != "0",
            _ => true,
        };
        params.chain(own.into_iter().filter(is_said)).collect()
    }
}

impl TimesliceRow {
    /// Time from when it was due to its result.
    pub fn latency_s(&self) -> Option<f64> {
        Some(self.ended_s? - self.due_s)
    }
}

impl fmt::Display for TimesliceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimesliceState::Done => "done",
            TimesliceState::Lost => "lost",
            TimesliceState::Dropped => "dropped",
            TimesliceState::Backlog => "backlog",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, timeslice};
    use super::*;

    #[test]
    fn processes_and_speed_distinguish_points() {
        let point = Point { algorithm: "sts".into(), ..Point::default() };
        let id = |processes, speed| StreamRow::new(&point, processes, speed).point_id;
        assert_eq!(id(1, 2.0), id(1, 2.0));
        assert!(id(1, 2.0) != id(2, 2.0) && id(1, 2.0) != id(1, 4.0));
    }

    #[test]
    fn energy_of_earlier_runs_is_that_of_their_counters() {
        let row = StreamRow {
            done_per_s: Some(10.0),
            items_per_s: Some(200.0),
            duration_s: 10.0,
            cpu_j: Some(30.0),
            gpu_j: Some(20.0),
            ..row(1.0)
        };
        assert_eq!(row.joules_per_item(), Some(0.025));
        assert_eq!(row.done_per_j(), Some(2.0));
        let recorded =
            StreamRow { j_per_item: Some(0.02), energy_source: "command".into(), ..row.clone() };
        assert_eq!(recorded.done_per_j(), Some(2.5));
        assert_eq!(StreamRow { j_per_item: None, ..recorded }.joules_per_item(), None);
        assert_eq!(StreamRow { gpu_j: None, cpu_j: None, ..row }.done_per_j(), None);
    }

    #[test]
    fn fates_are_written_as_they_are_shown() {
        let row = TimesliceRow { fate: TimesliceState::Dropped, ..timeslice(3, 0.1) };
        let mut rows = csv::Writer::from_writer(Vec::new());
        rows.serialize(row).expect("written");
        let text = String::from_utf8(rows.into_inner().expect("written")).expect("a text");
        assert!(text.contains(&TimesliceState::Dropped.to_string()), "{text}");
    }
}
