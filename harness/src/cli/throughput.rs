//! `bench throughput TASK`: flags of a task's data, of devices and threads, and of streams.

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::data::{data_flags, source};
use crate::request::{DeviceSet, MeasureRequest, Settings, ThroughputFlags, ThroughputRequest};

/// Settings of measuring commands that streams share. Plugins are not supported, because their
/// calls are supervised one at a time.
const SETTINGS: [&str; 5] = ["seed", "variants", "threads", "places", "binds"];
const DEVICES: &str = "devices";

fn subcommand(task: &'static dyn Task) -> Command {
    let shared = shared_settings().into_iter().map(for_streams);
    let devices = devices(
        "Devices: cpu, cuda:N, wgpu:N, or cuda:0+cuda:1 to spread streams over several [default: \
         cpu and all CUDA GPUs]",
    );
    let command = data_flags(Command::new(task.name()), task).args(shared).arg(devices);
    ThroughputFlags::augment_args(command)
        .about(format!("Concurrent streams: {}", task.info().summary))
}

/// Returns the flags shared with measuring commands.
pub(super) fn shared_settings() -> Vec<Arg> {
    let all = Settings::augment_args(Command::new("bench"));
    let is_shared = |flag: &&Arg| SETTINGS.contains(&flag.get_id().as_str());
    all.get_arguments().filter(is_shared).cloned().collect()
}

/// Adapts the help of a shared flag to streams.
fn for_streams(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "threads" => flag.help("Threads per stream: N, all, or doubling [default: 1]"),
        _ => flag,
    }
}

/// The flag `--device`, which accepts joined devices.
pub(super) fn devices(help: &'static str) -> Arg {
    Arg::new(DEVICES)
        .long("device")
        .value_name("DEVICE")
        .value_delimiter(',')
        .action(clap::ArgAction::Append)
        .value_parser(|text: &str| text.parse::<DeviceSet>())
        .help_heading("Where")
        .help(help)
}

/// Returns the values of `--device`.
pub(super) fn device_sets(matches: &ArgMatches) -> Vec<DeviceSet> {
    matches.get_many(DEVICES).into_iter().flatten().cloned().collect()
}

/// Returns the settings that streams share; the others have their defaults.
pub(super) fn settings(matches: &ArgMatches) -> Settings {
    fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<T> {
        matches.get_many(id).into_iter().flatten().cloned().collect()
    }
    let Settings { seed, .. } = Settings::default();
    Settings {
        seed: matches.get_one("seed").copied().unwrap_or(seed),
        variants: all(matches, "variants"),
        threads: all(matches, "threads"),
        cpu_sets: all(matches, "places"),
        binds: all(matches, "binds"),
        ..Settings::default()
    }
}

impl Subcommand for ThroughputRequest {
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

impl FromArgMatches for ThroughputRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand();
        let Some((task, matches)) = named.and_then(|(name, below)| Some((task(name)?, below)))
        else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        Ok(ThroughputRequest {
            measuring: MeasureRequest::new(task, source(task, matches), settings(matches)),
            device_sets: device_sets(matches),
            flags: ThroughputFlags::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
