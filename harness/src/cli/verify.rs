//! `bench verify`: the flags.

use std::path::PathBuf;

use algorithms::axis::Axis;
use algorithms::device::emulator::Lanes;
use algorithms::registry::{task, tasks};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::{axes, examples, given, measuring};
use crate::request::VerifyRequest;

/// Checking each access takes hundreds of times as long: larger inputs are left to
/// the other checks.
const MOST_ITEMS_FOR_RACES: u64 = 15_000;

pub(super) fn command() -> Command {
    let names = PossibleValuesParser::new(tasks().iter().map(|task| task.name()));
    let tasks = Arg::new("tasks")
        .value_name("TASK")
        .num_args(0..)
        .value_parser(names)
        .help("The tasks to check [default: all]");
    Command::new("verify")
        .about("Check the variants on hard inputs, without timing them")
        .after_help(examples::VERIFY)
        .arg(tasks)
        .arg(measuring::variant_flag())
        .arg(measuring::plugin_flag())
        .arg(device_flag())
        .args(input_flags())
        .args(reading().into_iter().map(reading_flag))
        .args(emulator_flags())
        .arg(measuring::quiet_flag())
}

fn device_flag() -> Arg {
    measuring::device_flag().help("cpu, cuda:N, emulator [default: the CPU and every usable GPU]")
}

fn input_flags() -> [Arg; 4] {
    let seeds = Arg::new("seeds")
        .long("seeds")
        .value_name("N")
        .default_value("3")
        .value_parser(value_parser!(u64).range(1..=1_000_000))
        .help("How many seeds to make inputs from");
    let input = Arg::new("input")
        .long("input")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with_all(["seeds", "seed"])
        .help("Check this input instead of the hard ones");
    let most = Arg::new("max-items")
        .long("max-items")
        .value_name("N")
        .value_parser(value_parser!(u64))
        .help("Leave out inputs with more items [default: none; with --races 15000]");
    [seeds, measuring::seed_flag(), most, input].map(|flag| flag.help_heading("Inputs"))
}

/// What can be said about files, whatever the task; each once.
fn reading() -> Vec<&'static Axis> {
    let mut axes: Vec<&Axis> = Vec::new();
    for axis in tasks().iter().flat_map(|task| task.file_axes()) {
        if !axes.iter().any(|known| known.name == axis.name) {
            axes.push(axis);
        }
    }
    axes
}

fn reading_flag(axis: &Axis) -> Arg {
    let flag = axes::flag(axis, false).requires("input");
    flag.help_heading("Inputs from files")
}

fn emulator_flags() -> [Arg; 3] {
    let lanes = Arg::new("lanes")
        .long("lanes")
        .value_name("N")
        .value_parser(["32", "64"])
        .default_value("32")
        .help("Lanes of a warp: 32 as NVIDIA's, 64 as AMD's");
    let schedules = Arg::new("schedules")
        .long("schedules")
        .value_name("N")
        .default_value("4")
        .value_parser(value_parser!(u64).range(1..=1_000_000))
        .help("Orders in which threads take turns: in order, reverse, random, with preemption, and so on with other seeds");
    let races = measuring::switch("races").help(
        "Check each access to memory for races, bounds and initialisation; smaller inputs only",
    );
    [lanes, schedules, races].map(|flag| flag.help_heading("Emulator"))
}

pub(super) fn request(matches: &ArgMatches) -> Result<VerifyRequest, String> {
    let names = matches.get_many::<String>("tasks").into_iter().flatten();
    let first = given::seed(matches);
    let seeds: u64 = given::one(matches, "seeds").unwrap_or(1);
    let lanes = given::one::<String>(matches, "lanes");
    let races = matches.get_flag("races");
    let most = if races {
        MOST_ITEMS_FOR_RACES
    } else {
        u64::MAX
    };
    Ok(VerifyRequest {
        tasks: names.filter_map(|name| task(name)).collect(),
        variants: given::variants(matches),
        plugins: measuring::plugins(matches),
        devices: given::many(matches, "device"),
        seeds: (0..seeds).map(|i| first.wrapping_add(i)).collect(),
        input: given::one(matches, "input"),
        options: axes::values(reading(), matches)?,
        most_items: given::one(matches, "max-items").unwrap_or(most),
        lanes: match lanes.as_deref() {
            Some("64") => Lanes::L64,
            _ => Lanes::L32,
        },
        schedules: given::one(matches, "schedules").unwrap_or(1),
        races,
        quiet: matches.get_flag("quiet"),
    })
}
