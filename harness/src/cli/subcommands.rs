//! All subcommands and their requests.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;
use tasks::device::Device;

use super::groups::Group;
use super::measuring::TaskRequest;
use crate::paired::protocol;
use crate::plugins::trial::{self, TrialRequest, VariantTrial};
use crate::request::values::{self, each_once};
use crate::request::{
    CompareRequest, DevicesRequest, ExportRequest, GenerateRequest, HistoryAction, HistoryRequest,
    ListRequest, MachinesRequest, MixedRequest, ParetoRequest, PlanRequest, PortabilityRequest,
    ProcessRequest, ReportRequest, ReproduceRequest, SelfTestRequest, SimulateRequest, SiteRequest,
    StreamRequest, SubmissionRequest, SuiteRequest, ThroughputRequest, TraceRequest, VerifyRequest,
    WinnersRequest,
};
use crate::{stream, throughput};

/// Request of a subcommand.
#[derive(Subcommand)]
pub enum Request {
    /// List tasks with their variants and axes, or the built-in suites.
    #[command(display_order = Group::Measure.order())]
    List(ListRequest),
    /// Show the CPUs and GPUs of this machine, or measure their bandwidths.
    #[command(display_order = Group::System.order())]
    Devices(DevicesRequest),
    /// Measure one task: `bench sort` and the like.
    #[command(flatten)]
    Task(TaskRequest),
    /// Measure throughput and latency of concurrent event streams.
    #[command(subcommand, display_order = Group::Load.order())]
    Throughput(Box<ThroughputRequest>),
    /// Replay timeslices at the detector's rate and measure latency and backlog (open loop).
    #[command(display_order = Group::Load.order())]
    Stream(Box<StreamRequest>),
    /// Measure several tasks on one node: alone, in pairs and together.
    #[command(display_order = Group::Load.order())]
    Mixed(Box<MixedRequest>),
    /// Measure a suite: many tasks, axes, devices and thread counts.
    #[command(name = "run", display_order = Group::Measure.order())]
    RunSuite(Box<SuiteRequest>),
    /// Compare two runs and report regressions.
    #[command(display_order = Group::Judge.order())]
    Compare(Box<CompareRequest>),
    /// Vary parameters of an algorithm, and find the settings that no other one beats.
    #[command(subcommand, display_order = Group::Judge.order())]
    Pareto(Box<ParetoRequest>),
    /// Measure the false-positive and detection rates of compare on this machine.
    #[command(name = "selftest", display_order = Group::Judge.order())]
    SelfTest(Box<SelfTestRequest>),
    /// Check variants on hard inputs, without timing them.
    #[command(display_order = Group::Judge.order())]
    Verify(Box<VerifyRequest>),
    /// Generate a data set and write it to a file.
    #[command(subcommand, display_order = Group::Data.order())]
    Generate(GenerateRequest),
    /// Run one variant on files and write what it finds, without measuring.
    #[command(subcommand, display_order = Group::Data.order())]
    Process(Box<ProcessRequest>),
    /// Manage the store of runs: list, add, accept, prune, show, find changes.
    #[command(display_order = Group::Results.order())]
    History(HistoryRequest),
    /// Write a report of a run: charts, tables, history and raw data in one file.
    #[command(display_order = Group::Results.order())]
    Report(ReportRequest),
    /// Report the fastest variant at each setting, and draw a map of them.
    #[command(display_order = Group::Results.order())]
    Winners(Box<WinnersRequest>),
    /// Plan a farm: nodes, power and cost for a rate, by the rates of kept runs.
    #[command(display_order = Group::Results.order())]
    Plan(PlanRequest),
    /// Compare machines by kept runs: rates, energy, price, and scores.
    #[command(display_order = Group::Results.order())]
    Machines(Box<MachinesRequest>),
    /// Check runs for publication against their own samples, and pack them.
    #[command(display_order = Group::Results.order())]
    Submission(SubmissionRequest),
    /// Simulate a farm of nodes from the times that a stream was measured with.
    #[command(display_order = Group::Load.order())]
    Simulate(Box<SimulateRequest>),
    /// Write HTML pages of a store: trends of all points, and a report of each run.
    #[command(display_order = Group::Results.order())]
    Site(SiteRequest),
    /// Export runs for Prometheus or InfluxDB, or as a table (CSV, Parquet).
    #[command(display_order = Group::Results.order())]
    Export(ExportRequest),
    /// Write the times of a run as a trace for Perfetto, or for Hatchet (Caliper).
    #[command(display_order = Group::Results.order())]
    Trace(TraceRequest),
    /// Measure published figures, and check whether their conclusions hold here.
    #[command(display_order = Group::Judge.order())]
    Reproduce(Box<ReproduceRequest>),
    /// Compare portable kernels with their CUDA counterparts on one GPU.
    #[command(display_order = Group::Judge.order())]
    Portability(Box<PortabilityRequest>),
    /// Print shell completions.
    #[command(display_order = Group::System.order())]
    Completions {
        /// Shell to complete for.
        #[arg(value_name = "shell", help = None::<&str>)]
        shell: Shell,
    },
    /// Write manual pages, one for each command.
    #[command(display_order = Group::System.order())]
    Man {
        /// Folder of the pages; created if missing.
        #[arg(value_name = "DIR")]
        out: PathBuf,
    },
    /// Try a plugin in a separate process.
    #[command(name = trial::SUBCOMMAND, hide = true)]
    TryPlugin(TrialFlags),
    /// Process timeslices of a parent process.
    #[command(name = stream::SUBCOMMAND, hide = true)]
    StreamWorker(WorkerFlags),
    /// Drive event streams on request of a parent process.
    #[command(name = throughput::SUBCOMMAND, hide = true)]
    ThroughputWorker,
    /// Take samples on request of a parent process.
    #[command(name = protocol::SUBCOMMAND, hide = true)]
    Serve(ServeRequest),
}

