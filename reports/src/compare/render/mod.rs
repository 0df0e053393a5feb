//! A comparison for terminals, pages, programs and CI servers, which show JUnit XML as tests.

mod markdown;
mod selftest;

use std::path::Path;

pub use crate::trend::Listing;
pub(crate) use markdown::commands;
pub use selftest::selftest;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use text::{COMMAND, SENTENCE, Untrusted};

use super::{
    Comparison, EnergyChange, EnergyVerdict, Key, NOT_MEASURED, PointVerdict, QualityChange,
    QualityVerdict, RETIRED, Unmatched, Verdict, gate,
};
use crate::frame::json_text;
use crate::grouped::{distinct, grouped};
use crate::screen::{Paint, Screen};
use crate::shape::{self, Axes, AxisName};
use crate::table::{Format, Side, Table, for_people};
use crate::units;

/// Error of the output of a comparison.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// Failed to serialise to JSON.
    #[error("cannot write the comparison as JSON: {0}; try --format table")]
    Json(#[from] serde_json::Error),
    /// Failed to serialise to JUnit XML.
    #[error("cannot write the comparison as JUnit XML: {0}; try --format json")]
    Junit(String),
    /// There is no such format of these results.
    #[error("cannot write these results as {}; try --format json", .0.name())]
    Format(Format),
}

/// The comparison as a text that ends with a line break. Formats for people list changes, or all
/// points; a small number of points is listed completely.
///
/// # Errors
/// If it can't be serialised, or has no such format.
pub fn render(
    format: Format,
    comparison: &Comparison,
    listing: Listing,
    screen: Screen,
) -> Result<String, RenderError> {
    match format {
        Format::Table => Ok(columns(screen, comparison, listing)),
        Format::Markdown => Ok(markdown::render(comparison, listing)),
        Format::Json => Ok(json_text(comparison)?),
        Format::Junit => Ok(text::page(junit(comparison)?)),
        Format::Csv => Err(RenderError::Format(format)),
    }
}

fn columns(screen: Screen, comparison: &Comparison, listing: Listing) -> String {
    let mut lines: Vec<String> = names(comparison).into();
    let common = common(comparison);
    if !common.is_empty() {
        lines.push(format!("all   {}", shape::phrases(&common)));
    }
    let table = table(&listed(comparison, listing), &common);
    let table = for_people(Format::Table, &[table], Screen { paint: Paint::Plain, ..screen });
    lines.extend(table.lines().map(str::to_owned));
    lines.push(counts(comparison));
    if !comparison.energy.is_empty() {
        let table = energy_table(&listed_energy(comparison, listing), &common);
        let table = for_people(Format::Table, &[table], Screen { paint: Paint::Plain, ..screen });
        lines.extend(table.lines().map(str::to_owned));
        lines.push(energy_counts(comparison));
    }
    if !comparison.quality.is_empty() {
        let table = quality_table(&listed_quality(comparison, listing), &common);
        let table = for_people(Format::Table, &[table], Screen { paint: Paint::Plain, ..screen });
        lines.extend(table.lines().map(str::to_owned));
        lines.push(quality_counts(comparison));
    }
    lines.extend(unmatched(comparison));
    lines.extend(comparison.unjudged_words());
    lines.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(hints(comparison).iter().map(|hint| format!("hint: {hint}")));
    // Line breaks in foreign text are escaped.
    let mut text: String =
        lines.iter().map(|line| line.escaped().at_most(SENTENCE).to_string() + "\n").collect();
    // Commands must not be cut off.
    let next = steps(comparison).into_iter();
    text.extend(next.map(|step| format!("next: {}\n", step.escaped().at_most(COMMAND))));
    text + &gate::sentence(comparison).escaped().at_most(SENTENCE).to_string() + "\n"
}

/// Maximum number of points that are all listed, whatever their verdicts.
const FEW: usize = 24;

/// Maximum number of points without a partner that are named.
const NAMED: usize = 5;

