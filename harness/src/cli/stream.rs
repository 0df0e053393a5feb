//! `bench stream`: flags of the STS chain's data, of devices and threads, and of the stream.

use algorithms::axis::{Axis, Params};
use algorithms::registry::task;
use algorithms::sts_events::RULES;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::axes::{flag, values};
use super::data::{data_flags, source};
use super::throughput::{device_sets, devices, settings, shared_settings};
use crate::request::{MeasureRequest, StreamFlags, StreamRequest};

/// Task that processes the timeslices of a detector.
const TASK: &str = "sts";

/// The flag that has events built.
const EVENTS: &str = "events";
/// Above that flag and the rules in the help.
const HEADING: &str = "Events";

/// Flags for results that also apply to `--merge`.
const OF_RESULTS: [&str; 5] = ["merge", "out", "format", "charts", "quiet"];

/// Makes `--merge` conflict with all flags of a run, because merged runs are finished.
fn with_conflicts_of_merging(command: Command) -> Command {
    let all = command.get_arguments().map(|flag| flag.get_id().clone());
    let of_running: Vec<_> = all.filter(|id| !OF_RESULTS.contains(&id.as_str())).collect();
    command.mut_arg("merge", |merge| merge.conflicts_with_all(of_running))
}

/// Adapts the help of a shared flag to workers: threads per worker, one variant.
fn for_workers(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "threads" => flag.help("Threads per process: N or all [default: 1]"),
        "variants" => {
            flag.help("Variant of the chain [default: time-sweep on the CPU, balanced on a GPU]")
        }
        _ => flag,
    }
}

fn events() -> Arg {
    Arg::new(EVENTS)
        .long(EVENTS)
        .action(ArgAction::SetTrue)
        .help("Build digi events of each timeslice after the chain, as bench events does")
        .help_heading(HEADING)
}

/// Returns the flag of a rule of event building.
fn rule(axis: &'static Axis) -> Arg {
    flag(axis, false).requires(EVENTS).help_heading(HEADING)
}

/// Returns the values of all rules.
fn rules(matches: &ArgMatches) -> Params {
    let given = values(RULES, matches);
    let first = |axis: &Axis| Some((axis.name, given.values(axis.name).first()?.clone()));
    let mut rules: Params = RULES.iter().filter_map(first).collect();
    rules.complete(RULES);
    rules
}

impl Args for StreamRequest {
    fn augment_args(command: Command) -> Command {
        let Some(task) = task(TASK) else { return command };
        let devices = devices(
            "Devices, one after the other: cpu, cuda:N, wgpu:N, or cuda:0+cuda:1 to spread processes \
             over several [default: cpu]",
        );
        let rules = RULES.iter().map(rule);
        let shared = shared_settings().into_iter().map(for_workers);
        let command = data_flags(command, task).args(shared).arg(devices).arg(events()).args(rules);
        with_conflicts_of_merging(StreamFlags::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for StreamRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Some(task) = task(TASK) else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        Ok(StreamRequest {
            measuring: MeasureRequest::new(task, source(task, matches), settings(matches)),
            device_sets: device_sets(matches),
            events: matches.get_flag(EVENTS).then(|| rules(matches)),
            flags: StreamFlags::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
