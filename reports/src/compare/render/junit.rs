//! A comparison as JUnit XML: what CI servers show as tests.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use text::{Foreign, SENTENCE};

use super::RenderError;
use super::rows;
use crate::compare::{Comparison, Key, NOT_MEASURED, PointVerdict, Unmatched, Verdict};
use crate::grouped::grouped;

/// A suite a task, a test case a point: failed if slower, skipped if the
/// samples don't tell.
pub fn render(comparison: &Comparison) -> Result<String, RenderError> {
    let mut report = Report::new("recobench");
    let task = |key: &Key| key.point.algorithm.clone();
    for (algorithm, points) in grouped(&comparison.points, |point| task(&point.key)) {
        let lost = comparison.only_base.iter().filter(|point| task(&point.key) == algorithm);
        let mut suite = TestSuite::new(algorithm.shown().to_string());
        suite.add_test_cases(points.into_iter().map(case));
        suite.add_test_cases(lost.map(lost_case));
        report.add_test_suite(suite);
    }
    let text = report.to_string();
    text.map_err(|error| RenderError::Junit(error.to_string()))
}

/// A point that only the base has: not measured, or no longer right.
fn lost_case(point: &Unmatched) -> TestCase {
    let status = match point.reason.as_str() {
        NOT_MEASURED => TestCaseStatus::skipped(),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    named(&point.key, status, &point.reason)
}

fn named(key: &Key, mut status: TestCaseStatus, message: &str) -> TestCase {
    status.set_message(message.shown().at_most(SENTENCE).to_string());
    let mut case = TestCase::new(rows::words(key), status);
    case.set_classname(format!("{}.{}", key.point.algorithm.shown(), key.point.variant.shown()));
    case
}

fn case(point: &PointVerdict) -> TestCase {
    let status = match point.verdict {
        Verdict::Slower => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive => TestCaseStatus::skipped(),
        Verdict::Faster | Verdict::Same => TestCaseStatus::success(),
    };
    let mut case = named(&point.key, status, &format!("{}: {}", point.label(), point.reason));
    let [verdict, _, base, new, ratio, interval, _] = rows::cells(point, &[]);
    let next = point.next.as_deref().unwrap_or_default().shown().at_most(SENTENCE);
    case.set_system_out(format!(
        "{verdict}: base {base}, new {new}, ratio {ratio} {interval}\n{next}"
    ));
    case
}