/// The columns of a table of points.
const COLUMNS: [(&str, Side); 7] = [
    ("verdict", Side::Left),
    ("point", Side::Left),
    ("base", Side::Right),
    ("new", Side::Right),
    ("ratio", Side::Right),
    ("95 % CI", Side::Left),
    ("why", Side::Left),
];

/// The columns of a table of energies.
const ENERGY_COLUMNS: [(&str, Side); 7] = [
    ("energy", Side::Left),
    ("point", Side::Left),
    ("base J/item", Side::Right),
    ("new J/item", Side::Right),
    ("ratio", Side::Right),
    ("95 % CI", Side::Left),
    ("why", Side::Left),
];

/// The energies to list, by urgency of the verdict.
fn listed_energy(comparison: &Comparison, listing: Listing) -> Vec<&EnergyVerdict> {
    let all = listing == Listing::All || comparison.energy.len() <= FEW;
    let wanted = |point: &&EnergyVerdict| all || point.verdict != EnergyChange::Same;
    let mut points: Vec<_> = comparison.energy.iter().filter(wanted).collect();
    points.sort_by_key(|point| point.verdict);
    points
}

/// Table of energies with the axes that distinguish points.
fn energy_table(points: &[&EnergyVerdict], common: &[(AxisName, String)]) -> Table {
    let cells = |point: &&EnergyVerdict| {
        let [base, new, ratio, interval] = point.values();
        let name = short_words(&point.key, common);
        [point.verdict.to_string(), name, base, new, ratio, interval, point.reason.clone()]
    };
    Table::new(&ENERGY_COLUMNS, points.iter().map(cells))
        .without_if_narrow(&["95 % CI", "base J/item"])
}

/// `energy of 3 points: 1 MORE, 0 INCONCLUSIVE, 0 LESS, 2 SAME`.
fn energy_counts(comparison: &Comparison) -> String {
    let count = |verdict| format!("{} {verdict}", comparison.count_energy(verdict));
    let points = units::counted(comparison.energy.len(), "point");
    format!("energy of {points}: {}", EnergyChange::ALL.map(count).join(", "))
}

/// The columns of a table of qualities.
const QUALITY_COLUMNS: [(&str, Side); 8] = [
    ("quality", Side::Left),
    ("point", Side::Left),
    ("metric", Side::Left),
    ("base", Side::Right),
    ("new", Side::Right),
    ("change for the better", Side::Right),
    ("95 % CI", Side::Left),
    ("why", Side::Left),
];

/// The qualities to list, by urgency of the verdict, then by size of the change.
fn listed_quality(comparison: &Comparison, listing: Listing) -> Vec<&QualityVerdict> {
    let all = listing == Listing::All || comparison.quality.len() <= FEW;
    let wanted = |metric: &&QualityVerdict| all || metric.verdict != QualityChange::Unchanged;
    let mut metrics: Vec<_> = comparison.quality.iter().filter(wanted).collect();
    metrics.sort_by(|a, b| {
        let size = |metric: &QualityVerdict| metric.worsening.abs();
        a.verdict.cmp(&b.verdict).then_with(|| size(b).total_cmp(&size(a)))
    });
    metrics
}

/// Table of qualities with the axes that distinguish points.
fn quality_table(metrics: &[&QualityVerdict], common: &[(AxisName, String)]) -> Table {
    let cells = |metric: &&QualityVerdict| {
        let [base, new, change, interval] = metric.values();
        let name = short_words(&metric.key, common);
        let verdict = metric.verdict.to_string();
        let label = metric.label.clone();
        [verdict, name, label, base, new, change, interval, metric.reason.clone()]
    };
    Table::new(&QUALITY_COLUMNS, metrics.iter().map(cells)).without_if_narrow(&["95 % CI", "base"])
}

/// `quality, 14 metrics: 1 WORSE, 0 UNDECIDED, 0 BETTER, 13 UNCHANGED`.
fn quality_counts(comparison: &Comparison) -> String {
    let count = |verdict| format!("{} {verdict}", comparison.count_quality(verdict));
    let metrics = units::counted(comparison.quality.len(), "metric");
    format!("quality, {metrics}: {}", QualityChange::ALL.map(count).join(", "))
}

