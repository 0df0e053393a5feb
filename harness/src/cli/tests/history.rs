//! `bench history changes`.

use std::path::PathBuf;

use reports::trend::{Listing, ShiftLimits};

use crate::cli::Request;
use crate::request::{ChangesRequest, HistoryAction};

fn parsed(line: &str) -> Option<ChangesRequest> {
    match super::parsed(line) {
        Ok(Request::History(request)) => match request.action {
            Some(HistoryAction::Changes(request)) => Some(*request),
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
    assert!(!request.points.filter().is_all());
    assert_eq!(request.filter().task.as_deref(), Some("sort"));
    let globs = parsed("bench history changes --task s*").expect("a request");
    assert_eq!(globs.filter().task, None);
    assert_eq!(request.filter().last, Some(90));
    assert_eq!(request.judging.limits().min_effect, 0.02);
    assert_eq!(request.judging.limits().search.significance, 0.01);
    assert_eq!(request.judging.limits().false_discovery, 0.05);
    assert!(request.judging.check && request.listing == Listing::All);
    assert_eq!(request.out, Some(PathBuf::from("charts")));
    let request = parsed("bench history changes --charts charts").expect("a request");
    assert_eq!(request.out, Some(PathBuf::from("charts")));
}

#[test]
fn flags_that_are_not_given_mean_the_usual_terms() {
    let default = parsed("bench history changes").expect("a request");
    assert_eq!(default.judging.limits(), ShiftLimits::default());
}
