//! `bench sts`: what it has beyond other measuring commands.

use std::path::PathBuf;

use algorithms::task::Task;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::given::one;
use super::measuring;
use crate::request::{ReconstructRequest, Request};

/// The task that has these flags.
pub(super) const TASK: &str = "sts";

/// The subcommand.
pub(super) fn command(task: &'static dyn Task) -> Command {
    let clusters = out_flag(
        "clusters",
        "Write the clusters to a file (.csv) and measure nothing; by the variant that is named, \
         or online",
    );
    let hits = out_flag("hits", "Write the hits to a file (.csv), in the same way");
    measuring::command(task).args([clusters, hits])
}

fn out_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("OUT")
        .value_parser(value_parser!(PathBuf))
        .requires("input")
        .help(help)
        .help_heading("Data")
}

/// What the flags mean.
pub(super) fn request(
    task: &'static dyn Task,
    matches: &ArgMatches,
    command: Vec<String>,
) -> Result<Request, String> {
    let measuring = measuring::request(task, matches, command)?;
    let (clusters, hits) = (one(matches, "clusters"), one(matches, "hits"));
    if clusters.is_none() && hits.is_none() {
        return Ok(Request::Measure(Box::new(measuring)));
    }
    Ok(Request::Reconstruct(Box::new(ReconstructRequest {
        measuring,
        clusters,
        hits,
    })))
}
