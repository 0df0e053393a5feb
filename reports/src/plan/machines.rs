//! Kinds of machines, and the runs that measured them.

use crate::store::{StreamRun, ThroughputRun};

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

/// Run of streams of events, with its folder.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Folder, as it is shown.
    pub folder: String,
    /// The run.
    pub run: ThroughputRun,
}

impl Machine {
    /// GPUs of a node.
    pub fn gpus(&self) -> u64 {
        self.gpus.unwrap_or(0)
    }
}
