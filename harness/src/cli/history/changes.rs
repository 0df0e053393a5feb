//! `bench history changes`: when did points change?

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use reports::trend::{Listing, Terms};

use super::super::given::{many, one};
use super::super::measuring::{self, switch};
use super::super::{filters, formats};
use crate::request::{ChangesRequest, values};

pub(super) fn command() -> Command {
    Command::new("changes")
        .about("Find when points became slower or faster, over all runs of a store")
        .args(run_flags())
        .args(filters::flags())
        .args(judging_flags())
        .args(output_flags())
}

/// Which runs: of which tasks is asked of their points.
fn run_flags() -> impl Iterator<Item = Arg> {
    let flags = super::filter_flags().into_iter();
    flags.filter(|flag| flag.get_id() != "task")
}

fn judging_flags() -> [Arg; 5] {
    let min_effect = Arg::new("min-effect")
        .long("min-effect")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("1%")
        .help("The smallest change that counts, if a series does not scatter by more");
    let significance = Arg::new("significance")
        .long("significance")
        .value_name("P")
        .value_parser(values::change_significance)
        .default_value("0.005")
        .help("The share of steady series in which a change may be found, 0.0025 or more");
    let false_discovery = Arg::new("false-discovery")
        .long("false-discovery")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("2%")
        .help("The share of false changes among those that are found in all series together");
    let accepted = Arg::new("accepted-shifts")
        .long("accepted-shifts")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Changes that are all right [default: accepted-shifts.toml in the store]");
    let check = switch("check").help("Exit with 4 if a point is slower and nobody accepted that");
    let flags = [min_effect, significance, false_discovery, accepted, check];
    flags.map(|flag| flag.help_heading("Judging"))
}

fn output_flags() -> [Arg; 3] {
    let all = switch("all").help("Show all points, also those that stayed as they were");
    let out = Arg::new("out")
        .long("out")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Draw a chart of what is shown, a panel a point, into this folder");
    [all, out, formats::flag(&measuring::FORMATS)].map(|flag| flag.help_heading("Output"))
}

pub(super) fn request(matches: &ArgMatches) -> ChangesRequest {
    let mut terms = Terms::default();
    terms.min_effect = one(matches, "min-effect").unwrap_or(terms.min_effect);
    terms.search.significance = one(matches, "significance").unwrap_or(terms.search.significance);
    terms.false_discovery = one(matches, "false-discovery").unwrap_or(terms.false_discovery);
    let mut filter = super::filter(matches);
    // Runs are listed by the names of their tasks, not by globs.
    let is_name = |task: &String| !task.contains(['*', '?', '[']);
    let is_one = many::<String>(matches, "task").len() == 1;
    filter.task = filter.task.filter(|task| is_one && is_name(task));
    ChangesRequest {
        filter,
        points: filters::filter(matches),
        accepted_shifts: one(matches, "accepted-shifts"),
        terms,
        listing: match matches.get_flag("all") {
            true => Listing::All,
            false => Listing::Changes,
        },
        check: matches.get_flag("check"),
        out: one(matches, "out"),
        format: formats::outputs(matches, &measuring::FORMATS),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::super::parse;
    use super::*;
    use crate::request::{HistoryAction, Request};

    fn parsed(line: &str) -> Option<ChangesRequest> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::History(request)) => match request.action {
                HistoryAction::Changes(request) => Some(*request),
                _ => None,
            },
            _ => None,
        }
    }

    #[test]
    fn flags_become_values() {
        let line = "bench history changes --task sort --last 90 --variant a,b --min-effect 2% \
                    --significance 0.01 --false-discovery 5% --axis segments=24 --check --all --out charts --store s";
        let request = parsed(line).expect("a request");
        assert!(!request.points.is_all());
        assert_eq!(request.filter.task.as_deref(), Some("sort"));
        let globs = parsed("bench history changes --task s*").expect("a request");
        assert_eq!(globs.filter.task, None);
        assert_eq!(request.filter.last, Some(90));
        assert_eq!(request.terms.min_effect, 0.02);
        assert_eq!(request.terms.search.significance, 0.01);
        assert_eq!(request.terms.false_discovery, 0.05);
        assert!(request.check && request.listing == Listing::All);
        assert_eq!(request.out, Some(PathBuf::from("charts")));
    }

    #[test]
    fn a_level_that_the_test_can_t_reach_is_refused() {
        assert!(parsed("bench history changes --significance 0.002").is_none());
        assert!(parsed("bench history changes --significance 1").is_none());
        let default = parsed("bench history changes").expect("a request");
        assert_eq!(default.terms, Terms::default());
    }
}
