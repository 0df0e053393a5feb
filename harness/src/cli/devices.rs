//! `bench devices`

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::examples;
use super::formats;
use crate::request::{DevicesFormat, DevicesRequest};

/// Formats with the names that the flag gives them.
const FORMATS: [(&str, DevicesFormat); 2] = [
    ("table", DevicesFormat::Table),
    ("json", DevicesFormat::Json),
];

pub(super) fn command() -> Command {
    let measure = Arg::new("measure")
        .long("measure")
        .action(ArgAction::SetTrue)
        .help("Measure memory bandwidth, links to GPUs and latencies too");
    let out = Arg::new("out")
        .long("out")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .requires("measure")
        .help("Folder for ceilings.json, links.csv and the chart of the links");
    Command::new("devices")
        .about("Show the CPUs and GPUs of this machine")
        .after_help(examples::DEVICES)
        .args([measure, formats::flag(&FORMATS), out])
}

pub(super) fn request(matches: &ArgMatches) -> DevicesRequest {
    DevicesRequest {
        measure: matches.get_flag("measure"),
        format: formats::outputs(matches, &FORMATS),
        out: matches.get_one("out").cloned(),
    }
}
