//! `bench history`: the store of runs.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use reports::history::{Filter, Retention, Unfinished};

use super::{examples, formats, given, measuring};
use crate::request::{DEFAULT_STORE, HistoryAction, HistoryRequest};

mod changes;

pub(super) fn command() -> Command {
    let list = Command::new("list").about("List the runs, the one added last first");
    Command::new("history")
        .about("Keep runs in a store: list, add, accept, prune, show; and when points changed")
        .after_help(examples::HISTORY)
        .args_conflicts_with_subcommands(true)
        .args(list_flags())
        .subcommand(list.args(list_flags()))
        .subcommand(add())
        .subcommand(accept())
        .subcommand(unaccept())
        .subcommand(prune())
        .subcommand(show())
        .subcommand(changes::command())
}

fn list_flags() -> Vec<Arg> {
    let accepted = Arg::new("accepted")
        .long("accepted")
        .action(ArgAction::SetTrue)
        .help("Only accepted runs");
    let mut flags = filter_flags();
    flags.extend([accepted, formats::flag(&measuring::FORMATS)]);
    flags
}

/// Which runs of which store.
fn filter_flags() -> Vec<Arg> {
    let text =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let time = |name| text(name, "TIME").value_parser(moment);
    vec![
        store_flag(),
        text("machine", "KEY").help("Only runs of machines whose key begins so"),
        text("suite", "NAME").help("Only runs of this suite"),
        text("task", "NAME").help("Only runs that measured this task"),
        text("commit", "HASH").help("Only runs of commits whose hash begins so"),
        time("since").help("Only runs started then or later: 2026-01-31, 2026-01-31T12:00:00Z, 7d"),
        time("until").help("Only runs started before"),
        text("last", "N")
            .value_parser(value_parser!(usize))
            .help("Only the N runs added last"),
    ]
}

fn add() -> Command {
    let runs = Arg::new("runs")
        .value_name("RUN")
        .required(true)
        .num_args(1..)
        .value_parser(value_parser!(PathBuf))
        .help("Run folders; they stay as they are");
    let unfinished = Arg::new("unfinished")
        .long("unfinished")
        .action(ArgAction::SetTrue)
        .help("Take runs that were killed too");
    Command::new("add")
        .about("Copy runs into the store")
        .args([runs, unfinished, store_flag()])
}

fn accept() -> Command {
    let note = Arg::new("note")
        .long("note")
        .value_name("TEXT")
        .help("Why, for those who come later");
    let if_none = measuring::switch("if-none").help("Only if there is no baseline yet");
    Command::new("accept")
        .about("Make a run the baseline of its suite on its machine")
        .args([run(), note, if_none, store_flag()])
}

fn unaccept() -> Command {
    Command::new("unaccept")
        .about("Take an acceptance back")
        .args([run(), store_flag()])
}

fn prune() -> Command {
    let keep = Arg::new("keep")
        .long("keep")
        .value_name("N")
        .value_parser(value_parser!(usize))
        .required_unless_present("keep-days")
        .help("Keep the N newest runs of each suite on each machine");
    let keep_days = Arg::new("keep-days")
        .long("keep-days")
        .value_name("N")
        .value_parser(value_parser!(u64))
        .help("Keep runs that were added in the last N days");
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Delete nothing, only say what would be deleted");
    Command::new("prune")
        .about("Delete old runs, but never an accepted one nor the newest of a suite")
        .args([keep, keep_days, dry_run, store_flag()])
}

fn show() -> Command {
    Command::new("show")
        .about("Print the results of a run")
        .args([
            run(),
            formats::flag(&measuring::FORMATS),
            measuring::rank_flag(),
            store_flag(),
        ])
}

fn run() -> Arg {
    Arg::new("run")
        .value_name("RUN")
        .required(true)
        .help("An id, the beginning of one or of the hash in it, latest, or accepted")
}

fn store_flag() -> Arg {
    Arg::new("store")
        .long("store")
        .value_name("DIR")
        .default_value(DEFAULT_STORE)
        .value_parser(value_parser!(PathBuf))
        .help("The folder of the store")
}

/// A time of day, a day (its beginning), or so long ago.
fn moment(text: &str) -> Result<SystemTime, String> {
    let day = || humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z"));
    if let Ok(time) = humantime::parse_rfc3339_weak(text).or_else(|_| day()) {
        return Ok(time);
    }
    let ago = |time: Duration| SystemTime::now().checked_sub(time);
    let past = humantime::parse_duration(text).ok().and_then(ago);
    past.ok_or_else(|| "use a time such as 2026-01-31, 2026-01-31T12:00:00Z or 7d".to_owned())
}

pub(super) fn request(matches: &ArgMatches) -> HistoryRequest {
    let (name, matches) = matches.subcommand().unwrap_or(("list", matches));
    HistoryRequest {
        store: given::one(matches, "store").unwrap_or_else(|| DEFAULT_STORE.into()),
        action: action(name, matches),
    }
}

fn action(name: &str, matches: &ArgMatches) -> HistoryAction {
    let text = |name: &str| given::one::<String>(matches, name).unwrap_or_default();
    match name {
        "add" => HistoryAction::Add {
            runs: given::many(matches, "runs"),
            unfinished: if matches.get_flag("unfinished") {
                Unfinished::Allow
            } else {
                Unfinished::Refuse
            },
        },
        "accept" => HistoryAction::Accept {
            run: text("run"),
            note: text("note"),
            if_none: matches.get_flag("if-none"),
        },
        "unaccept" => HistoryAction::Unaccept { run: text("run") },
        "prune" => HistoryAction::Prune {
            retention: Retention {
                keep_runs: given::one(matches, "keep"),
                keep_days: given::one(matches, "keep-days"),
            },
            dry_run: matches.get_flag("dry-run"),
        },
        "changes" => HistoryAction::Changes(Box::new(changes::request(matches))),
        "show" => HistoryAction::Show {
            run: text("run"),
            format: formats::outputs(matches, &measuring::FORMATS),
            rank: measuring::rank(matches),
        },
        _ => HistoryAction::List {
            filter: Filter {
                accepted: matches.get_flag("accepted"),
                ..filter(matches)
            },
            format: formats::outputs(matches, &measuring::FORMATS),
        },
    }
}

fn filter(matches: &ArgMatches) -> Filter {
    Filter {
        machine: given::one(matches, "machine"),
        suite: given::one(matches, "suite"),
        task: given::one(matches, "task"),
        commit: given::one(matches, "commit"),
        since: given::one(matches, "since"),
        until: given::one(matches, "until"),
        accepted: false,
        last: given::one(matches, "last"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_times_or_spans() {
        let day = moment("2026-01-31").expect("a day");
        let noon = moment("2026-01-31T12:00:00Z").expect("a time");
        assert_eq!(noon, day + Duration::from_secs(12 * 3600));
        assert_eq!(moment("2026-01-31 12:00:00"), Ok(noon));
        let past = moment("7d").expect("a span");
        let ago = SystemTime::now().duration_since(past).expect("past");
        assert_eq!(ago.as_secs() / 3600, 7 * 24);
        for bad in ["", "yesterday", "2026-13-01", "-7d"] {
            assert!(moment(bad).is_err(), "{bad}");
        }
    }
}
