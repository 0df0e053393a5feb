//! Hardware counters of kernels: bytes of device memory, instructions, and causes of waiting.
//!
//! To count all, each kernel runs several times. So a process of its own repeats a point with
//! `--profile`, which marks a single run: it runs under NVIDIA's `ncu`, or counts by CUPTI itself. The
//! times of samples are not affected.
//!
//! `ncu` comes first, because it empties caches before each kernel. With CUPTI, what is left of the
//! repetition before is written to DRAM while a kernel runs.
//!
//! | module | holds |
//! |---|---|
//! | `profiled_run` | the marked run, which CUPTI counts |
//! | `report` | reports of both |

mod profiled_run;
mod report;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use files::{LARGEST_DOCUMENT, read_text};
use portable_gpu::cuda::cupti::{Cupti, CuptiError};
use reports::compare::words_to_measure;
use reports::record::{Params, Point, RunRecord};
use text::{SENTENCE, Untrusted};

use crate::request::CONFIG_VARIABLE;
use profiled_run::REPORT_VARIABLE;
use report::Launch;

pub(crate) use profiled_run::ProfiledRun;

/// NVIDIA's profiler, which is looked for in `PATH`.
const NCU: &str = "ncu";
/// Report of a profiler, in the folder of the profiled run.
const REPORT: &str = "kernels.csv";
/// Minimum share of the time of warps for a cause of waiting to be recorded.
const MIN_SHARE: f64 = 0.05;
/// State of a warp that issues an instruction.
const ISSUING: &str = "selected";
/// Message of a driver that reserves counters for administrators.
const FORBIDDEN: &str = "ERR_NVGPUCTRPERM";

/// Reason why a point has no counters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoKernelCounters {
    #[error("{0}; {NCU} of the CUDA toolkit (Nsight Compute), which would do, is not in PATH")]
    NoProfiler(CuptiError),
    #[error("the profiled run can't be started: {0}")]
    NotStarted(std::io::Error),
    #[error(
        "the driver reserves them for administrators; run as root, or load its module with \
         NVreg_RestrictProfilingToAdminUsers=0"
    )]
    Forbidden,
    #[error("the profiled run failed ({status}): {words}")]
    Failed { status: String, words: String },
    #[error("{0}")]
    Report(String),
    #[error("there were no kernels in the profiled run")]
    NoKernels,
}

/// Profilers for the points of a run.
pub(crate) struct KernelProfiler {
    program: PathBuf,
    record: RunRecord,
    /// In the order in which they are tried.
    tools: Vec<Tool>,
}

/// A profiler that counts kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Ncu,
    Cupti,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tool::Ncu => NCU,
            Tool::Cupti => "CUPTI",
        })
    }
}

impl KernelProfiler {
    /// Finds profilers for a run with this record.
    pub(crate) fn find(record: &RunRecord) -> Result<Self, NoKernelCounters> {
        let program = std::env::current_exe().map_err(NoKernelCounters::NotStarted)?;
        let cupti = Cupti::open();
        let ncu = Command::new(NCU).arg("--version").stdin(Stdio::null()).output();
        let mut tools = Vec::new();
        tools.extend(ncu.is_ok().then_some(Tool::Ncu));
        tools.extend(cupti.is_ok().then_some(Tool::Cupti));
        match cupti {
            Err(missing) if tools.is_empty() => Err(NoKernelCounters::NoProfiler(missing)),
            _ => Ok(KernelProfiler { program, record: record.clone(), tools }),
        }
    }

    /// Counts a run of a point; `folder` is for its files, and removed afterwards. `note` gets which
    /// profiler counted, and why others did not.
    pub(crate) fn count(
        &self,
        point: &Point,
        folder: &Path,
        mut note: impl FnMut(String),
    ) -> Option<KernelCounters> {
        let device = &point.device;
        for &tool in &self.tools {
            let counted = self.counted(tool, point, folder);
            // Files that remain of a failed run take space, but do no harm.
            let _ = fs::remove_dir_all(folder);
            match counted {
                Ok(counters) => {
                    note(format!("kernels on {device} were counted by {tool}"));
                    return Some(counters);
                }
                Err(reason) => {
                    note(format!("kernels on {device} were not counted by {tool}: {reason}"))
                }
            }
        }
        None
    }

