//! Variants, devices, threads and sampling: flags, and keys of suites with the same names.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command};
use tasks::device::Device;

use super::CacheMode;
use super::values::{self, SampleRange, Threads, each_once};
use crate::platform::placement::{BindLevels, CpuSetSpec};
use crate::platform::usable_threads;

/// Variants, devices, threads and sampling of a measuring command.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Settings {
    /// Seed of the generated data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    #[arg(help_heading = "Data")]
    pub seed: u64,
    /// Variants to measure, by name or glob such as std-* [default: all]
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',', help_heading = "Where")]
    pub variants: Vec<String>,
    /// Load variants from a shared library, or of programs (.toml); repeatable.
    #[arg(long = "plugin", value_name = "FILE", help_heading = "Where")]
    pub plugins: Vec<PathBuf>,
    /// Devices: cpu, cuda:N, hip:N, wgpu:N, wgpu:N+checked [default: cpu and all CUDA GPUs]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',', help_heading = "Where")]
    #[arg(value_parser = values::device)]
    pub devices: Vec<Device>,
    /// Thread counts: N, all, doubling (1, 2, 4, ...), or 12x4 for nested teams [default: all CPUs of
    /// the inherited affinity mask]
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Where")]
    #[arg(value_parser = values::thread_counts)]
    pub threads: Vec<Vec<Threads>>,
    /// CPU sets of the threads, as in OMP_PLACES: threads, cores, ll_caches, numa_domains, sockets, or
    /// a list such as {0:4},{4:4}; repeatable [default: none]
    #[arg(id = "places", long = "places", value_name = "PLACES", help_heading = "Where")]
    #[arg(hide_short_help = true)]
    pub cpu_sets: Vec<CpuSetSpec>,
    /// Binding to CPU sets, as in OMP_PROC_BIND: false, close, spread or primary, joined by + for nested
    /// teams; repeatable [default: close with --places]
    #[arg(long = "bind", value_name = "POLICY", help_heading = "Where", hide_short_help = true)]
    pub binds: Vec<BindLevels>,
    /// State of the last-level cache before each sample: hot, or cold (flushed).
    #[arg(long = "cache", value_name = "MODE", value_delimiter = ',', help_heading = "Where")]
    #[arg(value_parser = values::choice::<CacheMode>(), default_value = "hot")]
    pub caches: Vec<CacheMode>,
    /// Enable wgpu's bounds and loop checks and zeroed memory, as in browsers (wgpu:N+checked).
    #[arg(long, help_heading = "Where", hide_short_help = true)]
    pub checked: bool,
    /// Samples per variant and configuration; without MAX until --precision is reached [default:
    /// 10..100, fewer if --max-time ends first]
    #[arg(long, value_name = "MIN..[MAX]", value_parser = values::sample_range)]
    #[arg(help_heading = "Sampling")]
    pub samples: Option<SampleRange>,
    /// Time limit per variant and configuration, including warm-up; for publication 10s with
    /// --precision 1%.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "2500ms")]
    #[arg(help_heading = "Sampling")]
    pub max_time: Duration,
    /// Target width of the 95 % confidence interval of the median.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "5%")]
    #[arg(help_heading = "Sampling", hide_short_help = true)]
    pub precision: f64,
}

impl Default for Settings {
    fn default() -> Self {
        without_flags()
    }
}

impl Settings {
    /// Thread counts; all usable CPUs if no `--threads` is given.
    pub fn thread_counts(&self) -> Vec<Threads> {
        let mut counts = self.threads.concat();
        if counts.is_empty() {
            counts.push(usable_threads().into());
        }
        each_once(&mut counts);
        counts
    }

    /// Removes repeated values from each list.
    pub(crate) fn tidy(&mut self) {
        each_once(&mut self.variants);
        each_once(&mut self.plugins);
        take_checked(&mut self.devices, self.checked);
        each_once(&mut self.cpu_sets);
        each_once(&mut self.binds);
        each_once(&mut self.caches);
        if is_only_tried() {
            self.make_short();
        }
    }
}

/// Removes repeated devices, and enables shader checks if `checked`.
pub(super) fn take_checked(devices: &mut Vec<Device>, checked: bool) {
    if checked {
        devices.iter_mut().for_each(|device| *device = device.checked());
    }
    each_once(devices);
}

/// Values of flags if none is given.
pub(super) fn without_flags<F: Args>() -> F {
    let matches = F::augment_args(Command::new("bench")).try_get_matches_from(["bench"]);
    let flags = matches.and_then(|matches| F::from_arg_matches(&matches));
    flags.unwrap_or_else(|error| panic!("a flag has no default: {error}"))
}

/// Environment variable of smoke mode: small inputs, few and short samples.
const VARIABLE: &str = "RECOBENCH_SMALL";

const MAX_TIME: Duration = Duration::from_millis(20);
const MAX_SAMPLES: usize = 3;

/// Maximum time of a confirmation in smoke mode.
const MAX_CONFIRM_TIME: Duration = Duration::from_secs(2);

/// Returns the time budget of a confirmation, limited in smoke mode.
pub fn confirming(time: Duration) -> Duration {
    if is_only_tried() { time.min(MAX_CONFIRM_TIME) } else { time }
}

/// Returns true in smoke mode.
pub fn is_only_tried() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

impl Settings {
    /// Limits samples and time for smoke mode.
    pub(super) fn make_short(&mut self) {
        self.max_time = self.max_time.min(MAX_TIME);
        let max = self.samples.map_or(MAX_SAMPLES, |samples| samples.max.min(MAX_SAMPLES));
        self.samples = Some(SampleRange { min: 1, max });
    }
}
