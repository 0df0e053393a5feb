//! The flags of `bench report`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::measuring::{self, switch};
use super::{examples, filters};
use crate::request::{ReportFormat, ReportRequest};

/// The subcommand.
pub(super) fn command() -> Command {
    Command::new("report")
        .about("Write a report on a run: charts, tables, history and raw data in one file")
        .after_help(examples::REPORT)
        .arg(
            Arg::new("runs")
                .value_name("RUN")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Run folders; the last one is reported, the others are its history. Also latest, accepted or an id of the store"),
        )
        .args(flags())
        .args(filters::flags())
}

fn flags() -> [Arg; 8] {
    let out = file("out", "FILE")
        .default_value("report.html")
        .help("Where to: .html or .md");
    let base = file("base", "RUN").help(
        "Compare with this run: a folder, or latest, accepted or an id of the store; without \
         --comparison",
    );
    let store = file("store", "DIR").help("Take the history from this store too");
    let format = Arg::new("format")
        .long("format")
        .value_parser(PossibleValuesParser::new(["html", "markdown"]))
        .help("How to write the report [default: by the ending of FILE]");
    let title = Arg::new("title")
        .long("title")
        .value_name("TEXT")
        .help("The heading [default: tasks, machine and date]");
    let comparison = file("comparison", "FILE").conflicts_with("base").help(
        "Tell what changed from a file of `bench compare --format json=FILE`, also what was \
             confirmed; without --base",
    );
    let force = switch("force").help("Replace the file even if it is no report");
    [
        out,
        base,
        comparison,
        store,
        format,
        title,
        measuring::rank_flag(),
        force,
    ]
}

fn file(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .value_parser(value_parser!(PathBuf))
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> Result<ReportRequest, String> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let runs = matches.get_many::<PathBuf>("runs").into_iter().flatten();
    let out = path("out").unwrap_or_default();
    let format = matches.get_one::<String>("format");
    Ok(ReportRequest {
        runs: runs.cloned().collect(),
        base: path("base"),
        comparison: path("comparison"),
        store: path("store"),
        format: match format.map(String::as_str) {
            Some("markdown") => ReportFormat::Markdown,
            Some(_) => ReportFormat::Html,
            None => by_ending(&out)?,
        },
        out,
        filter: filters::filter(matches),
        rank: measuring::rank(matches),
        force: matches.get_flag("force"),
        title: matches.get_one("title").cloned(),
    })
}

fn by_ending(out: &Path) -> Result<ReportFormat, String> {
    let ending = out.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(ReportFormat::Html),
        Some("md" | "markdown") => Ok(ReportFormat::Markdown),
        _ => Err(format!(
            "the ending of {} tells no format; let it end in .html or .md, or add --format",
            out.display()
        )),
    }
}
