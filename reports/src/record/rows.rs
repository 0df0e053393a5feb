//! The rows of `samples.csv` and `summary.csv`.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Params, Point};
use crate::row::{Cell, row};

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

row! {
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
        pub seconds in "s": f64,
        /// The CPU of each worker, in order of the workers: `0+1`.
        pub cpu: String,
        /// The effective clock just before the sample, in MHz.
        pub clock_mhz in "MHz": Option<f64>,
        /// Flags of the sample, joined by `+`: see [`flags`].
        pub flags: String,
        /// CPU time in seconds of the worker of a team of one; runs of earlier versions don't have it.
        #[serde(default)]
        pub cpu_s in "s": Option<f64>,
        /// Hardware counters during the run, summed over all threads, if requested:
        /// `cycles=…;instructions=…`. Only in the row of the total.
        #[serde(default)]
        pub counters: Params,
        /// Time in seconds for which the worker of a team of one was ready to run and waited for a
        /// core, if the kernel counts it; runs of earlier versions don't have it.
        #[serde(default)]
        pub run_delay_s in "s": Option<f64>,
        /// Start of the measurement, in seconds from the start of the run by a monotonic clock; of a
        /// stage that of its first call. Runs of earlier versions don't have it, and neither do
        /// stages whose times are added up over workers.
        #[serde(default, deserialize_with = "finite")]
        pub start_s in "s": Option<f64>,
    }
}

impl SampleRow {
    /// The header of `samples.csv`.
    pub const COLUMNS: &str = "point_id,algorithm,variant,stage,device,threads,params,round,\
        sample,seconds,cpu,clock_mhz,flags,cpu_s,counters,run_delay_s,start_s";

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
            start_s: None,
        }
    }
}

/// Removes the samples of points that have no row.
pub fn retain_samples_of(rows: &[SummaryRow], samples: &mut Vec<SampleRow>) {
    let ids: HashSet<String> = rows.iter().map(|row| row.point().id()).collect();
    samples.retain(|sample| ids.contains(&sample.point_id));
}

/// `yes` or `no` in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// Written `yes`.
    Yes,
    /// Written `no`.
    #[default]
    No,
}

impl From<&YesNo> for Cell<'_> {
    fn from(flag: &YesNo) -> Self {
        Cell::Flag(*flag == YesNo::Yes)
    }
}

impl YesNo {
    /// The word that is written.
    pub fn name(self) -> &'static str {
        match self {
            YesNo::Yes => "yes",
            YesNo::No => "no",
        }
    }
}

impl From<bool> for YesNo {
    fn from(yes: bool) -> Self {
        if yes { YesNo::Yes } else { YesNo::No }
    }
}

row! {
    /// One point and stage. The order of the fields is the order of the columns.
    ///
    /// A row that is not valid has no times: its `note` contains the reason. All numbers are finite:
    /// others are `None`.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub struct SummaryRow {
        /// The subcommand's name.
        pub algorithm: String,
        /// The variant's name.
        pub variant: String,
        /// `total`, or a stage of a variant that reports stages.
        pub stage: String,
        /// `cpu` or `cuda`.
        pub backend: String,
        /// `cpu`, `cuda:0`.
        pub device: String,
        /// Threads on the host.
        pub threads: usize,
        /// CPU sets of the threads.
        pub cpu_sets as "places": String,
        /// Binding of the threads to CPU sets.
        pub bind: String,
        /// `hot` or `cold`.
        pub cache: String,
        /// The data shape and the task's other axes.
        pub params: Params,
        /// Number of items that the task processed.
        pub items: u64,
        /// Unit of the items: `digi`.
        pub item_unit: String,
        /// The bytes that any implementation must move (read and written).
        pub bytes_min in "B": u64,
        /// The number of samples.
        pub samples: usize,
        /// Reason for the end of sampling: `interval`, `samples`, `time` or `interrupt`.
        pub stopped_by: String,
        /// Median in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub median_s in "s": Option<f64>,
        /// Mean in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub mean_s in "s": Option<f64>,
        /// Sample standard deviation in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub stddev_s in "s": Option<f64>,
        /// Fastest sample in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub min_s in "s": Option<f64>,
        /// 95th percentile in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub p95_s in "s": Option<f64>,
        /// 99th percentile in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub p99_s in "s": Option<f64>,
        /// Slowest sample in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub max_s in "s": Option<f64>,
        /// Lower end of the 95 % confidence interval of the median, in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub ci95_low_s in "s": Option<f64>,
        /// Upper end of the 95 % confidence interval of the median, in seconds.
        #[serde(default, deserialize_with = "finite")]
        pub ci95_high_s in "s": Option<f64>,
        /// `items` over the median.
        #[serde(default, deserialize_with = "finite")]
        pub items_per_s in "1/s": Option<f64>,
        /// `bytes_min` over the median.
        #[serde(default, deserialize_with = "finite")]
        pub bytes_per_s in "B/s": Option<f64>,
        /// `bytes_per_s` over the bandwidth measured in the same run: see
        /// [`SummaryRow::ceiling`].
        #[serde(default, deserialize_with = "finite")]
        pub peak_fraction: Option<f64>,
        /// Every buffer alive during the run, the input included.
        pub memory_bytes in "B": Option<u64>,
        /// `memory_bytes` over the size of the input.
        #[serde(default, deserialize_with = "finite")]
        pub memory_ratio: Option<f64>,
        /// True if equal keys keep their order.
        pub stable: YesNo,
        /// True if the output was right on this input.
        pub valid: YesNo,
        /// The machine code that ran.
        pub fingerprint: String,
        /// Kind of input of the run or the stage; empty if it is the same for all variants.
        #[serde(default)]
        pub given: String,
        /// Further metrics of the task: `name=value;name=value`.
        pub metrics: Params,
        /// Notes on the row.
        pub note: String,
        /// Energy of an item in joules: the median over windows of repeated runs. Unknown where
        /// nothing can measure it.
        #[serde(default, deserialize_with = "finite")]
        pub j_per_item in "J": Option<f64>,
        /// Lower end of its 95 % confidence interval; unknown for fewer than six windows.
        #[serde(default, deserialize_with = "finite")]
        pub j_per_item_low in "J": Option<f64>,
        /// Upper end of its 95 % confidence interval.
        #[serde(default, deserialize_with = "finite")]
        pub j_per_item_high in "J": Option<f64>,
        /// Meters of the energy: `cpu`, `cpu+gpu`, `gpu` or `command`, and `minus idle` if the
        /// power of the idle machine was subtracted. Runs of earlier versions have none.
        #[serde(default)]
        pub energy_source: String,
        /// Time that the windows covered, in seconds, without that for fresh input.
        #[serde(default, deserialize_with = "finite")]
        pub energy_s in "s": Option<f64>,
        /// Energy of an item in each window, joined by `+`.
        #[serde(default)]
        pub energy_windows in "J": String,
    }
}