/// The points to list, by urgency of the verdict, then by size of the change.
fn listed(comparison: &Comparison, listing: Listing) -> Vec<&PointVerdict> {
    let all = listing == Listing::All || comparison.points.len() <= FEW;
    let wanted = |point: &&PointVerdict| all || point.verdict != Verdict::Same;
    let mut points: Vec<_> = comparison.points.iter().filter(wanted).collect();
    points.sort_by(|a, b| a.by_urgency(b));
    points
}

/// Common axes of all points of a comparison, which are printed once.
fn common(comparison: &Comparison) -> Axes {
    match comparison.points.as_slice() {
        [_] => Axes::new(),
        points => shape::common(points.iter().map(|point| shape::point_axes(&point.key.point))),
    }
}

/// Table of points with the axes that distinguish them.
fn table(points: &[&PointVerdict], common: &[(AxisName, String)]) -> Table {
    Table::new(&COLUMNS, points.iter().map(|point| cells(point, common)))
        .without_if_narrow(&["95 % CI", "base"])
}

/// The cells of a point, in the order of [`COLUMNS`], without common axes.
fn cells(point: &PointVerdict, common: &[(AxisName, String)]) -> [String; 7] {
    let time = |seconds: f64| units::seconds(seconds, 4);
    let interval = point.interval.map_or(units::UNKNOWN.to_owned(), units::ratio_interval);
    [
        point.label(),
        short_words(&point.key, common),
        time(point.base.median_s),
        time(point.new.median_s),
        units::ratio(point.ratio),
        interval,
        point.reason.clone(),
    ]
}

/// `sort rdst · 2 M digis · 24 segments · order random · 2 threads`.
pub fn words(key: &Key) -> String {
    short_words(key, &[])
}

/// The name of a point without common axes.
fn short_words(key: &Key, common: &[(AxisName, String)]) -> String {
    let name = format!("{} {}", key.point.algorithm.escaped(), key.name());
    let mut axes = shape::point_axes(&key.point);
    axes.retain(|axis| !common.contains(axis));
    let shape = shape::phrases(&axes);
    let separator = if shape.is_empty() { "" } else { shape::SEPARATOR };
    format!("{name}{separator}{shape}")
}

/// `68 points: 1 SLOWER, 2 INCONCLUSIVE, 0 FASTER, 65 SAME`.
fn counts(comparison: &Comparison) -> String {
    let counts = Verdict::ALL.map(|verdict| format!("{} {verdict}", comparison.count(verdict)));
    format!("{}: {}", units::counted(comparison.points.len(), "point"), counts.join(", "))
}

/// Base and new run, one line each.
fn names(comparison: &Comparison) -> [String; 2] {
    [("base", &comparison.base), ("new ", &comparison.new)].map(|(side, run)| {
        let commit = run.git_commit.as_deref().map_or(String::new(), |commit| {
            format!(", commit {}", commit.get(..12).unwrap_or(commit))
        });
        format!("{side}  {} ({}{commit})", Path::new(&run.folder).escaped(), run.started.escaped())
    })
}

/// Hints of all points, without repeats, with the number of points for each.
pub(crate) fn hints(comparison: &Comparison) -> Vec<String> {
    let hints = comparison.points.iter().filter_map(|point| point.hint.as_deref());
    let counted = |(hint, points): (&str, Vec<_>)| match points.len() {
        1 => hint.to_owned(),
        count => format!("{hint} ({count} points)"),
    };
    grouped(hints, |hint| *hint).into_iter().map(counted).collect()
}

/// The commands to run next, without repeats, for a shell.
pub(crate) fn steps(comparison: &Comparison) -> Vec<&str> {
    distinct(comparison.points.iter().flat_map(PointVerdict::commands))
}

