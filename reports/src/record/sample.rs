//! One row of `samples.csv`.

use serde::{Deserialize, Serialize};

use super::{Params, Point};

/// One sample of one stage. The order of the fields is the order of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
    /// See [`Point::id`].
    pub point_id: String,
    /// The subcommand's name.
    pub algorithm: String,
    /// The variant's name.
    pub variant: String,
    /// `total`, or a stage of a variant that reports stages.
    pub stage: String,
    /// `cpu`, `cuda:0`.
    pub device: String,
    /// Threads on the host.
    pub threads: usize,
    /// The data shape and the task's other axes.
    pub params: Params,
    /// The interleaving round, from 0.
    pub round: usize,
    /// The sample's number within the point, from 0.
    pub sample: usize,
    /// The measured time in seconds.
    pub seconds: f64,
    /// The CPU that each worker ran on, in order of the workers: `0+1`.
    pub cpu: String,
    /// The effective clock seen just before the sample, in MHz.
    pub clock_mhz: Option<f64>,
    /// What was odd about the sample, joined by `+`: `migrated`, `slow-clock`.
    pub flags: String,
}

impl SampleRow {
    /// The header of `samples.csv`.
    pub const COLUMNS: &str = "point_id,algorithm,variant,stage,device,threads,params,round,\
        sample,seconds,cpu,clock_mhz,flags";

    /// A row for one stage of a sample of `point`, with nothing odd about it.
    pub fn new(point: &Point, stage: &str, round: usize, sample: usize, seconds: f64) -> Self {
        SampleRow {
            point_id: point.id(),
            algorithm: point.algorithm.clone(),
            variant: point.variant.clone(),
            stage: stage.to_owned(),
            device: point.device.clone(),
            threads: point.threads,
            params: point.params.clone(),
            round,
            sample,
            seconds,
            cpu: String::new(),
            clock_mhz: None,
            flags: String::new(),
        }
    }
}
