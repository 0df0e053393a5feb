//! Request of `bench mixed`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{ArgAction, Args};
use generators_common::named;

use super::values::{self, each_once};
use super::{EnergyFlags, Outputs, is_only_tried};

/// Time of a configuration and number of blocks in smoke mode.
const TRIED: Duration = Duration::from_millis(100);
const TRIED_BLOCKS: u64 = 2;

/// Loads to measure alone, in pairs and together.
#[derive(Args, Clone, Debug)]
pub struct MixedRequest {
    /// Loads that run concurrently (.toml)
    #[arg(value_name = "MIX")]
    pub mix: PathBuf,
    /// Time of each configuration, in windows of all blocks, after warm-up; longer for long events.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "5s")]
    #[arg(help_heading = "Sampling")]
    pub duration: Duration,
    /// Blocks, in each of which all configurations have a window.
    #[arg(long, value_name = "N", default_value = "5", help_heading = "Sampling")]
    #[arg(value_parser = RangedU64ValueParser::<u64>::new().range(2..=1000))]
    pub blocks: u64,
    /// Neighbour that is not a task: cores, memory or link; repeatable.
    #[arg(long = "background", value_name = "RESOURCE", help_heading = "Background")]
    #[arg(value_parser = values::named(Background::ALL.map(|it| (it.name(), it))))]
    pub backgrounds: Vec<Background>,
    /// Threads of background loads on cores and memory [default: all usable CPUs]
    #[arg(long, value_name = "N", help_heading = "Background", requires = "backgrounds")]
    #[arg(value_parser = values::count())]
    pub background_threads: Option<u64>,
    /// Seed of the generated data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    #[arg(help_heading = "Data")]
    pub seed: u64,
    /// Meters of energy.
    #[command(flatten)]
    pub energy: EnergyFlags,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-mixed]")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Hide progress.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
    /// File with defaults of flags, if any.
    #[arg(skip)]
    pub config: Option<PathBuf>,
}

/// Resource that a background load uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Arithmetic in registers.
    Cores,
    /// Copies of arrays that are larger than the caches.
    Memory,
    /// Copies between the host and a GPU.
    Link,
}

named! { "background load", Background { Cores = "cores", Memory = "memory", Link = "link" } }

impl MixedRequest {
    /// Window of a configuration in a block.
    pub(crate) fn window(&self) -> Duration {
        self.duration.div_f64(self.blocks as f64)
    }

    /// Fills in values that depend on several flags.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        each_once(&mut self.backgrounds);
        if self.duration.is_zero() {
            return Err("--duration takes more than 0s".to_owned());
        }
        if is_only_tried() {
            self.duration = self.duration.min(TRIED);
            self.blocks = self.blocks.min(TRIED_BLOCKS);
        }
        Ok(())
    }
}