/// Prefix of the note of a variant with wrong output.
pub const WRONG: &str = "wrong output: ";
/// Prefix of the note of a variant that failed on its device.
pub const FAILED: &str = "failed: ";
/// The level of intervals with enough samples.
pub const FULL_LEVEL: f64 = 0.95;
/// The metric with the level of an interval of fewer samples.
pub const INTERVAL_LEVEL: &str = "interval_level";
/// The metric with the energy of an item.
pub const J_PER_ITEM: &str = "j_per_item";
/// Separator of windows.
const WINDOW_SEPARATOR: &str = "+";
/// Share of a memory's bandwidth from which on data must have come from a cache: the error of
/// bandwidths is smaller.
const IN_CACHE: f64 = 1.05;

/// Bandwidth that a row's bytes per second are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ceiling {
    /// The copy bandwidth of the device's memory, with the same number of threads.
    Copy,
    /// The bandwidth of the link between host and device: both directions for a complete run, one
    /// direction for a copy.
    Link,
}

/// A finite number, or `None` for an empty column and for NaN and infinity, which other tools
/// write.
fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number: Option<f64> = Option::deserialize(deserializer)?;
    Ok(number.filter(|number| number.is_finite()))
}

impl SummaryRow {
    /// The header of `summary.csv`.
    pub const COLUMNS: &str = "algorithm,variant,stage,backend,device,threads,places,bind,cache,\
        params,items,item_unit,bytes_min,samples,stopped_by,median_s,mean_s,stddev_s,min_s,p95_s,\
        p99_s,max_s,ci95_low_s,ci95_high_s,items_per_s,bytes_per_s,peak_fraction,memory_bytes,\
        memory_ratio,stable,valid,fingerprint,given,metrics,note,j_per_item,j_per_item_low,\
        j_per_item_high,energy_source,energy_s,energy_windows";

    /// The row of a stage of `point` without results.
    pub fn new(point: &Point, stage: &str) -> Self {
        let point = point.clone();
        SummaryRow {
            algorithm: point.algorithm,
            variant: point.variant,
            stage: stage.to_owned(),
            device: point.device,
            threads: point.threads,
            cpu_sets: point.cpu_sets,
            bind: point.bind,
            cache: point.cache,
            params: point.params,
            ..SummaryRow::default()
        }
    }

    /// The level of the median's interval: [`FULL_LEVEL`], or less for few samples.
    pub fn interval_level(&self) -> f64 {
        self.metrics.number(INTERVAL_LEVEL).unwrap_or(FULL_LEVEL)
    }

    /// The interval of the median, if it is one of 95 %.
    pub fn full_interval(&self) -> Option<(f64, f64)> {
        let interval = self.ci95_low_s.zip(self.ci95_high_s);
        interval.filter(|_| self.interval_level() >= FULL_LEVEL)
    }

