//! The subcommand that tries a plugin: `bench` starts it itself.

use std::path::PathBuf;

use algorithms::device::Device;
use algorithms::registry::{task, tasks};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::given::{many, one};
use super::values;
use crate::plugins::trial::{SUBCOMMAND, TrialRequest, VariantTrial};

/// The subcommand, which help does not show.
pub(super) fn command() -> Command {
    let plugin = Arg::new("plugin")
        .required(true)
        .value_parser(value_parser!(PathBuf));
    let names = PossibleValuesParser::new(tasks().iter().map(|task| task.name()));
    let task = Arg::new("task").long("task").value_parser(names);
    let variant = Arg::new("variant").long("variant").requires("task");
    let device = Arg::new("device")
        .long("device")
        .value_parser(values::device);
    let threads = Arg::new("threads")
        .long("threads")
        .value_delimiter(',')
        .value_parser(values::threads);
    let flags = [task, variant, device, threads].map(|flag| flag.help("What to try"));
    Command::new(SUBCOMMAND)
        .about("Try a plugin in a process of its own")
        .hide(true)
        .arg(plugin)
        .args(flags)
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> TrialRequest {
    let named = one::<String>(matches, "task").and_then(|name| task(&name));
    let variant = named
        .zip(one(matches, "variant"))
        .map(|(task, variant)| VariantTrial {
            device: one(matches, "device").unwrap_or(Device::Cpu),
            threads: many(matches, "threads"),
            task,
            variant,
        });
    TrialRequest {
        plugin: one(matches, "plugin").unwrap_or_default(),
        variant,
    }
}
