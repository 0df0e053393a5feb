//! Requests of commands that time nothing: `bench verify`, `process`, `generate` and `list`, and of
//! `bench devices`.

use std::path::PathBuf;

use crate::registry::{task, tasks};
use clap::Args;
use portable_gpu::emulator::Lanes;
use tasks::algorithm::VariantChoice;
use tasks::data_set::DataSet;
use tasks::device::Device;
use tasks::task::Task;
use text::Untrusted;

use super::settings::take_checked;
use super::values::{self, instead_of};
use super::{AxisValues, Descriptions, MeasureRequest, Outputs, is_only_tried};

/// Default item limit with `--races`: checking each access is hundreds of times slower, and the
/// other checks cover larger inputs.
const MAX_ITEMS_WITH_RACES: u64 = 15_000;

/// Item limit in smoke mode.
const MAX_ITEMS_IN_SMOKE_MODE: u64 = 200;

const LANES: [(&str, Lanes); 2] = [("32", Lanes::L32), ("64", Lanes::L64)];

/// Variants, inputs and devices to verify.
#[derive(Args)]
pub struct VerifyRequest {
    /// Tasks to check [default: all]
    #[arg(value_name = "TASK", num_args = 0.., value_parser = values::task())]
    pub tasks: Vec<&'static dyn Task>,
    /// Variants to check, by name or glob such as std-* [default: all]
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Load variants from a shared library, or of programs (.toml); repeatable.
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,
    /// Devices: cpu, cuda:N, hip:N, wgpu:N, emulator [default: cpu and all CUDA GPUs]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    #[arg(value_parser = values::device)]
    pub devices: Vec<Device>,
    /// Number of seeds for inputs.
    #[arg(long, value_name = "N", value_parser = values::count(), default_value = "3")]
    #[arg(help_heading = "Inputs")]
    pub seeds: u64,
    /// First seed of the generated inputs.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    #[arg(help_heading = "Inputs")]
    pub seed: u64,
    /// Skip inputs with more items [default: no limit; with --races 15000]
    #[arg(long, value_name = "N", help_heading = "Inputs")]
    pub max_items: Option<u64>,
    /// Check this input instead of the hard ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "seed"])]
    #[arg(help_heading = "Inputs")]
    pub input: Option<PathBuf>,
    /// Options of that input.
    #[command(flatten)]
    pub options: FileOptions,
    /// Lanes of a warp: 32 as NVIDIA's, 64 as AMD's.
    #[arg(long, value_name = "N", value_parser = values::named(LANES), default_value = "32")]
    #[arg(help_heading = "Emulator")]
    pub lanes: Lanes,
    /// Thread schedules: in order, reverse, random, preemptive, then again with other seeds.
    #[arg(long, value_name = "N", value_parser = values::count(), default_value = "4")]
    #[arg(help_heading = "Emulator")]
    pub schedules: u64,
    /// Check each memory access for races, bounds and initialisation; smaller inputs only.
    #[arg(long, help_heading = "Emulator")]
    pub races: bool,
    /// Enable wgpu's bounds and loop checks and zeroed memory, as in browsers (wgpu:N+checked).
    #[arg(long)]
    pub checked: bool,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Values of the tasks' [`Task::file_axes`].
#[derive(Default)]
pub struct FileOptions(pub AxisValues);

impl VerifyRequest {
    /// Returns the seeds of the inputs.
    pub fn input_seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        let seeds = if is_only_tried() { 1 } else { self.seeds };
        (0..seeds).map(move |offset| first.wrapping_add(offset))
    }

    /// Removes repeated devices, and enables shader checks if requested.
    pub(crate) fn tidy_devices(&mut self) {
        take_checked(&mut self.devices, self.checked);
    }

    /// Returns the item limit of inputs.
    pub fn max_items_or_default(&self) -> u64 {
        let default = match (is_only_tried(), self.races) {
            (true, _) => MAX_ITEMS_IN_SMOKE_MODE,
            (false, true) => MAX_ITEMS_WITH_RACES,
            (false, false) => u64::MAX,
        };
        self.max_items.unwrap_or(default)
    }
}

/// Request to run variants on one input and to write what they find; nothing is measured.
pub struct ProcessRequest {
    /// Task, input, variants, devices and threads.
    pub measuring: MeasureRequest,
    /// Files to write.
    pub outputs: OutputRequest,
}

/// Files to write, and the variants that find their content.
pub struct OutputRequest {
    /// Files, at least one.
    pub files: Vec<OutputPath>,
    /// Variants to run.
    pub choice: VariantChoice,
    /// The flags that ask for files, as messages name them.
    pub flags: String,
}

/// A file to write.
#[derive(Clone, Debug)]
pub struct OutputPath {
    /// Its index among the files of the task.
    pub file: usize,
    /// Its path.
    pub path: PathBuf,
}

/// Data set to generate and write.
pub struct GenerateRequest {
    /// Data set.
    pub data: &'static dyn DataSet,
    /// Value of each axis.
    pub axes: AxisValues,
    /// The seed.
    pub seed: u64,
    /// Output file.
    pub out: PathBuf,
}

/// Tasks or suites to list.
#[derive(Args, Clone)]
pub struct ListRequest {
    /// Tasks to list [default: all]
    #[arg(value_name = "TASK", num_args = 0.., value_parser = known_task)]
    pub tasks: Vec<&'static dyn Task>,
    /// List the built-in suites of bench run.
    #[arg(long, conflicts_with = "tasks")]
    pub suites: bool,
    /// Formats of the list.
    #[command(flatten)]
    pub format: Outputs<Descriptions>,
    /// Load variants from a shared library, or of programs (.toml); repeatable.
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,
}

fn known_task(name: &str) -> Result<&'static dyn Task, String> {
    let unknown = || {
        let known: Vec<_> = tasks().iter().map(|task| task.name()).collect();
        format!("unknown task {}; {}", name.quoted(), instead_of(name, &known))
    };
    task(name).ok_or_else(unknown)
}

/// Description or measurement of this machine.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DevicesRequest {
    /// Measure memory bandwidth, GPU links and latencies, too.
    #[arg(long)]
    pub measure: bool,
    /// Formats of the description.
    #[command(flatten)]
    pub format: Outputs<Descriptions>,
    /// Folder for ceilings.json, links.csv and the chart of the links.
    #[arg(long, value_name = "DIR", requires = "measure")]
    pub out: Option<PathBuf>,
}
