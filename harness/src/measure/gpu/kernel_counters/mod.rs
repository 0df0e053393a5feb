//! Hardware counters of kernels: bytes of device memory, instructions, and causes of waiting.
//!
//! Only a profiler may read them, and it runs each kernel several times to count all. So a process
//! of its own repeats a point under NVIDIA's `ncu`, with `--profile`, which marks a single run; the
//! times of samples are not affected.
//!
//! | module | holds |
//! |---|---|
//! | `ncu` | reports of the profiler |

mod ncu;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use files::{LARGEST_DOCUMENT, read_text};
use reports::compare::words_to_measure;
use reports::record::{Params, Point, RunRecord};
use text::{SENTENCE, Untrusted};

use crate::request::CONFIG_VARIABLE;
use ncu::Launch;

/// The profiler, which is looked for in `PATH`.
const NCU: &str = "ncu";
/// Report of the profiler, in the folder of the profiled run.
const REPORT: &str = "ncu.csv";
/// Minimum share of the time of warps for a cause of waiting to be recorded.
const MIN_SHARE: f64 = 0.05;
/// State of a warp that issues an instruction.
const ISSUING: &str = "selected";
/// Message of a driver that reserves counters for administrators.
const FORBIDDEN: &str = "ERR_NVGPUCTRPERM";

/// Reason why a point has no counters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoKernelCounters {
    #[error("{NCU} is not in PATH; it comes with the CUDA toolkit (Nsight Compute)")]
    NoProfiler,
    #[error("{NCU} can't be started: {0}")]
    NotStarted(std::io::Error),
    #[error(
        "the driver reserves them for administrators; run as root, or load its module with \
         NVreg_RestrictProfilingToAdminUsers=0"
    )]
    Forbidden,
    #[error("{NCU} failed ({status}): {words}")]
    Failed { status: String, words: String },
    #[error("{0}")]
    Report(String),
    #[error("{NCU} saw no kernels in the profiled run")]
    NoKernels,
}

/// A profiler for the points of a run.
pub(crate) struct KernelProfiler {
    program: PathBuf,
    record: RunRecord,
}

impl KernelProfiler {
    /// Finds the profiler for a run with this record.
    pub(crate) fn find(record: &RunRecord) -> Result<Self, NoKernelCounters> {
        let program = std::env::current_exe().map_err(NoKernelCounters::NotStarted)?;
        let version = Command::new(NCU).arg("--version").stdin(Stdio::null()).output();
        match version {
            Ok(_) => Ok(KernelProfiler { program, record: record.clone() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(NoKernelCounters::NoProfiler)
            }
            Err(error) => Err(NoKernelCounters::NotStarted(error)),
        }
    }

    /// Counts a run of a point; `folder` is for its files, and removed afterwards.
    pub(crate) fn count(
        &self,
        point: &Point,
        folder: &Path,
    ) -> Result<KernelCounters, NoKernelCounters> {
        let counted = self.counted(point, folder);
        // Files that remain of a failed run take space, but do no harm.
        let _ = fs::remove_dir_all(folder);
        counted
    }

    fn counted(&self, point: &Point, folder: &Path) -> Result<KernelCounters, NoKernelCounters> {
        fs::create_dir_all(folder).map_err(NoKernelCounters::NotStarted)?;
        let report = folder.join(REPORT);
        let output = self.command(point, folder, &report).output();
        let output = output.map_err(NoKernelCounters::NotStarted)?;
        let text = read_text(&report, LARGEST_DOCUMENT);
        let text = text.map_err(|error| NoKernelCounters::Report(error.to_string()));
        if !output.status.success() {
            return Err(failure(&output, &text.unwrap_or_default()));
        }
        let launches = ncu::parse(&text?);
        let launches = launches.map_err(|error| NoKernelCounters::Report(error.to_string()))?;
        if launches.is_empty() {
            return Err(NoKernelCounters::NoKernels);
        }
        Ok(KernelCounters::new(&launches))
    }

    /// The profiler with the command that measures the point.
    fn command(&self, point: &Point, folder: &Path, report: &Path) -> Command {
        let mut command = Command::new(NCU);
        command.args(["--csv", "--print-units", "base", "--print-kernel-base", "function"]);
        // Clocks stay as they are in samples.
        command.args(["--clock-control", "none", "--profile-from-start", "off"]);
        command.args(["--metrics", &ncu::metrics(), "--log-file"]).arg(report);
        command.arg(&self.program).args(words_to_measure(point, &self.record));
        command.args(["--profile", "--quiet", "--out"]).arg(folder.join("run"));
        // Flags of a file of defaults are part of the point already.
        command.env(CONFIG_VARIABLE, "").stdin(Stdio::null());
        command
    }
}

/// Reason of a failure, by the output of the profiler and its report.
fn failure(output: &Output, report: &str) -> NoKernelCounters {
    let said = String::from_utf8_lossy(&output.stderr);
    if report.contains(FORBIDDEN) || said.contains(FORBIDDEN) {
        return NoKernelCounters::Forbidden;
    }
    let last = |text: &str| text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
    let words = last(report).or_else(|| last(&said)).unwrap_or_default();
    let words = words.escaped().at_most(SENTENCE).to_string();
    NoKernelCounters::Failed { status: output.status.to_string(), words }
}

/// Counts of a run, by kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KernelCounters(BTreeMap<String, Counts>);

/// Counts of all launches of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
struct Counts {
    launches: usize,
    seconds: f64,
    dram_bytes: f64,
    instructions: f64,
    /// Seconds in which schedulers issued.
    issuing_s: f64,
    /// Warps in each state, summed over issued instructions.
    warp_states: BTreeMap<String, f64>,
}

impl KernelCounters {
    fn new(launches: &[Launch]) -> Self {
        let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
        for launch in launches {
            kernels.entry(launch.kernel.clone()).or_default().add(launch);
        }
        KernelCounters(kernels)
    }