/// Flags of a worker of a stream.
#[derive(Args)]
pub struct WorkerFlags {
    /// File descriptor of the shared memory with the timeslices.
    #[arg(long, value_name = "N", required = true)]
    pub memory: i32,
}

/// Flags of a child of a coordinator.
#[derive(Args)]
pub struct ServeRequest {
    /// Serve requests on standard input.
    #[arg(long, required = true)]
    pub serve: bool,
    /// Load variants from a shared library, or of programs (.toml); repeatable.
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,
}

impl Request {
    /// Fills in values that depend on several flags.
    pub(super) fn complete(
        &mut self,
        typed: Vec<String>,
        defaults: Option<PathBuf>,
    ) -> Result<(), String> {
        match self {
            Request::List(request) => {
                let mut known = HashSet::new();
                request.tasks.retain(|task| known.insert(task.name()));
                each_once(&mut request.plugins);
            }
            Request::Task(request) => {
                let measuring = request.measuring();
                measuring.complete();
                (measuring.command, measuring.config) = (typed, defaults);
            }
            Request::Process(request) => request.measuring.complete(),
            Request::Pareto(request) => {
                request.measuring.complete();
                request.vary()?;
                (request.measuring.command, request.measuring.config) = (typed, defaults);
            }
            Request::Throughput(request) => {
                request.complete()?;
                (request.measuring.command, request.measuring.config) = (typed, defaults);
            }
            Request::Stream(request) => {
                request.complete()?;
                (request.measuring.command, request.measuring.config) = (typed, defaults);
            }
            Request::Mixed(request) => {
                request.complete()?;
                (request.command, request.config) = (typed, defaults);
            }
            Request::RunSuite(request) => {
                each_once(&mut request.plugins);
                each_once(&mut request.merge);
                request.complete()?;
                (request.command, request.config) = (typed, defaults);
            }
            Request::Verify(request) => {
                each_once(&mut request.variants);
                each_once(&mut request.plugins);
                request.tidy_devices();
            }
            Request::Reproduce(request) => {
                each_once(&mut request.figures);
                each_once(&mut request.plugins);
                (request.command, request.config) = (typed, defaults);
            }
            Request::Portability(request) => {
                each_once(&mut request.tasks);
                each_once(&mut request.devices);
                each_once(&mut request.plugins);
                (request.command, request.config) = (typed, defaults);
            }
            Request::SelfTest(request) => request.command = typed,
            Request::Compare(request) => request.format.files.extend(request.files.take()),
            Request::Plan(request) => each_once(&mut request.results),
            Request::Site(request) => each_once(&mut request.submissions),
            Request::Machines(request) => each_once(&mut request.runs),
            Request::Report(request) => {
                request.format()?;
            }
            Request::Export(request) => {
                each_once(&mut request.runs);
                request.format()?;
            }
            Request::Trace(request) => {
                request.format()?;
            }
            Request::History(HistoryRequest {
                action: Some(HistoryAction::Add { runs, .. }),
                ..
            }) => each_once(runs),
            Request::Serve(request) => each_once(&mut request.plugins),
            _ => {}
        }
        Ok(())
    }
}

/// Plugin to try, and the variant of it.
#[derive(Args)]
pub struct TrialFlags {
    #[arg(value_name = "plugin")]
    plugin: PathBuf,
    /// Task to try.
    #[arg(long, value_name = "task")]
    task: Option<String>,
    /// Variant to try.
    #[arg(long, value_name = "variant", requires = "task")]
    variant: Option<String>,
    /// Device to run on.
    #[arg(long, value_name = "device", value_parser = values::device)]
    device: Option<Device>,
    /// Thread counts to try.
    #[arg(long, value_name = "threads", value_delimiter = ',')]
    threads: Vec<usize>,
}

impl TrialFlags {
    /// Converts the flags to a request.
    pub fn request(self) -> TrialRequest {
        let variant = self.task.zip(self.variant).map(|(task, variant)| VariantTrial {
            device: self.device.unwrap_or(Device::Cpu),
            threads: self.threads,
            task,
            variant,
        });
        TrialRequest { plugin: self.plugin, variant }
    }
}
