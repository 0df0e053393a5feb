//! The commands that measure a task.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::axis::Axis;
use algorithms::device::Device;
use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};

use super::axes;
use crate::platform::gpus::usable_devices;
use crate::platform::placement::{BindLevels, PlacesSpec};
use crate::platform::usable_threads;
use crate::request::values::{self, each_once};
use crate::request::{
    CacheMode, DamagePolicy, DecodeRequest, MeasureRequest, OutputFlags, ReconstructRequest,
    SampleRange, Source,
};

/// What a subcommand with the name of a task asks for.
pub enum TaskRequest {
    /// `bench sort` and the like.
    Measure(Box<MeasureRequest>),
    /// `bench decode --digits` and `--strict`.
    Decode(Box<DecodeRequest>),
    /// `bench sts --clusters` and `--hits`.
    Reconstruct(Box<ReconstructRequest>),
}

impl TaskRequest {
    /// What all of them share.
    pub(super) fn measuring(&mut self) -> &mut MeasureRequest {
        match self {
            TaskRequest::Measure(request) => request,
            TaskRequest::Decode(request) => &mut request.measuring,
            TaskRequest::Reconstruct(request) => &mut request.measuring,
        }
    }
}

/// The tasks that have flags of their own.
const DECODE: &str = "decode";
const STS: &str = "sts";

