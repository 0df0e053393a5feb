//! `bench compare`: a run and an earlier one.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, value_parser};
use reports::compare::Thresholds;
use reports::compare::render::{Format, Listing};

use super::formats;
use super::given::one;
use super::measuring::switch;
use super::{examples, filters};
use crate::request::{CompareRequest, DEFAULT_STORE, FailOn, values};

/// What a comparison must not find, with the names that `--fail-on` gives it.
const FAIL_ON: [(&str, FailOn); 2] = [
    ("slower", FailOn::Slower),
    ("inconclusive", FailOn::Inconclusive),
];

/// Flags with a value that advice repeats if they were given.
const REPEATED: [&str; 10] = [
    "store",
    "min-effect",
    "resolution",
    "significance",
    "false-discovery",
    "fail-on",
    "task",
    "variant",
    "axis",
    "base-bench",
];

/// Formats with the names that flags give them.
pub(super) const FORMATS: [(&str, Format); 4] = [
    ("table", Format::Table),
    ("markdown", Format::Markdown),
    ("json", Format::Json),
    ("junit", Format::Junit),
];

/// The subcommand.
pub(super) fn command() -> Command {
    let run = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).value_name(value).help(help)
    };
    Command::new("compare")
        .about("Compare a run with an earlier one: which points are slower?")
        .after_help(examples::COMPARE)
        .arg(
            run(
                "base",
                "BASE",
                "The earlier run: a folder, or latest, accepted or an id of the store",
            )
            .default_value("accepted")
            .requires("new"),
        )
        .arg(run("new", "NEW", "The run to judge, named likewise").default_value("latest"))
        .args(judging_flags())
        .args(filters::flags())
        .args(confirming_flags())
        .args(output_flags())
}

/// What counts as a change.
fn judging_flags() -> [Arg; 6] {
    let min_effect = Arg::new("min-effect")
        .long("min-effect")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("1%")
        .help("The smallest change that counts: the whole interval must lie beyond it");
    let resolution = Arg::new("resolution")
        .long("resolution")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("5%")
        .help("A point is the same only if a larger change than this can be excluded");
    let significance = Arg::new("significance")
        .long("significance")
        .value_name("P")
        .value_parser(values::probability)
        .default_value("0.01")
        .help("The rank test's p-value must be below this");
    let false_discovery = Arg::new("false-discovery")
        .long("false-discovery")
        .value_name("PERCENT")
        .value_parser(values::percentage)
        .default_value("2%")
        .help("The share of chance among the points that are told as slower or faster");
    let fail_on = fail_on_flag();
    let across = switch("across-machines").help("Compare runs of unlike machines");
    let flags = [
        min_effect,
        resolution,
        significance,
        false_discovery,
        fail_on,
        across,
    ];
    flags.map(|flag| flag.help_heading("Judging"))
}

/// What makes the exit code 4.
pub(super) fn fail_on_flag() -> Arg {
    Arg::new("fail-on")
        .long("fail-on")
        .value_parser(PossibleValuesParser::new(FAIL_ON.map(|(name, _)| name)))
        .default_value("slower")
        .help("What makes the exit code 4: a slower point, or also one that is not clear")
}

/// Measuring again.
fn confirming_flags() -> [Arg; 3] {
    let confirm = switch("confirm")
        .help("Measure again what is slower or not clear, and judge that by the new samples");
    let base_bench = Arg::new("base-bench")
        .long("base-bench")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .requires("confirm")
        .help("The executable that made BASE: it takes turns with this one");
    let time = Arg::new("confirm-time")
        .long("confirm-time")
        .value_name("TIME")
        .value_parser(values::duration)
        .default_value("10m")
        .requires("confirm")
        .help("The time for that: what is most urgent comes first, what does not fit is said");
    [confirm, time, base_bench].map(|flag| flag.help_heading("Confirming"))
}

fn output_flags() -> [Arg; 7] {
    // Older names of --format FORMAT=FILE, which scripts rely on.
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .hide(true)
            .help(help)
    };
    let all = switch("all").help("List all points, also those that are the same");
    [
        formats::flag(&FORMATS),
        file("markdown", "Write it to a file for a page, too"),
        file("json", "Write it to a file for programs, too"),
        file("junit", "Write it to a file for CI servers, too"),
        all,
        store_flag(),
        super::measuring::quiet_flag(),
    ]
    .map(|flag| flag.help_heading("Output"))
}

