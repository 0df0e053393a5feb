//! `bench run` and `bench reproduce`.

use std::path::PathBuf;
use std::time::Duration;

use reports::record::Shard;

use crate::cli::Request;
use crate::request::{DEFAULT_STORE, ReproduceRequest, SuiteRequest};

fn parsed(line: &str) -> Option<SuiteRequest> {
    match super::parsed(line) {
        Ok(Request::RunSuite(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn flags_become_values() {
    let line = "bench run s.toml --budget 30m --shard 2/4 --store hist --fresh --no-charts -q";
    let request = parsed(line).expect("a request");
    assert_eq!(request.suite, PathBuf::from("s.toml"));
    assert_eq!(request.budget, Some(Duration::from_secs(1800)));
    assert_eq!(request.shard, Some(Shard { number: 2, of: 4 }));
    assert_eq!(request.store, Some(PathBuf::from("hist")));
    assert!(request.fresh && request.output.quiet && !request.output.charts && !request.dry_run);
    assert_eq!(request.command.len(), 12);
}

#[test]
fn runs_of_suites_are_saved_by_default_and_shards_on_request() {
    let default = Some(PathBuf::from(DEFAULT_STORE));
    for (flags, store) in [
        ("", default.clone()),
        ("--save", default.clone()),
        ("--no-save", None),
        ("--no-store", None),
        ("--shard 1/2", None),
        ("--shard 1/2 --save", default),
        ("--shard 1/2 --store s", Some(PathBuf::from("s"))),
    ] {
        let line = format!("bench run smoke {flags}");
        let request = parsed(line.trim_end()).expect("a request");
        assert_eq!(request.store, store, "{flags}");
    }
    for flags in ["--save --no-save", "--store s --no-store"] {
        assert!(parsed(&format!("bench run smoke {flags}")).is_none(), "{flags}");
    }
}

#[test]
fn runs_of_tasks_are_saved_on_request() {
    for (flags, store) in [
        ("-q", None),
        ("--save", Some(DEFAULT_STORE)),
        ("--store s", Some("s")),
        ("--store s --save", Some("s")),
        ("--store s --no-save", None),
    ] {
        let request = super::measured(&format!("bench sort {flags}"));
        assert_eq!(request.session.store, store.map(PathBuf::from), "{flags}");
    }
    assert!(super::parsed("bench sort --save --no-save").is_err());
}

#[test]
fn shards_are_merged_and_nothing_else() {
    let request = parsed("bench run smoke --merge a b --out c").expect("a request");
    assert_eq!(request.merge, [PathBuf::from("a"), PathBuf::from("b")]);
}

fn reproduced(line: &str) -> Option<ReproduceRequest> {
    match super::parsed(line) {
        Ok(Request::Reproduce(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn published_figures_are_named_or_all() {
    let request = reproduced("bench reproduce tab5.1 fig5.5 --budget 5m -q").expect("a request");
    assert_eq!(request.figures, ["tab5.1", "fig5.5"]);
    assert_eq!(request.budget, Duration::from_secs(300));
    assert!(request.output.quiet && request.output.charts && request.run.is_none());
    let all = reproduced("bench reproduce --run results/thesis").expect("a request");
    assert!(all.figures.is_empty() && all.run.is_some());
}
