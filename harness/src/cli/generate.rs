//! `bench generate`: data sets as files.

use std::path::PathBuf;

use algorithms::axis::Axis;
use algorithms::registry::task;
use algorithms::{sts_scenario, time_frame, tpc_gather, tpc_merge};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::given;
use super::{axes, examples, measuring, usage};
use crate::request::{Request, SimulationRequest, TimeFrameRequest, TruthFiles};

/// The subcommand.
pub(super) fn command() -> Command {
    Command::new("generate")
        .about("Write a data set to a file")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(sts())
        .subcommand(sts_physics())
        .subcommand(tpc())
        .subcommand(tracks())
        .subcommand(clusters())
}

fn sts() -> Command {
    Command::new("sts")
        .about("Write STS digis to a file")
        .after_help(examples::GENERATE_STS)
        .args(digi_axes().iter().map(|axis| axes::flag(axis, false)))
        .arg(measuring::seed_flag())
        .arg(out_flag("Where to: .csv or .bin, with .gz to compress"))
}

fn sts_physics() -> Command {
    let truth = Arg::new("truth")
        .long("truth")
        .action(ArgAction::SetTrue)
        .help("Write where digis come from too: NAME.crossings.csv, NAME.sources.csv")
        .help_heading("Data");
    Command::new("sts-physics")
        .about("Write digis that particles leave in the STS, with the detector's setup beside them")
        .after_help(examples::GENERATE_STS_PHYSICS)
        .args(
            sts_scenario::AXES
                .iter()
                .map(|axis| axes::flag(axis, false)),
        )
        .arg(truth)
        .arg(measuring::seed_flag())
        .arg(out_flag(
            "Where to: .csv or .bin, with .gz to compress; numbered if there are several \
             timeslices",
        ))
}

fn tpc() -> Command {
    let mapping = Arg::new("mapping")
        .long("mapping")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Pad mapping: a folder with TABLE-*.txt [default: a regular one]")
        .help_heading("Data");
    Command::new("tpc")
        .about("Write a time frame of the TPC as raw pages, with an index beside it")
        .after_help(examples::GENERATE_TPC)
        .args(time_frame::AXES.iter().map(|axis| axes::flag(axis, false)))
        .arg(mapping)
        .arg(measuring::seed_flag())
        .arg(out_flag("Where to: .pages, with .gz to compress"))
}

fn tracks() -> Command {
    Command::new("tracks")
        .about("Write slice tracks of the TPC with their relations and links to a file")
        .after_help(examples::GENERATE_TRACKS)
        .args(tpc_merge::AXES.iter().map(|axis| axes::flag(axis, false)))
        .arg(measuring::seed_flag())
        .arg(out_flag("Where to: .csv or .bin, with .gz to compress"))
}

fn clusters() -> Command {
    Command::new("clusters")
        .about("Write compressed clusters of the TPC in pieces to a file")
        .after_help(examples::GENERATE_CLUSTERS)
        .args(tpc_gather::AXES.iter().map(|axis| axes::flag(axis, false)))
        .arg(measuring::seed_flag())
        .arg(out_flag("Where to: .bin, with .gz to compress"))
}

fn out_flag(help: &'static str) -> Arg {
    Arg::new("out")
        .long("out")
        .value_name("FILE")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

/// The axes of generated digis are those of the task that sorts them.
fn digi_axes() -> &'static [Axis] {
    task("sort").map_or(&[], |task| task.axes())
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> Result<Request, clap::Error> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(usage(
            "generate",
            "a kind of data is needed: sts, sts-physics, tpc, tracks or clusters",
        ));
    };
    let axes_of = |axes| {
        let values = axes::values(axes, matches);
        values.map_err(|error| usage(&format!("generate {name}"), &error))
    };
    let seed = given::seed(matches);
    let out = given::one(matches, "out").unwrap_or_default();
    Ok(match name {
        "tpc" => Request::GenerateTimeFrame(Box::new(TimeFrameRequest {
            axes: axes_of(time_frame::AXES)?,
            mapping: given::one(matches, "mapping"),
            seed,
            out,
        })),
        "sts-physics" => Request::GenerateSimulated(Box::new(SimulationRequest {
            axes: axes_of(sts_scenario::AXES)?,
            truth: truth(matches),
            seed,
            out,
        })),
        "tracks" => Request::GenerateTracks {
            axes: axes_of(tpc_merge::AXES)?,
            seed,
            out,
        },
        "clusters" => Request::GenerateClusters {
            axes: axes_of(tpc_gather::AXES)?,
            seed,
            out,
        },
        _ => Request::Generate {
            axes: axes_of(digi_axes())?,
            seed,
            out,
        },
    })
}

fn truth(matches: &ArgMatches) -> TruthFiles {
    if matches.get_flag("truth") {
        TruthFiles::Written
    } else {
        TruthFiles::Dropped
    }
}
