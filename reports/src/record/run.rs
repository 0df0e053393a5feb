//! `run.json`: machine, software and options of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    AxisRecord, Bandwidth, Declared, EnergyRecord, InputRecord, MetricRecord, Params,
    PlannedVariant, PowerCap, Quantities, SuitePart,
};

/// The version of the layout of the run folder.
pub const SCHEMA_VERSION: u32 = 1;

/// Metadata of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The command line, the program's name first, with the flags that a file of defaults added at
    /// its end, so that it has the same meaning without that file.
    pub command: Vec<String>,
    /// UTC, RFC 3339.
    pub started: String,
    /// UTC, RFC 3339; `None` during the run or if it was killed.
    pub finished: Option<String>,
    /// The seed of the generated data and of the sampling order.
    pub seed: u64,
    /// The suite that the run measures; `None` for a single command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuitePart>,
    /// Common id of two sides of a paired run; `None` for a separate run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// Variants of the plan of a run of tasks, with the number of their points: a complete run has
    /// rows of all of them. Runs of earlier versions, streams and paired runs don't have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedVariant>,
    /// The program.
    pub software: Software,
    /// The plugins of variants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginRecord>,
    /// [`Machine::key`]: times of points on CPUs are comparable if keys are equal, those of points
    /// on GPUs if the models of their GPUs are equal, too.
    pub machine_key: String,
    /// The machine.
    pub machine: Machine,
    /// Host name of the node; runs of earlier versions don't have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// The state the machine was in at the start.
    pub environment: Environment,
    /// Requested devices that could not be used: `cuda:0`. The notes contain the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_devices: Vec<String>,
    /// Bandwidths measured in this run, by device and number of threads: `cpu/2`,
    /// `cuda:0`.
    pub ceilings: BTreeMap<String, Bandwidth>,
    /// The GPUs that ran shaders; `None` if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaders: Option<Shaders>,
    /// The AMD GPUs that ran kernels by HIP.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hip: Vec<HipGpu>,
    /// The environment variables of this program that were set, because they change what a command
    /// does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The input files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputRecord>,
    /// The axes of its tasks by name, or by `TASK.NAME` where tasks differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub axes: BTreeMap<String, AxisRecord>,
    /// The metrics, with names as of axes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, MetricRecord>,
    /// Meters of energy; `None` for runs of earlier versions, and where nothing was to be
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyRecord>,
    /// Periods of the CPU quota in which threads were stopped during the run; `None` without a
    /// quota, and during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// Breakdown of the time of the run; `None` during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Notes on the whole run.
    pub notes: Vec<String>,
}

impl RunRecord {
    /// True if it was measured under RECOBENCH_SMALL: it can't be a baseline.
    pub fn is_small(&self) -> bool {
        self.notes.iter().any(|note| note == SMALL_NOTE)
    }

    /// Adds notes, each once, however often the run was stopped.
    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// The run's declarations of axes and metrics.
    pub fn quantities(&self) -> Quantities {
        Quantities {
            axes: Declared::from_record(&self.axes),
            metrics: Declared::from_record(&self.metrics),
        }
    }

    /// The input file of the points with these parameters.
    pub fn input(&self, params: &Params) -> Option<&InputRecord> {
        self.inputs.iter().find(|input| input.params == *params)
    }

    /// Stores declarations of axes and metrics.
    pub fn declare(&mut self, quantities: &Quantities) {
        self.axes = quantities.axes.record();
        self.metrics = quantities.metrics.record();
    }
}

/// GPUs that ran shaders, and their mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shaders {
    /// The GPUs.
    pub adapters: Vec<Adapter>,
    /// True if all of these check bounds, limit loops, and zero workgroup memory. Else only those
    /// with names that end with `+checked` do, and others run unchecked as kernels do.
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
    /// The graphics API: `vulkan`.
    pub interface: String,
    /// The smallest and the largest number of lanes of a subgroup; empty without subgroups.
    pub lanes: Vec<u32>,
}

/// An AMD GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HipGpu {
    /// `hip:0`.
    pub device: String,
    /// The model's name.
    pub model: String,
    /// The target architecture of kernels: `gfx90a`.
    pub architecture: String,
    /// The runtime: `HIP 6.2`.
    pub runtime: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
}

/// Breakdown of the wall-clock time of a run, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effort {
    /// From the start of the process to the end of the charts.
    pub wall_s: f64,
    /// Sampling, including fresh input for each sample and checks of the CPUs.
    pub sampling_s: f64,
    /// The sum of `seconds` of the `total` rows (or `sample` rows, for variants that only process a
    /// part) of `samples.csv`.
    pub timed_s: f64,
    /// Warm-up runs.
    #[serde(default)]
    pub warming_s: f64,
    /// Generating inputs.
    pub generating_s: f64,
    /// Computing reference results.
    #[serde(default)]
    pub reference_s: f64,
    /// Preparing variants, and checking their outputs.
    pub checking_s: f64,
    /// Measuring ceilings.
    pub ceilings_s: f64,
    /// Drawing charts.
    #[serde(default)]
    pub charts_s: f64,
    /// Measuring the base, in a paired run.
    #[serde(default)]
    pub base_s: f64,
}

