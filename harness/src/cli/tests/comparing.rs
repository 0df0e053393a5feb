//! `bench compare`.

use std::path::PathBuf;
use std::time::Duration;

use reports::compare::render::{Format, Listing};

use crate::cli::Request;
use crate::request::{CompareRequest, FailOn};

fn parsed(line: &str) -> Option<CompareRequest> {
    match super::parsed(line) {
        Ok(Request::Compare(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn flags_become_values() {
    let line = "bench compare a latest --min-effect 3% --junit j.xml --markdown m.md --all";
    let request = parsed(line).expect("a request");
    assert_eq!((request.base.as_str(), request.new.as_str()), ("a", "latest"));
    assert_eq!(request.judging.min_effect, 0.03);
    assert_eq!(request.judging.significance, 0.01);
    assert_eq!(request.listing, Listing::All);
    assert_eq!(request.confirm_time, Duration::from_secs(600));
    let files =
        [(Format::Markdown, PathBuf::from("m.md")), (Format::Junit, PathBuf::from("j.xml"))];
    assert_eq!(request.format.files, files);
    let new = parsed("bench compare a b --format junit=j.xml --format json --format table=t");
    let new = new.expect("a request");
    assert_eq!(new.format.stdout, Format::Json);
    let files = [("j.xml", Format::Junit), ("t", Format::Table)];
    assert_eq!(new.format.files, files.map(|(file, format)| (format, PathBuf::from(file))));
}

#[test]
fn typed_flags_can_be_repeated() {
    assert!(parsed("bench compare a b").is_some_and(|it| it.given.is_empty()));
    let line = "bench compare a b --min-effect 3% --store=s --across-machines --all";
    let given = parsed(line).expect("a request").given;
    let expected = ["--store", "s", "--min-effect", "3%", "--across-machines"];
    assert_eq!(given, expected);
}

#[test]
fn without_names_the_last_run_is_compared_with_the_accepted_one() {
    let request = parsed("bench compare --fail-on inconclusive").expect("a request");
    assert_eq!((request.base.as_str(), request.new.as_str()), ("accepted", "latest"));
    assert_eq!(request.judging.fail_on, FailOn::Inconclusive);
    assert_eq!(parsed("bench compare").expect("a request").judging.fail_on, FailOn::Slower);
}

#[test]
fn points_are_filtered_and_the_filter_given_again() {
    let line = "bench compare a b --task so*,sts --axis segments=24,48 --axis threads=1 \
                --false-discovery 5%";
    let request = parsed(line).expect("a request");
    assert!(!request.points.filter().is_all());
    assert_eq!(request.judging.false_discovery, 0.05);
    let again = format!("bench compare a b {}", request.given.join(" "));
    let again = parsed(&again).expect("understood");
    assert_eq!(again.points, request.points);
    assert!(parsed("bench compare a b").is_some_and(|it| it.points.filter().is_all()));
}