    /// Adds the counts of a kernel that was launched `calls` times to the metrics of its stage. A
    /// kernel that another stage has too has none, because the profiler does not distinguish them.
    pub(crate) fn describe(&self, kernel: &str, calls: u32, metrics: &mut Params) {
        let counts = self.0.get(kernel).filter(|counts| counts.launches == calls as usize);
        if let Some(counts) = counts {
            counts.describe(metrics);
        }
    }

    /// Adds the sums over all kernels.
    pub(crate) fn describe_all(&self, metrics: &mut Params) {
        let sum = |of: fn(&Counts) -> f64| self.0.values().map(of).sum::<f64>();
        metrics.set("dram_bytes", format!("{:.0}", sum(|it| it.dram_bytes)));
        metrics.set("warp_instructions", format!("{:.0}", sum(|it| it.instructions)));
    }
}

impl Counts {
    fn add(&mut self, launch: &Launch) {
        let seconds = launch.value(ncu::DURATION) * 1e-9;
        let instructions = launch.value(ncu::INSTRUCTIONS);
        self.launches += 1;
        self.seconds += seconds;
        self.dram_bytes += launch.value(ncu::DRAM_READ) + launch.value(ncu::DRAM_WRITTEN);
        self.instructions += instructions;
        self.issuing_s += seconds * launch.value(ncu::ISSUE_ACTIVE) / 100.0;
        for (state, warps) in launch.warp_states() {
            *self.warp_states.entry(state.to_owned()).or_default() += warps * instructions;
        }
    }

    fn describe(&self, metrics: &mut Params) {
        metrics.set("dram_bytes", format!("{:.0}", self.dram_bytes));
        metrics.set("warp_instructions", format!("{:.0}", self.instructions));
        if self.seconds > 0.0 {
            metrics.set("issue_slots", format!("{:.3}", self.issuing_s / self.seconds));
        }
        let all: f64 = self.warp_states.values().sum();
        let waiting = self.warp_states.iter().filter(|(state, _)| *state != ISSUING);
        for (state, warps) in waiting {
            if warps / all >= MIN_SHARE {
                metrics.set(format!("stall_{state}"), format!("{:.3}", warps / all));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report of two launches of `copy` and one of `scale`.
    const EXAMPLE: &str = include_str!("example.csv");

    fn counters() -> KernelCounters {
        KernelCounters::new(&ncu::parse(EXAMPLE).expect("well formed"))
    }

    fn metrics(kernel: &str, calls: u32) -> Params {
        let mut metrics = Params::default();
        counters().describe(kernel, calls, &mut metrics);
        metrics
    }

    #[test]
    fn launches_of_a_kernel_are_summed() {
        let copy = metrics("copy", 2);
        assert_eq!(copy.number("dram_bytes"), Some(4_200.0));
        assert_eq!(copy.number("warp_instructions"), Some(300.0));
        // 10 % of 100 ns and 40 % of 300 ns.
        assert_eq!(copy.number("issue_slots"), Some(0.325));
    }

    #[test]
    fn causes_of_waiting_are_shares_of_the_time_of_warps() {
        let copy = metrics("copy", 2);
        // 8 warps wait during 100 instructions, and 4 during 200; one issues.
        assert_eq!(copy.number("stall_long_scoreboard"), Some(0.842));
        assert_eq!(copy.get("stall_selected"), None, "this is no waiting");
        assert_eq!(copy.get("stall_wait"), None, "too little to matter");
    }

    #[test]
    fn kernels_of_several_stages_have_no_counts() {
        assert_eq!(metrics("copy", 1), Params::default());
        assert_eq!(metrics("unknown", 1), Params::default());
    }

    #[test]
    fn all_kernels_are_summed() {
        let mut all = Params::default();
        counters().describe_all(&mut all);
        assert_eq!(all.number("dram_bytes"), Some(4_700.0));
        assert_eq!(all.number("warp_instructions"), Some(350.0));
    }
}