/// Points without a partner: all that gave no result in the new run by name, some of the others.
fn unmatched(comparison: &Comparison) -> Vec<String> {
    let is_absent = |point: &&Unmatched| [NOT_MEASURED, RETIRED].contains(&point.reason.as_str());
    let (absent, lost): (Vec<_>, Vec<_>) = comparison.only_base.iter().partition(is_absent);
    let (wrong, refused): (Vec<_>, Vec<_>) = lost.into_iter().partition(|point| point.is_wrong());
    let only_new = comparison.only_new.iter().collect();
    let sides = [
        ("is", "are", "wrong in the new run", wrong, usize::MAX),
        ("has", "have", "no result in the new run", refused, usize::MAX),
        ("has", "have", "samples only in the base", absent, NAMED),
        ("has", "have", "samples only in the new run", only_new, NAMED),
    ];
    let sides = sides.into_iter().filter(|(.., points, _)| !points.is_empty());
    let lines = sides.map(|(one, many, what, points, max)| {
        let verb = if points.len() == 1 { one } else { many };
        let count = units::counted(points.len(), "point");
        named(format!("{count} {verb} {what}:"), &points, max)
    });
    lines.flatten().collect()
}

fn named(count: String, points: &[&Unmatched], max: usize) -> Vec<String> {
    let mut lines = vec![count];
    let line = |point: &&Unmatched| {
        format!("  {}: {}", words(&point.key), point.reason.escaped().at_most(SENTENCE))
    };
    lines.extend(points.iter().take(max).map(line));
    if points.len() > max {
        lines.push(format!("  and {} more", points.len() - max));
    }
    lines
}

/// One suite per task, one test case per point: failed if slower, skipped if inconclusive.
fn junit(comparison: &Comparison) -> Result<String, RenderError> {
    let mut report = Report::new("recobench");
    let task = |key: &Key| key.point.algorithm.clone();
    for (algorithm, points) in grouped(&comparison.points, |point| task(&point.key)) {
        let lost = comparison.only_base.iter().filter(|point| task(&point.key) == algorithm);
        let status = |point| lost_status(point, comparison.asked_alike);
        let lost = lost.map(|point| junit_named(&point.key, status(point), &point.reason));
        let quality = comparison.quality.iter().filter(|metric| task(&metric.key) == algorithm);
        let mut suite = TestSuite::new(algorithm.escaped().to_string());
        suite.add_test_cases(points.into_iter().map(case));
        suite.add_test_cases(lost);
        suite.add_test_cases(quality.map(quality_case));
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

fn junit_named(key: &Key, mut status: TestCaseStatus, message: &str) -> TestCase {
    status.set_message(message.escaped().at_most(SENTENCE).to_string());
    let mut case = TestCase::new(words(key), status);
    case.set_classname(format!(
        "{}.{}",
        key.point.algorithm.escaped(),
        key.point.variant.escaped()
    ));
    case
}

/// A metric of quality: failed if worse, skipped if undecided.
fn quality_case(metric: &QualityVerdict) -> TestCase {
    let status = match metric.verdict {
        QualityChange::Worse => TestCaseStatus::non_success(NonSuccessKind::Failure),
        QualityChange::Undecided => TestCaseStatus::skipped(),
        QualityChange::Better | QualityChange::Unchanged => TestCaseStatus::success(),
    };
    let message = format!("{}: {}", metric.verdict, metric.reason);
    let mut case = junit_named(&metric.key, status, &message);
    case.name = format!("{} · {}", words(&metric.key), metric.label.escaped()).into();
    let [base, new, change, interval] = metric.values();
    case.set_system_out(format!(
        "{}: base {base}, new {new}, change for the better {change}, {interval}\n",
        metric.verdict
    ));
    case
}

fn case(point: &PointVerdict) -> TestCase {
    let status = match point.verdict {
        Verdict::Slower => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive => TestCaseStatus::skipped(),
        Verdict::Faster | Verdict::Same => TestCaseStatus::success(),
    };
    let mut case = junit_named(&point.key, status, &format!("{}: {}", point.label(), point.reason));
    let [verdict, _, base, new, ratio, interval, _] = cells(point, &[]);
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
