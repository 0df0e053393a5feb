//! `run.json`: where, how and by what a run was made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    AxisRecord, Bandwidth, Declared, InputRecord, MetricRecord, Params, Quantities, SuitePart,
};

/// The version of the layout of the run folder.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything about a run but its numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The command line, the program's name first, with the flags that a file of defaults added
    /// at its end: it means the same where there is no such file.
    pub command: Vec<String>,
    /// UTC, RFC 3339.
    pub started: String,
    /// UTC, RFC 3339; `None` while the run goes on or if it was killed.
    pub finished: Option<String>,
    /// The seed of the generated data and of the sampling order.
    pub seed: u64,
    /// The suite that the run measures; `None` for a single command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuitePart>,
    /// What two runs have in common that were measured in turn; `None` for a run by
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// What was run.
    pub software: Software,
    /// The plugins that variants came from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginRecord>,
    /// [`Machine::key`]: times of points on CPUs are comparable where keys are equal, those of
    /// points on GPUs where the models of their GPUs are equal, too.
    pub machine_key: String,
    /// What it ran on.
    pub machine: Machine,
    /// Host name of the node; runs of earlier versions don't have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// The state the machine was in at the start.
    pub environment: Environment,
    /// Devices that were asked for and could not be used: `cuda:0`. The notes say why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_devices: Vec<String>,
    /// Bandwidths measured in this run, by device and number of threads: `cpu/2`,
    /// `cuda:0`.
    pub ceilings: BTreeMap<String, Bandwidth>,
    /// The GPUs that ran shaders; `None` if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaders: Option<Shaders>,
    /// The GPUs by AMD that ran kernels, by HIP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hip: Vec<HipGpu>,
    /// The environment variables of this program that were set: they change what a command does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The files that inputs were read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputRecord>,
    /// The axes of its tasks by name, or by `TASK.NAME` where tasks differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub axes: BTreeMap<String, AxisRecord>,
    /// The figures among its metrics, in the same way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, MetricRecord>,
    /// Periods of the CPU quota in which threads were stopped during the run; `None` without a
    /// quota, and while the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// Where the time went; `None` while the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What a reader should know about the whole run.
    pub notes: Vec<String>,
}

impl RunRecord {
    /// What the run declares of its axes and metrics.
    pub fn quantities(&self) -> Quantities {
        Quantities {
            axes: Declared::from_record(&self.axes),
            metrics: Declared::from_record(&self.metrics),
        }
    }

    /// The file that the points with these parameters were read from.
    pub fn input(&self, params: &Params) -> Option<&InputRecord> {
        self.inputs.iter().find(|input| input.params == *params)
    }

    /// Keeps what a run declares of its axes and metrics.
    pub fn declare(&mut self, quantities: &Quantities) {
        self.axes = quantities.axes.record();
        self.metrics = quantities.metrics.record();
    }
}

/// GPUs that ran shaders, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shaders {
    /// The GPUs.
    pub adapters: Vec<Adapter>,
    /// Whether all of these check bounds and count the rounds of loops, and set workgroup memory
    /// to zero. Else those do whose names end with `+checked`, and others are trusted as kernels
    /// are.
    pub checked: bool,
}

/// A GPU that runs shaders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Adapter {
    /// `wgpu:0`, or `wgpu:0+checked`.
    pub device: String,
    /// The model's name.
    pub model: String,
    /// The driver, with its version.
    pub driver: String,
    /// What the driver is spoken to by: `vulkan`.
    pub interface: String,
    /// The smallest and the largest number of lanes of a subgroup; none without subgroups.
    pub lanes: Vec<u32>,
}

/// A GPU by AMD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HipGpu {
    /// `hip:0`.
    pub device: String,
    /// The model's name.
    pub model: String,
    /// What kernels are compiled for: `gfx90a`.
    pub architecture: String,
    /// The runtime: `HIP 6.2`.
    pub runtime: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
}

/// Where the wall-clock time of a run went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effort {
    /// From the start of the process to the end of the charts.
    pub wall_s: f64,
    /// Taking samples, with fresh input for each and a look at the CPUs.
    pub sampling_s: f64,
    /// The sum of `seconds` of the `total` rows (or `sample` rows, where a variant does no
    /// more) of `samples.csv`.
    pub timed_s: f64,
    /// Runs for warming up.
    #[serde(default)]
    pub warming_s: f64,
    /// Making inputs.
    pub generating_s: f64,
    /// Finding right answers.
    #[serde(default)]
    pub reference_s: f64,
    /// Getting variants ready, and checking their outputs.
    pub checking_s: f64,
    /// Measuring ceilings.
    pub ceilings_s: f64,
    /// Drawing charts.
    #[serde(default)]
    pub charts_s: f64,
    /// Visits to the base, where it was measured in turn with this run.
    #[serde(default)]
    pub base_s: f64,
}

