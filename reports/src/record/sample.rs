//! One row of `samples.csv`.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Params, Point, SummaryRow};

/// The flags of samples.
pub mod flags {
    /// The first sample of a block: data and buffers were newly created.
    pub const FRESH: &str = "fresh";
    /// A worker was outside its CPU set: the sample does not count.
    pub const OUTSIDE_CPU_SET: &str = "outside-place";
    /// A worker was on another CPU afterwards.
    pub const MIGRATED: &str = "migrated";
    /// A core was far below its usual clock.
    pub const SLOW_CLOCK: &str = "slow-clock";
    /// Another process used a core.
    pub const DISTURBED: &str = "disturbed";
    /// Power, heat or the hardware limited the clock of a GPU.
    pub const THROTTLED: &str = "throttled";
    /// The CPU quota was used up during the sample: threads were stopped.
    pub const QUOTA_THROTTLED: &str = "quota-throttled";
    /// The stages of a GPU include launch delays of the host.
    pub const LATE_LAUNCHES: &str = "late-launches";
    /// Separator of flags.
    pub const JOINT: char = '+';

    /// True if a flag is among those set.
    pub fn has(flags: &str, flag: &str) -> bool {
        flags.split(JOINT).any(|set| set == flag)
    }
}

/// One sample of one stage. The order of the fields is the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// The sample's index within the point, from 0.
    pub sample: usize,
    /// The measured time in seconds.
    pub seconds: f64,
    /// The CPU of each worker, in order of the workers: `0+1`.
    pub cpu: String,
    /// The effective clock just before the sample, in MHz.
    pub clock_mhz: Option<f64>,
    /// Flags of the sample, joined by `+`: see [`flags`].
    pub flags: String,
    /// CPU time in seconds of the worker of a team of one; runs of earlier versions don't have it.
    #[serde(default)]
    pub cpu_s: Option<f64>,
    /// Hardware counters during the run, summed over all threads, if requested:
    /// `cycles=…;instructions=…`. Only in the row of the total.
    #[serde(default)]
    pub counters: Params,
    /// Time in seconds for which the worker of a team of one was ready to run and waited for a
    /// core, if the kernel counts it; runs of earlier versions don't have it.
    #[serde(default)]
    pub run_delay_s: Option<f64>,
}

impl SampleRow {
    /// The header of `samples.csv`.
    pub const COLUMNS: &str = "point_id,algorithm,variant,stage,device,threads,params,round,\
        sample,seconds,cpu,clock_mhz,flags,cpu_s,counters,run_delay_s";

    /// A row for one stage of a sample of `point`, without flags.
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
            cpu_s: None,
            counters: Params::default(),
            run_delay_s: None,
        }
    }
}

/// Removes the samples of points that have no row.
pub fn retain_samples_of(rows: &[SummaryRow], samples: &mut Vec<SampleRow>) {
    let ids: HashSet<String> = rows.iter().map(|row| row.point().id()).collect();
    samples.retain(|sample| ids.contains(&sample.point_id));
}
