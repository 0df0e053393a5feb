//! The flags that all measuring commands share.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::axis::Axis;
use algorithms::task::Task;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use reports::rank::Rank;
use reports::table::Format;

use super::given::{devices, many, one, seed, threads, variants};
use super::{axes, budgets, examples, formats, suite};
use crate::platform::placement::{BindLevels, PlacesSpec};
use crate::request::{CacheMode, MeasureRequest, SampleRange, Source, values};

/// The subcommand that measures a task.
pub(super) fn command(task: &'static dyn Task) -> Command {
    Command::new(task.name())
        .about(format!("Measure: {}", task.summary()))
        .after_help(examples::measuring(task.name()))
        .args(task.axes().iter().map(|axis| axes::flag(axis, true)))
        .arg(input_flag(task))
        .args(reading_flags(task))
        .arg(seed_flag().help_heading("Data"))
        .args(where_flags())
        .args(sampling_flags())
        .args(budgets::flags().map(|flag| flag.help_heading("Sampling")))
        .args(output_flags())
        .arg(
            suite::store_flag()
                .conflicts_with("profile")
                .help_heading("Output"),
        )
}

fn input_flag(task: &'static dyn Task) -> Arg {
    let generated = task.axes().iter().map(|axis| axis.name);
    let only_generated = generated.filter(|name| !is_in(task.file_axes(), name));
    let endings = match task.file_ending() {
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

/// What to run and where.
fn where_flags() -> [Arg; 7] {
    let threads = list("threads", "N")
        .value_parser(values::thread_counts)
        .help("Threads, all, or doubling: 1, 2, 4, ... [default: all CPUs of the inherited affinity mask]");
    let cache = list("cache", "MODE")
        .value_parser(
            PossibleValuesParser::new(CacheMode::ALL.map(CacheMode::name))
                .try_map(|text| values::cache(&text)),
        )
        .default_value("hot")
        .help("Whether the last-level cache is flushed before each sample");
    let places = Arg::new("places")
        .long("places")
        .value_name("PLACES")
        .action(ArgAction::Append)
        .hide_short_help(true)
        .value_parser(|text: &str| text.parse::<PlacesSpec>())
        .help(
            "Places for the threads, as OMP_PLACES: threads, cores, ll_caches, numa_domains, \
             sockets, or a list such as {0:4},{4:4}; repeatable [default: none]",
        );
    let bind = Arg::new("bind")
        .long("bind")
        .value_name("POLICY")
        .action(ArgAction::Append)
        .hide_short_help(true)
        .value_parser(|text: &str| text.parse::<BindLevels>())
        .help(
            "Binding to places, as OMP_PROC_BIND: false, close, spread or primary, joined by + \
             for nested teams; repeatable [default: close if there are places]",
        );
    let (variant, plugin) = (variant_flag(), plugin_flag());
    [variant, plugin, device_flag(), threads, places, bind, cache]
        .map(|flag| flag.help_heading("Where"))
}

/// How to sample.
fn sampling_flags() -> [Arg; 5] {
    let samples = Arg::new("samples")
        .long("samples")
        .value_name("MIN..[MAX]")
        .value_parser(values::sample_range)
        .help(
            "Samples a variant and point, at least and at most; without MAX as many more as it \
             takes [default: 10..100, fewer if --max-time is over]",
        );
    let max_time = Arg::new("max-time")
        .long("max-time")
        .value_name("TIME")
        .value_parser(values::duration)
        .default_value("10s")
        .help("Time a variant and point, warming up included, from its second sample on");
    let precision = Arg::new("precision")
        .long("precision")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("1%")
        .hide_short_help(true)
        .help("Take as many visits as a 95 % interval of the median of this width will need");
    let profile = switch("profile")
        .hide_short_help(true)
        .help("One variant, three samples, no ceilings, no charts: to run below a profiler");
    [samples, max_time, precision, counters_flag(), profile]
        .map(|flag| flag.help_heading("Sampling"))
}

pub(super) fn counters_flag() -> Arg {
    switch("counters").help(
        "Count cycles, instructions, branch, cache and TLB misses too, where the system lets us",
    )
}

/// Formats of results, by the names that flags give them; the default one first.
pub(super) const FORMATS: [(&str, Format); 4] = [
    ("table", Format::Table),
    ("csv", Format::Csv),
    ("json", Format::Json),
    ("markdown", Format::Markdown),
];

/// What to leave behind.
pub(super) fn output_flags() -> [Arg; 5] {
    output_flags_with(formats::flag(&FORMATS))
}

/// The same with other formats.
pub(super) fn output_flags_with(format: Arg) -> [Arg; 5] {
    let out = Arg::new("out")
        .long("out")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Folder for the results [default: results/<UTC time>-<command>]");
    let no_charts = switch("no-charts").help("Draw no charts");
    [out, format, rank_flag(), no_charts, quiet_flag()].map(|flag| flag.help_heading("Output"))
}

/// What variants are ranked by.
pub(super) fn rank_flag() -> Arg {
    Arg::new("rank")
        .long("rank")
        .value_name("BY")
        .value_parser(PossibleValuesParser::new(Rank::ALL.map(Rank::name)))
        .default_value(Rank::default().name())
        .help("Rank what runs on GPUs by the total, copies included, or by the kernels")
}

/// What the flag means.
pub(super) fn rank(matches: &ArgMatches) -> Rank {
    let name = one::<String>(matches, "rank").unwrap_or_default();
    let mut known = Rank::ALL.into_iter();
    known.find(|rank| rank.name() == name).unwrap_or_default()
}

pub(super) fn variant_flag() -> Arg {
    list("variant", "NAME").help("Variants by name or glob, such as std-* [default: all]")
}

pub(super) fn plugin_flag() -> Arg {
    Arg::new("plugin")
        .long("plugin")
        .value_name("LIB")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help("A shared library with variants of your own; repeatable")
}

pub(super) fn plugins(matches: &ArgMatches) -> Vec<PathBuf> {
    many(matches, "plugin")
}

pub(super) fn device_flag() -> Arg {
    list("device", "DEVICE")
        .value_parser(values::device)
        .help("cpu, cuda:N [default: the CPU and every usable GPU]")
}

pub(super) fn seed_flag() -> Arg {
    Arg::new("seed")
        .long("seed")
        .value_name("N")
        .value_parser(values::seed)
        .default_value("1")
        .help("Seed: the same seed makes the same data")
}

pub(super) fn quiet_flag() -> Arg {
    switch("quiet").short('q').help("Hide progress")
}

fn list(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .value_delimiter(',')
        .action(ArgAction::Append)
}

pub(super) fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

/// What the flags of a measuring command mean.
pub(super) fn request(
    task: &'static dyn Task,
    matches: &ArgMatches,
    command: Vec<String>,
) -> Result<MeasureRequest, String> {
    let source = match matches.get_one::<PathBuf>("input") {
        Some(file) => Source::File {
            path: file.clone(),
            options: axes::values(task.file_axes(), matches)?,
        },
        None => Source::Generated(axes::values(task.axes(), matches)?),
    };
    let profile = matches.get_flag("profile");
    let three = SampleRange::exactly(3);
    let samples = one(matches, "samples").unwrap_or_default();
    Ok(MeasureRequest {
        task,
        source,
        variants: variants(matches),
        devices: devices(matches),
        threads: threads(matches),
        places: many(matches, "places"),
        binds: many(matches, "bind"),
        caches: many(matches, "cache"),
        seed: seed(matches),
        samples: if profile { three } else { samples },
        max_time: one(matches, "max-time").unwrap_or(Duration::MAX),
        precision: one(matches, "precision").unwrap_or(0.01),
        out: one(matches, "out"),
        format: formats::outputs(matches, &FORMATS),
        rank: rank(matches),
        store: one(matches, "store"),
        budget: one(matches, "budget"),
        dry_run: matches.get_flag("dry-run"),
        config: None,
        charts: !matches.get_flag("no-charts") && !profile,
        quiet: matches.get_flag("quiet"),
        profile,
        counters: matches.get_flag("counters"),
        plugins: plugins(matches),
        command,
    })
}
