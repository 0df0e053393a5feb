//! The flags of `bench export`.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use reports::export::ExportFormat;

use super::compare::store_flag;
use super::examples;
use super::given::{many, one};
use super::measuring::switch;
use crate::request::ExportRequest;

/// The subcommand.
pub(super) fn command() -> Command {
    let runs = Arg::new("runs")
        .value_name("RUN")
        .num_args(1..)
        .value_parser(value_parser!(PathBuf))
        .required_unless_present("all")
        .help("Run folders, or latest, accepted or ids of the store; the oldest first");
    let all = switch("all")
        .conflicts_with("runs")
        .help("All runs of the store");
    let format = Arg::new("format")
        .long("format")
        .value_parser(PossibleValuesParser::new(
            ExportFormat::ALL.map(|(name, _)| name),
        ))
        .help("How to write them [default: by the ending of FILE]");
    let out = Arg::new("out")
        .long("out")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Where to: .prom, .lp, .csv or .parquet [default: standard output]");
    Command::new("export")
        .about("Write runs for Prometheus or InfluxDB, or as a table (CSV, Parquet)")
        .after_help(examples::EXPORT)
        .args([runs, all, format, out, store_flag()])
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> Result<ExportRequest, String> {
    let out: Option<PathBuf> = one(matches, "out");
    let format = match one::<String>(matches, "format") {
        Some(name) => named(&name),
        None => out.as_deref().and_then(by_ending),
    };
    let format = format
        .ok_or("--format is needed, or --out with a known ending: .prom, .lp, .csv or .parquet")?;
    if out.is_none() && format == ExportFormat::Parquet {
        return Err("Parquet is for files: name one with --out".to_owned());
    }
    Ok(ExportRequest {
        runs: many(matches, "runs"),
        all: matches.get_flag("all"),
        store: one(matches, "store").unwrap_or_default(),
        format,
        out,
    })
}

fn named(name: &str) -> Option<ExportFormat> {
    let mut known = ExportFormat::ALL.into_iter();
    known
        .find(|(known, _)| *known == name)
        .map(|(_, format)| format)
}

fn by_ending(path: &Path) -> Option<ExportFormat> {
    let ending = path.extension()?.to_ascii_lowercase();
    ExportFormat::of_ending(ending.to_str()?)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::parse;
    use super::*;
    use crate::request::Request;

    fn parsed(line: &str) -> Option<ExportRequest> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::Export(request)) => Some(request),
            _ => None,
        }
    }

    #[test]
    fn the_ending_tells_the_format_unless_it_is_given() {
        let format = |line: &str| parsed(line).map(|request| request.format);
        assert_eq!(
            format("bench export a --out x.prom"),
            Some(ExportFormat::Prometheus)
        );
        assert_eq!(
            format("bench export a --out x.LP"),
            Some(ExportFormat::Influx)
        );
        assert_eq!(
            format("bench export --all --out x.parquet"),
            Some(ExportFormat::Parquet)
        );
        assert_eq!(
            format("bench export a --out x.txt --format csv"),
            Some(ExportFormat::Csv)
        );
        assert_eq!(
            format("bench export a b --format csv"),
            Some(ExportFormat::Csv)
        );
    }

    #[test]
    fn senseless_flags_are_refused() {
        for line in [
            "bench export",
            "bench export a",
            "bench export a --out x.txt",
            "bench export a --all --format csv",
            "bench export a --format parquet",
            "bench export a --format xml",
        ] {
            assert!(parsed(line).is_none(), "{line}");
        }
    }
}
