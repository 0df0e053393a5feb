//! A comparison as JUnit XML, which CI servers show as tests.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use text::{COMMAND, SENTENCE, Untrusted};

use super::RenderError;
use super::rows;
use crate::compare::{Comparison, Key, NOT_MEASURED, PointVerdict, RETIRED, Unmatched, Verdict};
use crate::grouped::grouped;

/// One suite per task, one test case per point: failed if slower, skipped if inconclusive.
pub fn render(comparison: &Comparison) -> Result<String, RenderError> {
    let mut report = Report::new("recobench");
    let task = |key: &Key| key.point.algorithm.clone();
    for (algorithm, points) in grouped(&comparison.points, |point| task(&point.key)) {
        let lost = comparison.only_base.iter().filter(|point| task(&point.key) == algorithm);
        let status = |point| lost_status(point, comparison.asked_alike);
        let lost = lost.map(|point| named(&point.key, status(point), &point.reason));
        let mut suite = TestSuite::new(algorithm.escaped().to_string());
        suite.add_test_cases(points.into_iter().map(case));
        suite.add_test_cases(lost);
        report.add_test_suite(suite);
    }
    let text = report.to_string();
    text.map_err(|error| RenderError::Junit(error.to_string()))
}

/// Status of a point that only the base has: missing, not requested, or no longer valid.
fn lost_status(point: &Unmatched, asked_alike: bool) -> TestCaseStatus {
    if point.reason == RETIRED || point.reason == NOT_MEASURED && !asked_alike {
        TestCaseStatus::skipped()
    } else {
        TestCaseStatus::non_success(NonSuccessKind::Error)
    }
}

fn named(key: &Key, mut status: TestCaseStatus, message: &str) -> TestCase {
    status.set_message(message.escaped().at_most(SENTENCE).to_string());
    let mut case = TestCase::new(rows::words(key), status);
    case.set_classname(format!(
        "{}.{}",
        key.point.algorithm.escaped(),
        key.point.variant.escaped()
    ));
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
    let hint =
        point.hint.iter().map(|hint| format!("hint: {}\n", hint.escaped().at_most(SENTENCE)));
    let next =
        point.commands().map(|command| format!("next: {}\n", command.escaped().at_most(COMMAND)));
    let next: String = hint.chain(next).collect();
    case.set_system_out(format!(
        "{verdict}: base {base}, new {new}, ratio {ratio} {interval}\n{next}"
    ));
    case
}