impl Effort {
    /// The known parts with their names; samples come first.
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

    /// The time that is in no part.
    pub fn overhead_s(&self) -> f64 {
        self.wall_s - self.parts().iter().map(|(_, seconds)| seconds).sum::<f64>()
    }

    /// The share of the time that was spent in samples.
    pub fn timed_share(&self) -> f64 {
        self.timed_s / self.wall_s
    }

    /// Adds the times of another part of the run.
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

/// Suffix of a commit if the program was built from modified files.
pub const DIRTY: &str = "-dirty";

/// The program and its build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Software {
    /// The version of recobench.
    pub version: String,
    /// The commit it was built from, followed by [`DIRTY`] if files were modified; `None` outside a
    /// git checkout.
    pub git_commit: Option<String>,
    /// `rustc --version`.
    pub compiler: String,
    /// `release` or `debug`.
    pub build_profile: String,
    /// The target triple.
    pub target: String,
    /// Instruction set extensions that the build assumes.
    pub target_features: String,
    /// The highest level of the architecture whose features the build assumes: `x86-64-v3`.
    #[serde(default)]
    pub built_for: String,
    /// A hash of the executable's machine code, as in `summary.csv`.
    #[serde(default)]
    pub fingerprint: String,
}

/// A shared library with variants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PluginRecord {
    /// The file's name.
    pub file: String,
    /// Its own name for itself.
    pub name: String,
    /// Its version, as reported by the plugin.
    pub version: String,
    /// A hash of the file, as in `summary.csv`.
    pub fingerprint: String,
    /// Path from which it was loaded; empty in old runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

impl PluginRecord {
    /// True if both are the same build, wherever their files are.
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
    /// GPUs in the order of their device indices.
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
    /// Number of these caches.
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
    /// Unique identifier of the card, or of a MIG instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// True for an instance of a partitioned card (MIG). Clocks and limits are those of the card
    /// then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_instance: bool,
    /// True if memory is protected by ECC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecc: Option<bool>,
    /// Limit of the power draw in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_limit_w: Option<f64>,
    /// Default limit of the power draw, in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_power_limit_w: Option<f64>,
    /// Limit of the power draw that is in force, in watts: the lowest of all limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforced_power_limit_w: Option<f64>,
    /// Application clock of the multiprocessors, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_clock_mhz: Option<u32>,
    /// Application clock of the memory, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_memory_clock_mhz: Option<u32>,
    /// Highest clock of the multiprocessors, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_clock_mhz: Option<u32>,
    /// Highest clock of the memory, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_memory_clock_mhz: Option<u32>,
}

/// The state of the machine at the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Environment {
    /// The operating system and its kernel.
    pub kernel: String,
    /// Frequency governors of the usable CPUs, without repeats, joined by `+`, if there are any.
    pub governor: Option<String>,
    /// Their preferences between energy and performance, without repeats, joined by `+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_preference: Option<String>,
    /// True if clocks above the nominal one are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turbo: Option<bool>,
    /// Lowest and highest frequency that the usable CPUs are allowed, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_limits_mhz: Option<[f64; 2]>,
    /// Power limits of the processors (RAPL).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub power_caps: Vec<PowerCap>,
    /// The kernel's clock source: `tsc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// Seconds that reading the clock takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_read_s: Option<f64>,
    /// Quota of the control group in CPUs; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
    /// True if addresses were randomised in the processes of a paired run, because the system did
    /// not allow to disable it. `None` if there was no other process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aslr: Option<bool>,
    /// Value of `CUDA_VISIBLE_DEVICES`, if it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible_devices: Option<String>,
    /// The mode of transparent huge pages.
    pub transparent_huge_pages: Option<String>,
    /// Average load of the last minute, if the system reports it.
    pub load_1min: Option<f64>,
    /// Memory available, in bytes.
    pub available_memory_bytes: u64,
    /// Hardware threads that this process may use.
    pub usable_threads: usize,
}

/// Load per CPU before a run above which a machine counts as busy.
const LOADED: f64 = 0.5;

impl Environment {
    /// Waiting processes at the start per usable CPU, if the system reports them.
    pub fn load_per_cpu(&self) -> Option<f64> {
        let cpus = self.usable_threads.max(1) as f64;
        self.load_1min.map(|load| load / cpus)
    }

    /// True if other processes used many of the CPUs at the start.
    pub fn is_busy(&self) -> bool {
        self.load_per_cpu().is_some_and(|load| load > LOADED)
    }
}

/// The note of a run under RECOBENCH_SMALL.
pub const SMALL_NOTE: &str = "RECOBENCH_SMALL is set: inputs are small and samples few; nothing \
    was measured that counts";
