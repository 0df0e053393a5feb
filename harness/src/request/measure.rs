//! What `bench sort` and the like are asked for, and suites ask for part by part.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::device::Device;
use algorithms::task::Task;
use reports::rank::Rank;
use reports::table::Format;

use super::{AxisValues, Outputs, SampleRange};
use crate::platform::placement::{BindLevels, PlacesSpec};

/// A task to measure.
pub struct MeasureRequest {
    /// The task.
    pub task: &'static dyn Task,
    /// Where its input comes from.
    pub source: Source,
    /// Globs of variants; all if empty.
    pub variants: Vec<String>,
    /// Where to run.
    pub devices: Vec<Device>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Places of the threads; empty for no placement.
    pub places: Vec<PlacesSpec>,
    /// Bindings of threads to places; empty for the default.
    pub binds: Vec<BindLevels>,
    /// States of the cache.
    pub caches: Vec<CacheMode>,
    /// Seed of the data and of the sampling order.
    pub seed: u64,
    /// How many samples to take.
    pub samples: SampleRange,
    /// Wall-clock budget for a variant and point.
    pub max_time: Duration,
    /// Width of the interval of the median, relative to it, that is enough.
    pub precision: f64,
    /// Where the results go; a new folder below `results/` if not given.
    pub out: Option<PathBuf>,
    /// How to print the table, and into which files.
    pub format: Outputs<Format>,
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// Where the history is kept.
    pub store: Option<PathBuf>,
    /// Time for all points together.
    pub budget: Option<Duration>,
    /// Only say what would be measured.
    pub dry_run: bool,
    /// The file with defaults of flags, if there is one.
    pub config: Option<PathBuf>,
    /// Whether to draw charts.
    pub charts: bool,
    /// No lines on how far it is.
    pub quiet: bool,
    /// One variant, few samples, no ceilings, no charts: to run below a profiler.
    pub profile: bool,
    /// Whether to have the processor count cycles, instructions and misses.
    pub counters: bool,
    /// Shared libraries with more variants.
    pub plugins: Vec<PathBuf>,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// Where the input of a task comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Generated, for each combination of these values.
    Generated(AxisValues),
    /// Read from a file, once for each combination of what was said about it.
    File {
        /// The file.
        path: PathBuf,
        /// Values of [`Task::file_axes`].
        options: AxisValues,
    },
}

/// What is in the cache when a sample begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Whatever providing the input left there.
    Hot,
    /// Nothing of use.
    Cold,
}

impl CacheMode {
    /// All states.
    pub const ALL: [CacheMode; 2] = [CacheMode::Hot, CacheMode::Cold];

    /// The name in flags and records.
    pub fn name(self) -> &'static str {
        match self {
            CacheMode::Hot => "hot",
            CacheMode::Cold => "cold",
        }
    }
}

/// Pages of a file to be decoded, to see what is in them or to be sure that none is
/// damaged.
pub struct DecodeRequest {
    /// The measuring, if there is to be any; its source is a file.
    pub measuring: MeasureRequest,
    /// Where the digits go; nothing is measured then.
    pub digits: Option<PathBuf>,
    /// What becomes of damaged pages.
    pub damage: DamagePolicy,
}

/// What becomes of damaged pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamagePolicy {
    /// They are counted and left out.
    LeaveOut,
    /// The first one ends the command.
    Refuse,
}

/// Digis of a file to be reconstructed, to see what is found in them.
pub struct ReconstructRequest {
    /// The flags that measuring has too; the source is a file.
    pub measuring: MeasureRequest,
    /// Where the clusters go.
    pub clusters: Option<PathBuf>,
    /// Where the hits go.
    pub hits: Option<PathBuf>,
}
