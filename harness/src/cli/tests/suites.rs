//! `bench run` and `bench reproduce`.

use std::path::PathBuf;
use std::time::Duration;

use reports::record::Shard;

use crate::cli::Request;
use crate::request::{ReproduceRequest, SuiteRequest};

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
