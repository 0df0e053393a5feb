//! `bench verify`: the flags.

use std::path::PathBuf;

use algorithms::axis::Axis;
use algorithms::device::Device;
use algorithms::device::emulator::Lanes;
use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::axes;
use crate::request::VerifyRequest;
use crate::request::values::{self, each_once};

/// Checking each access takes hundreds of times as long: larger inputs are left to
/// the other checks.
const MOST_ITEMS_FOR_RACES: u64 = 15_000;

/// What to check, on what inputs.
#[derive(Args)]
struct InputFlags {
    /// The tasks to check [default: all]
    #[arg(value_name = "TASK", num_args = 0.., value_parser = known_task())]
    tasks: Vec<&'static dyn Task>,
    /// Variants by name or glob, such as std-* [default: all]
    #[arg(long = "variant", value_name = "NAME", value_delimiter = ',')]
    variants: Vec<String>,
    /// A shared library with variants of your own; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    plugins: Vec<PathBuf>,
    /// cpu, cuda:N, emulator [default: the CPU and every usable GPU]
    #[arg(long = "device", value_name = "DEVICE", value_delimiter = ',')]
    #[arg(value_parser = values::device)]
    devices: Vec<Device>,
    /// How many seeds to make inputs from.
    #[arg(long, value_name = "N", value_parser = count(), default_value = "3")]
    #[arg(help_heading = "Inputs")]
    seeds: u64,
    /// Seed: the same seed makes the same data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    #[arg(help_heading = "Inputs")]
    seed: u64,
    /// Leave out inputs with more items [default: none; with --races 15000]
    #[arg(long, value_name = "N", help_heading = "Inputs")]
    max_items: Option<u64>,
    /// Check this input instead of the hard ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "seed"])]
    #[arg(help_heading = "Inputs")]
    input: Option<PathBuf>,
}

/// How the emulator runs kernels.
#[derive(Args)]
struct EmulatorFlags {
    /// Lanes of a warp: 32 as NVIDIA's, 64 as AMD's.
    #[arg(long, value_name = "N", value_parser = values::named(LANES), default_value = "32")]
    #[arg(help_heading = "Emulator")]
    lanes: Lanes,
    /// Orders in which threads take turns: in order, reverse, random, with preemption, and so on
    /// with other seeds.
    #[arg(long, value_name = "N", value_parser = count(), default_value = "4")]
    #[arg(help_heading = "Emulator")]
    schedules: u64,
    /// Check each access to memory for races, bounds and initialisation; smaller inputs only.
    #[arg(long, help_heading = "Emulator")]
    races: bool,
    /// Hide progress.
    #[arg(long, short)]
    quiet: bool,
}

const LANES: [(&str, Lanes); 2] = [("32", Lanes::L32), ("64", Lanes::L64)];

fn count() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=1_000_000)
}

fn known_task() -> impl TypedValueParser<Value = &'static dyn Task> {
    let names = PossibleValuesParser::new(tasks().iter().map(|task| task.name()));
    names.try_map(|name| task(&name).ok_or("unknown"))
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

impl Args for VerifyRequest {
    fn augment_args(command: Command) -> Command {
        let command = InputFlags::augment_args(command);
        EmulatorFlags::augment_args(command.args(reading().into_iter().map(reading_flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for VerifyRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let options = axes::values(reading(), matches).map_err(super::senseless)?;
        let flags = InputFlags::from_arg_matches(matches)?;
        let emulator = EmulatorFlags::from_arg_matches(matches)?;
        let most_items = if emulator.races {
            MOST_ITEMS_FOR_RACES
        } else {
            u64::MAX
        };
        let seeds = 0..flags.seeds;
        let mut request = VerifyRequest {
            tasks: flags.tasks,
            variants: flags.variants,
            plugins: flags.plugins,
            devices: flags.devices,
            seeds: seeds.map(|i| flags.seed.wrapping_add(i)).collect(),
            input: flags.input,
            options,
            most_items: flags.max_items.unwrap_or(most_items),
            lanes: emulator.lanes,
            schedules: emulator.schedules,
            races: emulator.races,
            quiet: emulator.quiet,
        };
        each_once(&mut request.variants);
        each_once(&mut request.plugins);
        each_once(&mut request.devices);
        Ok(request)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
