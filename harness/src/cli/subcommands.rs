//! All subcommands, with what they ask for.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::measuring::TaskRequest;
use super::trial::TrialFlags;
use crate::duet::protocol;
use crate::plugins::trial;
use crate::request::values::each_once;
use crate::request::{
    CompareRequest, DevicesRequest, ExportRequest, GenerateRequest, HistoryAction, HistoryRequest,
    ListRequest, PortabilityRequest, ReportRequest, ReproduceRequest, SelfTestRequest, SiteRequest,
    StreamRequest, SuiteRequest, ThroughputRequest, VerifyRequest, WinnersRequest,
};
use crate::{stream, throughput};

/// What is to be done.
#[derive(Subcommand)]
pub enum Request {
    /// List tasks with their variants and axes, or the suites.
    List(ListRequest),
    /// Show the CPUs and GPUs of this machine.
    Devices(DevicesRequest),
    /// `bench sort` and the like.
    #[command(flatten)]
    Task(TaskRequest),
    /// Keep a task busy by streams of events: rates, latencies, and what limits them.
    #[command(subcommand)]
    Throughput(Box<ThroughputRequest>),
    /// Process timeslices that come when they are due, by several processes: do they keep up, and
    /// how late are results?
    Stream(Box<StreamRequest>),
    /// Measure a suite: many tasks, axes, devices and threads.
    #[command(name = "run")]
    RunSuite(Box<SuiteRequest>),
    /// Compare a run with an earlier one: which points are slower?
    Compare(Box<CompareRequest>),
    /// Measure how often the gate of comparisons errs on this machine.
    #[command(name = "selftest")]
    SelfTest(Box<SelfTestRequest>),
    /// Check the variants on hard inputs, without timing them.
    Verify(Box<VerifyRequest>),
    /// Write a data set to a file.
    #[command(subcommand)]
    Generate(GenerateRequest),
    /// Keep runs in a store: list, add, accept, prune, show; and when points changed.
    History(HistoryRequest),
    /// Write a report on a run: charts, tables, history and raw data in one file.
    Report(ReportRequest),
    /// Tell who is the fastest at each setting of a run, and draw a map of that.
    Winners(Box<WinnersRequest>),
    /// Make pages of a store: trends of all points, and a report of each run.
    Site(SiteRequest),
    /// Write runs for Prometheus or InfluxDB, or as a table (CSV, Parquet).
    Export(ExportRequest),
    /// Measure what published figures show, and tell whether their conclusions hold here.
    Reproduce(Box<ReproduceRequest>),
    /// Compare kernels with native ones that do the same on one GPU: what does it cost to be portable?
    Portability(Box<PortabilityRequest>),
    /// Print completions for a shell.
    Completions {
        /// Which.
        #[arg(value_name = "shell", help = None::<&str>)]
        shell: Shell,
    },
    /// Write manual pages, one for each subcommand.
    Man {
        /// The folder: it is made if need be.
        #[arg(value_name = "DIR")]
        out: PathBuf,
    },
    /// Try a plugin in a process of its own.
    #[command(name = trial::SUBCOMMAND, hide = true)]
    TryPlugin(TrialFlags),
    /// Process timeslices for another process, which hands them over.
    #[command(name = stream::SUBCOMMAND, hide = true)]
    StreamWorker(WorkerFlags),
    /// Drive streams of events for another process, which says when.
    #[command(name = throughput::SUBCOMMAND, hide = true)]
    ThroughputWorker,
    /// Take samples for another process, which asks for them.
    #[command(name = protocol::SUBCOMMAND, hide = true)]
    Serve(ServeRequest),
}

/// A worker of a stream.
#[derive(Args)]
pub struct WorkerFlags {
    /// The descriptor of the memory that the timeslices are in.
    #[arg(long, value_name = "N", required = true)]
    pub memory: i32,
}

/// The child of a coordinator.
#[derive(Args)]
pub struct ServeRequest {
    /// Answer questions on standard input.
    #[arg(long, required = true)]
    pub serve: bool,
    /// A shared library with variants of your own; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
}

impl Request {
    /// Fills in what no flag alone says.
    ///
    /// # Errors
    /// If flags make no sense together.
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
            Request::Throughput(request) => {
                request.complete()?;
                (request.measuring.command, request.measuring.config) = (typed, defaults);
            }
            Request::Stream(request) => {
                request.complete()?;
                (request.measuring.command, request.measuring.config) = (typed, defaults);
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
            Request::Report(request) => {
                request.format()?;
            }
            Request::Export(request) => {
                each_once(&mut request.runs);
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