impl Subcommand for TaskRequest {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(tasks().iter().map(|task| subcommand(*task)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        task(name).is_some()
    }
}

impl FromArgMatches for TaskRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand();
        let Some((task, matches)) = named.and_then(|(name, below)| Some((task(name)?, below)))
        else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        let measuring = request(task, matches)?;
        match task.name() {
            DECODE => Ok(PageFlags::from_arg_matches(matches)?.request(measuring)),
            STS => Ok(ChainFlags::from_arg_matches(matches)?.request(measuring)),
            _ => Ok(TaskRequest::Measure(Box::new(measuring))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(task: &'static dyn Task) -> Command {
    let command = Command::new(task.name())
        .args(task.axes().iter().map(|axis| axes::flag(axis, true)))
        .arg(input_flag(task))
        .args(reading_flags(task));
    let command = MeasureFlags::augment_args(command);
    let command = match task.name() {
        DECODE => PageFlags::augment_args(command),
        STS => ChainFlags::augment_args(command),
        _ => command,
    };
    command.about(format!("Measure: {}", task.info().summary))
}

fn input_flag(task: &'static dyn Task) -> Arg {
    let generated = task.axes().iter().map(|axis| axis.name);
    let only_generated = generated.filter(|name| !is_in(task.file_axes(), name));
    let endings = match task.info().file_ending {
        "csv" => "(.csv, .bin, or either with .gz)",
        _ => "(.pages, with .gz if compressed)",
    };
    Arg::new("input")
        .long("input")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with_all(only_generated.collect::<Vec<_>>())
        .help(format!("Read the data from a file {endings}"))
        .help_heading("Data")
}

/// What can be said about files only.
fn reading_flags(task: &'static dyn Task) -> impl Iterator<Item = Arg> {
    let axes = task.file_axes().iter();
    let of_files = axes.filter(|axis| !is_in(task.axes(), axis.name));
    of_files.map(|axis| axes::flag(axis, false).requires("input"))
}

fn is_in(axes: &[Axis], name: &str) -> bool {
    axes.iter().any(|axis| axis.name == name)
}

/// The flags that all measuring commands share.
#[derive(Args)]
struct MeasureFlags {
    /// Seed: the same seed makes the same data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    #[arg(help_heading = "Data")]
    seed: u64,
    #[command(flatten, next_help_heading = "Where")]
    place: PlaceFlags,
    #[command(flatten, next_help_heading = "Sampling")]
    sampling: SamplingFlags,
    #[command(flatten, next_help_heading = "Output")]
    output: OutputFlags,
    /// Add the results to the history in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "profile")]
    store: Option<PathBuf>,
}

/// What to run and where.
#[derive(Args)]
struct PlaceFlags {
    /// Variants by name or glob, such as std-* [default: all]
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',')]
    variants: Vec<String>,
    /// A shared library with variants of your own; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    plugins: Vec<PathBuf>,
    /// cpu, cuda:N [default: the CPU and every usable GPU]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    #[arg(value_parser = values::device)]
    devices: Vec<Device>,
    /// Threads, all, or doubling: 1, 2, 4, ... [default: all CPUs of the inherited affinity mask]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = values::thread_counts)]
    threads: Vec<Vec<usize>>,
    /// Places for the threads, as OMP_PLACES: threads, cores, ll_caches, numa_domains, sockets, or
    /// a list such as {0:4},{4:4}; repeatable [default: none]
    #[arg(long, value_name = "PLACES", hide_short_help = true)]
    places: Vec<PlacesSpec>,
    /// Binding to places, as OMP_PROC_BIND: false, close, spread or primary, joined by + for nested
    /// teams; repeatable [default: close if there are places]
    #[arg(long = "bind", value_name = "POLICY", hide_short_help = true)]
    binds: Vec<BindLevels>,
    /// Whether the last-level cache is flushed before each sample.
    #[arg(long = "cache", value_name = "MODE", value_delimiter = ',')]
    #[arg(default_value = "hot")]
    #[arg(value_parser = values::named(CacheMode::ALL.map(|mode| (mode.name(), mode))))]
    caches: Vec<CacheMode>,
}

/// How to sample.
#[derive(Args)]
struct SamplingFlags {
    /// Samples a variant and point, at least and at most; without MAX as many more as it takes
    /// [default: 10..100, fewer if --max-time is over]
    #[arg(long, value_name = "MIN..[MAX]", value_parser = values::sample_range)]
    samples: Option<SampleRange>,
    /// Time a variant and point, warming up included, from its second sample on.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10s")]
    max_time: Duration,
    /// Take as many visits as a 95 % interval of the median of this width will need.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    #[arg(hide_short_help = true)]
    precision: f64,
    /// Count cycles, instructions, branch, cache and TLB misses too, where the system lets us.
    #[arg(long)]
    counters: bool,
    /// One variant, three samples, no ceilings, no charts: to run below a profiler.
    #[arg(long, hide_short_help = true)]
    profile: bool,
    /// Time for all of it, such as 30m, divided fairly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    budget: Option<Duration>,
    /// Say what would be measured, and how long it takes.
    #[arg(long)]
    dry_run: bool,
}

/// What they mean.
fn request(task: &'static dyn Task, matches: &ArgMatches) -> Result<MeasureRequest, clap::Error> {
    let source = source(task, matches).map_err(super::senseless)?;
    let flags = MeasureFlags::from_arg_matches(matches)?;
    let (place, sampling, output) = (flags.place, flags.sampling, flags.output);
    let profile = sampling.profile;
    let mut request = MeasureRequest {
        task,
        source,
        variants: place.variants,
        devices: place.devices,
        threads: place.threads.concat(),
        places: place.places,
        binds: place.binds,
        caches: place.caches,
        seed: flags.seed,
        samples: if profile {
            SampleRange::exactly(3)
        } else {
            sampling.samples.unwrap_or_default()
        },
        max_time: sampling.max_time,
        precision: sampling.precision,
        out: output.out,
        format: output.format,
        rank: output.rank,
        store: flags.store,
        budget: sampling.budget,
        dry_run: sampling.dry_run,
        config: None,
        charts: output.charts && !profile,
        quiet: output.quiet,
        profile,
        counters: sampling.counters,
        plugins: place.plugins,
        command: Vec::new(),
    };
    tidy(&mut request);
    Ok(request)
}

fn source(task: &'static dyn Task, matches: &ArgMatches) -> Result<Source, String> {
    Ok(match matches.get_one::<PathBuf>("input") {
        Some(file) => Source::File {
            path: file.clone(),
            options: axes::values(task.file_axes(), matches)?,
        },
        None => Source::Generated(axes::values(task.axes(), matches)?),
    })
}

/// Each value once; all devices and threads where none are named.
fn tidy(request: &mut MeasureRequest) {
    each_once(&mut request.variants);
    each_once(&mut request.devices);
    each_once(&mut request.threads);
    each_once(&mut request.places);
    each_once(&mut request.binds);
    each_once(&mut request.caches);
    each_once(&mut request.plugins);
    if request.devices.is_empty() {
        request.devices = usable_devices();
    }
    if request.threads.is_empty() {
        request.threads = vec![usable_threads()];
    }
}

/// What `bench decode` has beyond other measuring commands.
#[derive(Args)]
struct PageFlags {
    /// Write the digits to a file (.csv) and measure nothing.
    #[arg(long, value_name = "OUT", requires = "input", help_heading = "Data")]
    #[arg(conflicts_with = "output")]
    digits: Option<PathBuf>,
    /// Stop at the first damaged page, with exit code 1.
    #[arg(long, requires = "input", help_heading = "Data")]
    strict: bool,
}

impl PageFlags {
    fn request(self, measuring: MeasureRequest) -> TaskRequest {
        let of_file = matches!(measuring.source, Source::File { .. });
        if !of_file || (self.digits.is_none() && !self.strict) {
            return TaskRequest::Measure(Box::new(measuring));
        }
        TaskRequest::Decode(Box::new(DecodeRequest {
            measuring,
            digits: self.digits,
            damage: if self.strict {
                DamagePolicy::Refuse
            } else {
                DamagePolicy::LeaveOut
            },
        }))
    }
}

/// What `bench sts` has beyond other measuring commands.
#[derive(Args)]
struct ChainFlags {
    /// Write the clusters to a file (.csv) and measure nothing; by the variant that is named, or
    /// online.
    #[arg(long, value_name = "OUT", requires = "input", help_heading = "Data")]
    clusters: Option<PathBuf>,
    /// Write the hits to a file (.csv), in the same way.
    #[arg(long, value_name = "OUT", requires = "input", help_heading = "Data")]
    hits: Option<PathBuf>,
}

impl ChainFlags {
    fn request(self, measuring: MeasureRequest) -> TaskRequest {
        if self.clusters.is_none() && self.hits.is_none() {
            return TaskRequest::Measure(Box::new(measuring));
        }
        TaskRequest::Reconstruct(Box::new(ReconstructRequest {
            measuring,
            clusters: self.clusters,
            hits: self.hits,
        }))
    }
}
