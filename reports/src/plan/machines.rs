//! Kinds of machines, and the runs that measured them.

use crate::mixed::LoadRow;
use crate::store::{MixedRun, StreamRun, ThroughputRun};

/// Kind of machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Path of the file that it was read from.
    pub file: String,
    /// Name.
    pub name: String,
    /// Price of a node in euros.
    pub price_eur: f64,
    /// Power of an idle node in watts.
    pub idle_w: f64,
    /// Power of a fully used node in watts.
    pub peak_w: f64,
    /// Height of a node in rack units.
    pub rack_units: f64,
    /// Bandwidth of a node's network in gigabits per second.
    pub network_gbit_s: f64,
    /// Share of the time that a node works, if the file says it.
    pub availability: Option<f64>,
    /// GPUs of a node; `None` if the file has none.
    pub gpus: Option<u64>,
    /// Runs that measured it.
    pub runs: Vec<KeptRun>,
    /// Stream that was measured on a node, to simulate the farm with.
    pub stream: Option<KeptStream>,
}

/// Run of timeslices that came when they were due, with its folder.
#[derive(Clone, Debug)]
pub struct KeptStream {
    /// Folder, as it is shown.
    pub folder: String,
    /// The run.
    pub run: StreamRun,
}

/// Run of streams of events or of a mix of loads, with its folder.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Folder, as it is shown.
    pub folder: String,
    /// The run; of a mix of loads its rates together.
    pub run: ThroughputRun,
    /// Concurrency of its tasks.
    pub concurrency: Concurrency,
}

/// Concurrency of the tasks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// One task at a time: on a node, tasks take turns.
    Isolated,
    /// All tasks of a mix: a node sustains all their rates at the same time.
    Together,
}

impl KeptRun {
    /// A mix of loads as a run of its rates together.
    pub fn from_mix(folder: String, mix: MixedRun) -> Self {
        let MixedRun { record, loads } = mix;
        let loads = loads.iter().filter(|load| !load.is_background());
        let rows = loads.map(LoadRow::together).collect();
        let run = ThroughputRun { record, rows };
        KeptRun { folder, run, concurrency: Concurrency::Together }
    }
}

impl Machine {
    /// GPUs of a node.
    pub fn gpus(&self) -> u64 {
        self.gpus.unwrap_or(0)
    }
}