impl Effort {
    /// The parts that are known, with their names; samples come first.
    pub fn parts(&self) -> [(&'static str, f64); 9] {
        [
            ("samples", self.timed_s),
            ("fresh input for them", self.sampling_s - self.timed_s),
            ("warming up", self.warming_s),
            ("generating", self.generating_s),
            ("references", self.reference_s),
            ("checking", self.checking_s),
            ("bandwidths", self.ceilings_s),
            ("charts", self.charts_s),
            ("the base", self.base_s),
        ]
    }

    /// Everything that has no name.
    pub fn overhead_s(&self) -> f64 {
        self.wall_s - self.parts().iter().map(|(_, seconds)| seconds).sum::<f64>()
    }

    /// The share of the time that went into samples.
    pub fn timed_share(&self) -> f64 {
        self.timed_s / self.wall_s
    }

    /// Adds what another part of the run took.
    pub fn add(&mut self, other: &Effort) {
        self.wall_s += other.wall_s;
        self.sampling_s += other.sampling_s;
        self.timed_s += other.timed_s;
        self.warming_s += other.warming_s;
        self.generating_s += other.generating_s;
        self.reference_s += other.reference_s;
        self.checking_s += other.checking_s;
        self.ceilings_s += other.ceilings_s;
        self.charts_s += other.charts_s;
        self.base_s += other.base_s;
    }
}

/// What a commit's name ends with if the program was built from files that differ from it.
pub const DIRTY: &str = "-dirty";

/// What was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Software {
    /// The version of recobench.
    pub version: String,
    /// The commit it was built from, with [`DIRTY`] behind it if the files were changed;
    /// `None` outside a git checkout.
    pub git_commit: Option<String>,
    /// `rustc --version`.
    pub compiler: String,
    /// `release` or `debug`.
    pub build_profile: String,
    /// The target triple.
    pub target: String,
    /// Instruction set extensions that the build assumes.
    pub target_features: String,
    /// The highest level of the architecture of which the build assumes all: `x86-64-v3`.
    #[serde(default)]
    pub built_for: String,
    /// A hash of the executable's machine code, as in `summary.csv`.
    #[serde(default)]
    pub fingerprint: String,
}

/// A shared library that variants came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PluginRecord {
    /// The file's name.
    pub file: String,
    /// What it calls itself.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// A hash of the file, as in `summary.csv`.
    pub fingerprint: String,
    /// Where it was loaded from; empty in old runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

impl PluginRecord {
    /// Whether both are the same build, wherever their files are.
    pub fn is_same_build(&self, other: &PluginRecord) -> bool {
        let identity = |plugin: &PluginRecord| {
            let PluginRecord { file, name, version, fingerprint, path: _ } = plugin;
            [file, name, version, fingerprint].map(String::clone)
        };
        identity(self) == identity(other)
    }
}

/// Hardware and drivers of a machine. CPU model and topology identify it, see [`Machine::key`]; the
/// rest is data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Machine {
    /// The CPU's name.
    pub cpu_model: String,
    /// The CPU's architecture.
    pub architecture: String,
    /// Sockets.
    pub packages: usize,
    /// Physical cores.
    pub cores: usize,
    /// Hardware threads online.
    pub hardware_threads: usize,
    /// NUMA nodes.
    pub numa_nodes: usize,
    /// Caches by level.
    pub caches: Vec<CacheLevel>,
    /// Main memory in bytes.
    pub memory_bytes: u64,
    /// GPUs in the order of their device numbers.
    pub gpus: Vec<Gpu>,
}

/// The data or unified caches of one level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CacheLevel {
    /// 1, 2, 3.
    pub level: u32,
    /// The size of one cache in bytes.
    pub bytes: u64,
    /// How many of them there are.
    pub count: usize,
}

/// A GPU. Only its model is part of an identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Gpu {
    /// The model's name.
    pub model: String,
    /// The driver's version.
    pub driver: String,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// Address on the PCI bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci_address: Option<String>,
    /// Identifier of this very card, or of the instance of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Whether this is an instance of a card that is shared out (MIG). Clocks and limits are then
    /// those of the card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_instance: bool,
    /// Whether memory is protected by ECC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecc: Option<bool>,
    /// Limit of the power draw in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_limit_w: Option<f64>,
    /// Limit of the power draw that the card has by default, in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_power_limit_w: Option<f64>,
    /// Clock of the multiprocessors that applications are set to, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_clock_mhz: Option<u32>,
}

/// The state of the machine at the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Environment {
    /// The operating system and its kernel.
    pub kernel: String,
    /// Frequency governors of the CPUs that may be used, each once, joined by `+`, where there are
    /// any.
    pub governor: Option<String>,
    /// Their preferences between energy and performance, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_preference: Option<String>,
    /// Whether clocks above the nominal one are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turbo: Option<bool>,
    /// The kernel's clock source: `tsc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// Seconds that reading the clock takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_read_s: Option<f64>,
    /// Quota of the control group in CPUs; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
    /// Whether addresses were randomised in processes that were measured against each other, as
    /// the system did not allow otherwise. `None` where no other process measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aslr: Option<bool>,
    /// Devices that were left visible by `CUDA_VISIBLE_DEVICES`, as it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible_devices: Option<String>,
    /// The mode of transparent huge pages.
    pub transparent_huge_pages: Option<String>,
    /// Average load of the last minute, where the system tells.
    pub load_1min: Option<f64>,
    /// Memory available, in bytes.
    pub available_memory_bytes: u64,
    /// Hardware threads that this process may use.
    pub usable_threads: usize,
}

/// The note of a run under RECOBENCH_SMALL.
pub const SMALL_NOTE: &str = "RECOBENCH_SMALL is set: inputs are small and samples few; nothing was \
    measured that counts";

impl RunRecord {
    /// Whether it was measured under RECOBENCH_SMALL: it is no base of comparisons.
    pub fn is_small(&self) -> bool {
        self.notes.iter().any(|note| note == SMALL_NOTE)
    }
}
