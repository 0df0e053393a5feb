//! The flags of `bench reproduce`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::given::{many, one};
use super::{examples, formats, measuring};
use crate::request::{ReproduceRequest, values};

/// The subcommand.
pub(super) fn command() -> Command {
    let figures = Arg::new("figures")
        .value_name("FIGURE")
        .num_args(0..)
        .help("Figures and tables by their ids, such as tab5.1 or fig5.5 [default: all]");
    let run = Arg::new("run")
        .long("run")
        .value_name("RUN")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with("budget")
        .help("Take the numbers from this run of the suite thesis rather than measure");
    let budget = Arg::new("budget")
        .long("budget")
        .value_name("TIME")
        .value_parser(values::duration)
        .default_value("8m")
        .help("Time for all points; making and checking data comes on top");
    Command::new("reproduce")
        .about("Measure what published figures show, and tell whether their conclusions hold here")
        .after_help(examples::REPRODUCE)
        .args([figures, run, budget])
        .args(measuring::output_flags())
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches, command: Vec<String>) -> ReproduceRequest {
    ReproduceRequest {
        figures: many(matches, "figures"),
        run: one(matches, "run"),
        budget: one(matches, "budget").unwrap_or_default(),
        out: one(matches, "out"),
        format: formats::outputs(matches, &measuring::FORMATS),
        rank: measuring::rank(matches),
        config: None,
        charts: !matches.get_flag("no-charts"),
        quiet: matches.get_flag("quiet"),
        command,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use super::super::parse;
    use super::*;
    use crate::request::Request;

    fn parsed(line: &str) -> Option<ReproduceRequest> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::Reproduce(request)) => Some(*request),
            _ => None,
        }
    }

    #[test]
    fn flags_become_values() {
        let request = parsed("bench reproduce tab5.1 fig5.5 --budget 5m -q").expect("a request");
        assert_eq!(request.figures, ["tab5.1", "fig5.5"]);
        assert_eq!(request.budget, Duration::from_secs(300));
        assert!(request.quiet && request.charts && request.run.is_none());
        let all = parsed("bench reproduce --run results/thesis").expect("a request");
        assert!(all.figures.is_empty() && all.run.is_some());
        assert!(parsed("bench reproduce --run a --budget 5m").is_none());
    }
}
