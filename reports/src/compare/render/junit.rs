//! A comparison as JUnit XML: what CI servers show as tests.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::RenderError;
use super::rows;
use crate::compare::{Comparison, NOT_MEASURED, PointVerdict, Unmatched, Verdict};

/// A suite a task, a test case a point: failed if slower, skipped if the
/// samples don't tell.
pub fn render(comparison: &Comparison) -> Result<String, RenderError> {
    let mut report = Report::new("recobench");
    let mut algorithms: Vec<&str> = Vec::new();
    for point in &comparison.points {
        if !algorithms.contains(&point.key.point.algorithm.as_str()) {
            algorithms.push(&point.key.point.algorithm);
        }
    }
    for algorithm in algorithms {
        let mut suite = TestSuite::new(algorithm);
        let points = comparison.points.iter();
        let of_task = points.filter(|point| point.key.point.algorithm == algorithm);
        suite.add_test_cases(of_task.map(case));
        let lost =
            comparison.only_base.iter().filter(|point| point.key.point.algorithm == algorithm);
        suite.add_test_cases(lost.map(lost_case));
        report.add_test_suite(suite);
    }
    let text = report.to_string();
    text.map_err(|error| RenderError::Junit(error.to_string()))
}

/// A point that only the base has: not measured, or no longer right.
fn lost_case(point: &Unmatched) -> TestCase {
    let mut status = match point.reason.as_str() {
        NOT_MEASURED => TestCaseStatus::skipped(),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_message(point.reason.clone());
    let mut case = TestCase::new(rows::words(&point.key), status);
    case.set_classname(format!("{}.{}", point.key.point.algorithm, point.key.point.variant));
    case
}

fn case(point: &PointVerdict) -> TestCase {
    let mut status = match point.verdict {
        Verdict::Slower => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive => TestCaseStatus::skipped(),
        Verdict::Faster | Verdict::Same => TestCaseStatus::success(),
    };
    status.set_message(format!("{}: {}", point.label(), point.reason));
    let mut case = TestCase::new(rows::words(&point.key), status);
    case.set_classname(format!("{}.{}", point.key.point.algorithm, point.key.point.variant));
    let [verdict, _, base, new, ratio, interval, _] = rows::cells(point, &[]);
    let next = point.next.as_deref().unwrap_or_default();
    case.set_system_out(format!(
        "{verdict}: base {base}, new {new}, ratio {ratio} {interval}\n{next}"
    ));
    case
}
