//! Requests of `bench sort` and the other tasks, and of the parts of suites.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use generators_common::io::is_standard_input;
use tasks::algorithm::InputFiles;
use tasks::task::Task;

use super::settings::without_flags;
use super::{AxisValues, DEFAULT_STORE, EnergyFlags, OutputFlags, SampleRange, Settings, values};
use crate::platform::gpus::usable_devices;

/// A task to measure.
pub struct MeasureRequest {
    /// The task.
    pub task: &'static dyn Task,
    /// Source of its input.
    pub source: Source,
    /// Variants, devices, threads and sampling.
    pub settings: Settings,
    /// Session and output options.
    pub session: SessionFlags,
    /// File with defaults of flags, if any.
    pub config: Option<PathBuf>,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// Session and output options of a measuring command.
#[derive(Args, Clone, Debug)]
pub struct SessionFlags {
    /// Count cycles, instructions and misses on CPUs, and DRAM bytes and stalls of CUDA kernels.
    #[arg(long, help_heading = "Sampling")]
    pub counters: bool,
    /// Profiler mode: one variant, three samples, no bandwidth measurement, no charts.
    #[arg(long, help_heading = "Sampling", hide_short_help = true)]
    pub profile: bool,
    /// Total time budget, such as 30m, divided evenly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Sampling")]
    pub budget: Option<Duration>,
    /// Print the plan and its estimated duration, and measure nothing.
    #[arg(long, help_heading = "Sampling")]
    pub dry_run: bool,
    /// Meters of energy.
    #[command(flatten)]
    pub energy: EnergyFlags,
    /// Page size of memory: huge (if available) or small.
    #[arg(long, value_name = "SIZE", value_parser = values::choice::<MemoryPages>(), default_value = "huge")]
    #[arg(help_heading = "Where", hide_short_help = true)]
    pub pages: MemoryPages,
    /// Output options.
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputFlags,
    /// Store of runs to save the run in, as with --save [default of --save: results/store]
    #[arg(long, value_name = "DIR", conflicts_with = "profile")]
    pub store: Option<PathBuf>,
    /// Save the run in the store.
    #[arg(long, conflicts_with = "profile")]
    pub(crate) save: bool,
    /// Do not save the run in a store [default].
    #[arg(long, conflicts_with = "save", hide_short_help = true)]
    pub(crate) no_save: bool,
}

impl SessionFlags {
    /// Fills in the store to save the run in: the default one with `--save`, none with `--no-save`.
    fn complete_store(&mut self) {
        if self.no_save {
            self.store = None;
        } else if self.save && self.store.is_none() {
            self.store = Some(PathBuf::from(DEFAULT_STORE));
        }
    }
}

impl MeasureRequest {
    /// Creates a request with default session options.
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

    /// Fills in values that depend on several flags.
    pub(crate) fn complete(&mut self) {
        let settings = &mut self.settings;
        settings.tidy();
        self.session.complete_store();
        if self.session.profile {
            settings.samples = Some(SampleRange::exactly(3));
            self.session.output.charts = false;
        }
    }

    /// Selects all usable devices if none were given. This starts the GPU driver, which does not
    /// survive a fork: call it after forking.
    pub(crate) fn choose_devices(&mut self) {
        if self.settings.devices.is_empty() {
            self.settings.devices = usable_devices();
        }
    }
}

/// Source of a task's input.
#[derive(Clone, Debug)]
pub enum Source {
    /// Generated, for each combination of these values.
    Generated(AxisValues),
    /// Read from a file, once for each combination of its options.
    File {
        /// The files.
        files: InputFiles,
        /// Values of [`Task::file_axes`].
        options: AxisValues,
        /// Handling of missing and damaged parts.
        damage: DamagePolicy,
    },
}

impl Source {
    /// Refuses standard input for commands that read their input several times.
    pub(crate) fn refuse_standard_input(&self) -> Result<(), String> {
        match self {
            Source::File { files, .. } if files.paths().iter().any(|it| is_standard_input(it)) => {
                let problem = "--input -: this command reads its input several times, and standard \
                               input can be read once only; write it to a file";
                Err(problem.to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Page size of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryPages {
    /// Huge pages for large blocks, if available.
    Huge,
    /// Small pages only.
    Small,
}

/// State of the last-level cache at the start of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheMode {
    /// Contents left by the preparation of the input.
    Hot,
    /// Flushed.
    Cold,
}

impl CacheMode {
    /// Returns the name in flags and records.
    pub fn name(self) -> &'static str {
        match self {
            CacheMode::Hot => "hot",
            CacheMode::Cold => "cold",
        }
    }
}

/// Handling of files with missing or damaged parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamagePolicy {
    /// Count these parts and leave them out.
    LeaveOut,
    /// Refuse the files.
    Refuse,
}