    /// True if its note says that the output of the variant was wrong, or that it failed on its
    /// device.
    pub fn notes_failure(&self) -> bool {
        [WRONG, FAILED].iter().any(|prefix| self.note.starts_with(prefix))
    }

    /// The median of a valid row, if it is a time.
    pub fn valid_median(&self) -> Option<f64> {
        let is_time = |median: &f64| median.is_finite() && *median > 0.0;
        self.median_s.filter(|median| self.valid == YesNo::Yes && is_time(median))
    }

    /// Energy of an item of a valid row in joules. Runs of earlier versions have that of their GPUs
    /// among the metrics.
    pub fn joules_per_item(&self) -> Option<f64> {
        let recorded = || self.metrics.number(J_PER_ITEM).filter(|_| self.energy_source.is_empty());
        let joules = self.j_per_item.or_else(recorded);
        joules.filter(|joules| self.valid == YesNo::Yes && joules.is_finite() && *joules > 0.0)
    }

    /// The 95 % confidence interval of that energy, if there were enough windows.
    pub fn energy_interval(&self) -> Option<(f64, f64)> {
        self.j_per_item_low.zip(self.j_per_item_high)
    }

    /// Meters of the energy; in runs of earlier versions the GPU.
    pub fn energy_source(&self) -> &str {
        if self.energy_source.is_empty() { "gpu" } else { &self.energy_source }
    }

    /// Energy of an item in each window, in joules; none if one of them is not a number.
    pub fn joules_of_windows(&self) -> Vec<f64> {
        let numbers = self.energy_windows.split(WINDOW_SEPARATOR).map(|it| it.parse::<f64>().ok());
        let positive = |joules: &f64| joules.is_finite() && *joules > 0.0;
        let numbers: Option<Vec<f64>> = numbers.map(|number| number.filter(positive)).collect();
        numbers.unwrap_or_default()
    }

    /// Sets the energy of an item in each window.
    pub fn set_windows(&mut self, joules: &[f64]) {
        let numbers: Vec<String> = joules.iter().map(|joules| format!("{joules:e}")).collect();
        self.energy_windows = numbers.join(WINDOW_SEPARATOR);
    }

    /// Bandwidth of [`SummaryRow::peak_fraction`]. A complete run on a GPU has to move its data
    /// over the link, whatever its kernels do.
    pub fn ceiling(&self) -> Ceiling {
        let leaf = self.stage.rsplit('/').next().unwrap_or_default();
        match leaf {
            "total" | "sample" | "h2d" | "d2h" if self.device != "cpu" => Ceiling::Link,
            _ => Ceiling::Copy,
        }
    }

    /// True if its bytes per second exceed the bandwidth of memory, so that data were in a cache.
    pub fn is_in_cache(&self) -> bool {
        let above = self.peak_fraction.is_some_and(|share| share > IN_CACHE);
        above && self.ceiling() == Ceiling::Copy
    }

    /// The point that the row belongs to.
    pub fn point(&self) -> Point {
        Point {
            algorithm: self.algorithm.clone(),
            variant: self.variant.clone(),
            device: self.device.clone(),
            threads: self.threads,
            cpu_sets: self.cpu_sets.clone(),
            bind: self.bind.clone(),
            cache: self.cache.clone(),
            params: self.params.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_written_exactly() {
        let mut row = SummaryRow::default();
        assert!(row.joules_of_windows().is_empty());
        row.set_windows(&[1.25e-8, 3e20, 0.1]);
        assert_eq!(row.energy_windows, "1.25e-8+3e20+1e-1");
        assert_eq!(row.joules_of_windows(), [1.25e-8, 3e20, 0.1]);
        for damaged in ["1e-8+x", "1e-8+NaN", "1+-1", "+", "1++2"] {
            let row = SummaryRow { energy_windows: damaged.into(), ..SummaryRow::default() };
            assert!(row.joules_of_windows().is_empty(), "{damaged}");
        }
    }

    #[test]
    fn energy_of_earlier_runs_is_a_metric() {
        let metrics: Params = "j_per_item=2.000e-3".parse().expect("well formed");
        let earlier = SummaryRow { metrics, valid: YesNo::Yes, ..SummaryRow::default() };
        assert_eq!((earlier.joules_per_item(), earlier.energy_source()), (Some(2e-3), "gpu"));
        let today =
            SummaryRow { j_per_item: Some(1e-3), energy_source: "cpu".into(), ..earlier.clone() };
        assert_eq!((today.joules_per_item(), today.energy_source()), (Some(1e-3), "cpu"));
        let failed = SummaryRow { j_per_item: None, ..today.clone() };
        assert_eq!(failed.joules_per_item(), None);
        assert_eq!(SummaryRow { valid: YesNo::No, ..today }.joules_per_item(), None);
    }
}
