//! What `bench sort` and the like are asked for, and suites ask for part by part.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::task::Task;
use clap::{ArgAction, Args};

use super::settings::without_flags;
use super::{AxisValues, OutputFlags, SampleRange, Settings, values};
use crate::platform::gpus::usable_devices;

/// A task to measure.
pub struct MeasureRequest {
    /// The task.
    pub task: &'static dyn Task,
    /// Where its input comes from.
    pub source: Source,
    /// Where to run and how to sample.
    pub settings: Settings,
    /// How it is done, and what it leaves behind.
    pub session: SessionFlags,
    /// The file with defaults of flags, if there is one.
    pub config: Option<PathBuf>,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// How a measuring command goes on, and what it leaves behind.
#[derive(Args, Clone, Debug)]
pub struct SessionFlags {
    /// Count cycles, instructions, branch, cache and TLB misses too, where the system lets us.
    #[arg(long, help_heading = "Sampling")]
    pub counters: bool,
    /// One variant, three samples, no ceilings, no charts: to run below a profiler.
    #[arg(long, help_heading = "Sampling", hide_short_help = true)]
    pub profile: bool,
    /// Time for all of it, such as 30m, divided fairly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Sampling")]
    pub budget: Option<Duration>,
    /// Say what would be measured, and how long it takes.
    #[arg(long, help_heading = "Sampling")]
    pub dry_run: bool,
    /// Pages of memory: huge ones where the system gives them, or small ones alone.
    #[arg(long, value_name = "SIZE", value_parser = values::memory_pages(), default_value = "huge")]
    #[arg(help_heading = "Where", hide_short_help = true)]
    pub pages: MemoryPages,
    /// What it leaves behind.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// Add the results to the history in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "profile")]
    pub store: Option<PathBuf>,
}

impl MeasureRequest {
    /// As if no flag of a session was given.
    pub fn new(task: &'static dyn Task, source: Source, settings: Settings) -> Self {
        MeasureRequest {
            task,
            source,
            settings,
            session: without_flags(),
            config: None,
            command: Vec::new(),
        }
    }

    /// Fills in what no flag alone says.
    pub(crate) fn complete(&mut self) {
        let settings = &mut self.settings;
        settings.tidy();
        if self.session.profile {
            settings.samples = Some(SampleRange::exactly(3));
            self.session.output.charts = false;
        }
    }

    /// Takes all devices that can be used, unless some were given. That starts the driver of
    /// GPUs, which does not survive a fork: so it comes after that.
    pub(crate) fn choose_devices(&mut self) {
        if self.settings.devices.is_empty() {
            self.settings.devices = usable_devices();
        }
    }
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

/// Pages that memory is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPages {
    /// Huge ones for large blocks, where the system gives them.
    Huge,
    /// Small ones alone.
    Small,
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

/// Pages to be decoded, to see what is in them or to be sure that none is damaged.
pub struct DecodeRequest {
    /// The measuring, if there is to be any.
    pub measuring: MeasureRequest,
    /// What is to be done with the pages.
    pub pages: PageFlags,
}

/// What `bench decode` has beyond other measuring commands.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct PageFlags {
    /// Write the digits to a file (.csv) and measure nothing; all selected variants have to find
    /// them, by default those of the CPU, with --device also those of a GPU or of the emulator.
    #[arg(long, value_name = "OUT", conflicts_with = "output")]
    pub digits: Option<PathBuf>,
    /// Stop at the first damaged page, with exit code 1.
    #[arg(long = "strict", requires = "input", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(DamagePolicy::LeaveOut, DamagePolicy::Refuse))]
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

/// Charges in which clusters are to be found.
pub struct FindRequest {
    /// The flags that measuring has too.
    pub measuring: MeasureRequest,
    /// Where the clusters are written.
    pub clusters: PathBuf,
}

/// What `bench cluster-finder` has beyond other measuring commands.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct ClusterFlags {
    /// Write the clusters to a file (.csv) and measure nothing; by one --variant (default:
    /// published) on one --device, which may be the emulator.
    #[arg(long, value_name = "OUT")]
    pub clusters: Option<PathBuf>,
}

/// Raw data that are to be unpacked.
pub struct UnpackRequest {
    /// The flags that measuring has too.
    pub measuring: MeasureRequest,
    /// Where the digis are written.
    pub digis: PathBuf,
}

/// What `bench unpack` has beyond other measuring commands.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct DigiFlags {
    /// Write the digis and what was counted to a file (.bin) and measure nothing; by one --variant
    /// (default: published, on GPUs epoch-parallel) on one --device, which may be the emulator.
    #[arg(long, value_name = "OUT")]
    pub digis: Option<PathBuf>,
}

/// Digis to be reconstructed, to see what is found in them.
pub struct ReconstructRequest {
    /// The flags that measuring has too.
    pub measuring: MeasureRequest,
    /// What is to be written.
    pub found: FoundFlags,
}

/// What `bench sts` has beyond other measuring commands.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct FoundFlags {
    /// Write the clusters to a file (.csv) and measure nothing; by one --variant (default: online)
    /// on one --device, which may be the emulator.
    #[arg(long, value_name = "OUT")]
    pub clusters: Option<PathBuf>,
    /// Write the hits to a file (.csv), in the same way.
    #[arg(long, value_name = "OUT")]
    pub hits: Option<PathBuf>,
}