    fn counted(
        &self,
        tool: Tool,
        point: &Point,
        folder: &Path,
    ) -> Result<KernelCounters, NoKernelCounters> {
        fs::create_dir_all(folder).map_err(NoKernelCounters::NotStarted)?;
        let report = folder.join(REPORT);
        let output = self.command(tool, point, folder, &report).output();
        let output = output.map_err(NoKernelCounters::NotStarted)?;
        let text = read_text(&report, LARGEST_DOCUMENT);
        let text = text.map_err(|error| NoKernelCounters::Report(error.to_string()));
        if !output.status.success() {
            return Err(failure(&output, &text.unwrap_or_default()));
        }
        counters(&text?)
    }

    /// The command that measures the point, and counts it.
    fn command(&self, tool: Tool, point: &Point, folder: &Path, report: &Path) -> Command {
        let mut command = match tool {
            Tool::Cupti => Command::new(&self.program),
            Tool::Ncu => {
                let mut command = Command::new(NCU);
                command.args(["--csv", "--print-units", "base", "--print-kernel-base", "function"]);
                // Clocks stay as they are in samples.
                command.args(["--clock-control", "none", "--profile-from-start", "off"]);
                command.args(["--metrics", &report::metrics_of_ncu(), "--log-file"]).arg(report);
                command.arg(&self.program);
                command
            }
        };
        command.args(words_to_measure(point, &self.record));
        command.args(["--profile", "--quiet", "--out"]).arg(folder.join("run"));
        if tool == Tool::Cupti {
            command.env(REPORT_VARIABLE, report);
        }
        // Flags of a file of defaults are part of the point already.
        command.env(CONFIG_VARIABLE, "").stdin(Stdio::null());
        command
    }
}

/// The counters of a report.
fn counters(text: &str) -> Result<KernelCounters, NoKernelCounters> {
    if text.contains(FORBIDDEN) {
        return Err(NoKernelCounters::Forbidden);
    }
    if let Some(reason) = report::failure(text) {
        return Err(NoKernelCounters::Report(reason.escaped().at_most(SENTENCE).to_string()));
    }
    let launches = report::parse(text);
    let launches = launches.map_err(|error| NoKernelCounters::Report(error.to_string()))?;
    if launches.is_empty() {
        return Err(NoKernelCounters::NoKernels);
    }
    Ok(KernelCounters::new(&launches))
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
        let seconds = launch.value(report::DURATION) * 1e-9;
        let instructions = launch.value(report::INSTRUCTIONS);
        self.launches += 1;
        self.seconds += seconds;
        self.dram_bytes += launch.value(report::DRAM_READ) + launch.value(report::DRAM_WRITTEN);
        self.instructions += instructions;
        self.issuing_s += seconds * launch.value(report::ISSUE_ACTIVE) / 100.0;
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

    fn example() -> KernelCounters {
        counters(EXAMPLE).expect("well formed")
    }

    fn metrics(kernel: &str, calls: u32) -> Params {
        let mut metrics = Params::default();
        example().describe(kernel, calls, &mut metrics);
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
    fn reports_without_counts_say_why() {
        let reason = |text: &str| counters(text).expect_err("no counts").to_string();
        let failed = |words: &str| String::from_utf8(report::failed(words)).expect("text");
        assert!(reason(&failed(FORBIDDEN)).contains("reserves them for administrators"));
        assert_eq!(reason(&failed("CUPTI is not installed")), "CUPTI is not installed");
        assert!(reason("==PROF== Connected\n").contains("no kernels"));
    }

    #[test]
    fn all_kernels_are_summed() {
        let mut all = Params::default();
        example().describe_all(&mut all);
        assert_eq!(all.number("dram_bytes"), Some(4_700.0));
        assert_eq!(all.number("warp_instructions"), Some(350.0));
    }
}