/// Where runs and self-tests are kept.
pub(super) fn store_flag() -> Arg {
    Arg::new("store")
        .long("store")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .default_value(DEFAULT_STORE)
        .help("Where runs and self-tests are kept")
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> CompareRequest {
    let file = |(name, format): &(&str, Format)| {
        let path = matches.try_get_one::<PathBuf>(name).ok().flatten()?;
        Some((*format, path.clone()))
    };
    let default = Thresholds::default();
    let mut format = formats::outputs(matches, &FORMATS);
    // As they were asked for before `--format FORMAT=FILE`.
    format.files.extend(FORMATS[1..].iter().filter_map(file));
    CompareRequest {
        base: one(matches, "base").unwrap_or_default(),
        new: one(matches, "new").unwrap_or_default(),
        store: one(matches, "store").unwrap_or_default(),
        thresholds: Thresholds {
            min_effect: one(matches, "min-effect").unwrap_or(default.min_effect),
            resolution: one(matches, "resolution").unwrap_or(default.resolution),
            significance: one(matches, "significance").unwrap_or(default.significance),
            false_discovery: one(matches, "false-discovery").unwrap_or(default.false_discovery),
        },
        points: filters::filter(matches),
        fail_on: fail_on(matches),
        across_machines: matches.get_flag("across-machines"),
        confirm: matches.get_flag("confirm"),
        confirm_time: one(matches, "confirm-time").unwrap_or_default(),
        base_bench: one(matches, "base-bench"),
        format,
        listing: if matches.get_flag("all") {
            Listing::All
        } else {
            Listing::Changes
        },
        quiet: matches.get_flag("quiet"),
        given: given(matches),
    }
}

/// What makes the exit code 4.
pub(super) fn fail_on(matches: &ArgMatches) -> FailOn {
    let wanted: Option<String> = one(matches, "fail-on");
    let mut known = FAIL_ON.iter();
    let named = known.find(|(name, _)| wanted.as_deref() == Some(name));
    named.map_or(FailOn::Slower, |(_, fail_on)| *fail_on)
}

/// See [`CompareRequest::given`].
fn given(matches: &ArgMatches) -> Vec<String> {
    let is_given = |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let mut words = Vec::new();
    for name in REPEATED.into_iter().filter(is_given) {
        for value in matches.get_raw(name).into_iter().flatten() {
            let value = value.to_string_lossy();
            words.extend([format!("--{name}"), value.into_owned()]);
        }
    }
    if matches.get_flag("across-machines") {
        words.push("--across-machines".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use super::super::parse;
    use super::*;
    use crate::request::Request;

    fn parsed(line: &str) -> Option<CompareRequest> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::Compare(request)) => Some(*request),
            _ => None,
        }
    }

    #[test]
    fn flags_become_values() {
        let line = "bench compare a latest --min-effect 3% --junit j.xml --markdown m.md --all";
        let request = parsed(line).expect("a request");
        assert_eq!(
            (request.base.as_str(), request.new.as_str()),
            ("a", "latest")
        );
        assert_eq!(request.thresholds.min_effect, 0.03);
        assert_eq!(request.thresholds.significance, 0.01);
        assert_eq!(request.listing, Listing::All);
        assert_eq!(request.confirm_time, Duration::from_secs(600));
        let files = [
            (Format::Markdown, PathBuf::from("m.md")),
            (Format::Junit, PathBuf::from("j.xml")),
        ];
        assert_eq!(request.format.files, files);
        let new = parsed("bench compare a b --format junit=j.xml --format json --format table=t");
        let new = new.expect("a request");
        assert_eq!(new.format.stdout, Format::Json);
        let files = [("j.xml", Format::Junit), ("t", Format::Table)];
        assert_eq!(
            new.format.files,
            files.map(|(file, format)| (format, PathBuf::from(file)))
        );
    }

    #[test]
    fn what_was_given_can_be_given_again() {
        assert!(parsed("bench compare a b").is_some_and(|it| it.given.is_empty()));
        let line = "bench compare a b --min-effect 3% --store=s --across-machines --all";
        let given = parsed(line).expect("a request").given;
        let expected = ["--store", "s", "--min-effect", "3%", "--across-machines"];
        assert_eq!(given, expected);
    }

    #[test]
    fn without_names_the_last_run_is_compared_with_the_accepted_one() {
        let request = parsed("bench compare --fail-on inconclusive").expect("a request");
        assert_eq!(
            (request.base.as_str(), request.new.as_str()),
            ("accepted", "latest")
        );
        assert_eq!(request.fail_on, FailOn::Inconclusive);
        assert_eq!(
            parsed("bench compare").expect("a request").fail_on,
            FailOn::Slower
        );
    }

    #[test]
    fn points_are_filtered_and_the_filter_given_again() {
        let line = "bench compare a b --task so*,sts --axis segments=24,48 --axis threads=1 \
                    --false-discovery 5%";
        let request = parsed(line).expect("a request");
        assert!(!request.points.is_all());
        assert_eq!(request.thresholds.false_discovery, 0.05);
        let again = format!("bench compare a b {}", request.given.join(" "));
        let again = parsed(&again).expect("understood");
        assert_eq!(again.points, request.points);
        assert!(parsed("bench compare a b").is_some_and(|it| it.points.is_all()));
    }

    #[test]
    fn senseless_flags_are_refused() {
        assert!(parsed("bench compare a").is_none());
        assert!(parsed("bench compare a b --significance 2").is_none());
        assert!(
            parsed("bench compare a b --base-bench old").is_none(),
            "without --confirm"
        );
        assert!(
            parsed("bench compare a b --confirm-time 5m").is_none(),
            "without --confirm"
        );
        assert!(parsed("bench compare a b --confirm --confirm-time soon").is_none());
        assert!(parsed("bench compare a b --format html").is_none());
        assert!(parsed("bench compare a b --axis segments").is_none());
        assert!(parsed("bench compare a b --variant [").is_none());
        assert!(parsed("bench compare a b --fail-on faster").is_none());
    }
}
