//! Common parts of the tables of a comparison.

use std::path::Path;

use text::{SENTENCE, Untrusted};

use super::Listing;
use crate::compare::{Comparison, Key, NOT_MEASURED, PointVerdict, RETIRED, Unmatched, Verdict};
use crate::grouped::{distinct, grouped};
use crate::shape::{self, Axes, AxisName};
use crate::table::{Side, Table};
use crate::units;

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

/// The points to list, by urgency of the verdict, then by size of the change.
pub fn listed(comparison: &Comparison, listing: Listing) -> Vec<&PointVerdict> {
    let all = listing == Listing::All || comparison.points.len() <= FEW;
    let wanted = |point: &&PointVerdict| all || point.verdict != Verdict::Same;
    let mut points: Vec<_> = comparison.points.iter().filter(wanted).collect();
    points.sort_by(|a, b| a.by_urgency(b));
    points
}

/// Common axes of all points of a comparison, which are printed once.
pub fn common(comparison: &Comparison) -> Axes {
    match comparison.points.as_slice() {
        [_] => Axes::new(),
        points => shape::common(points.iter().map(|point| shape::point_axes(&point.key.point))),
    }
}

/// Table of points with the axes that distinguish them.
pub fn table(points: &[&PointVerdict], common: &[(AxisName, String)]) -> Table {
    Table::new(&COLUMNS, points.iter().map(|point| cells(point, common)))
        .without_if_narrow(&["95 % CI", "base"])
}

/// The cells of a point, in the order of [`COLUMNS`], without common axes.
pub fn cells(point: &PointVerdict, common: &[(AxisName, String)]) -> [String; 7] {
    let time = |seconds: f64| units::seconds(seconds, 4);
    let interval = point.interval.map_or(units::UNKNOWN.to_owned(), |interval| {
        format!("[{}, {}]", units::ratio(interval.low), units::ratio(interval.high))
    });
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
pub fn counts(comparison: &Comparison) -> String {
    let counts = Verdict::ALL.map(|verdict| format!("{} {verdict}", comparison.count(verdict)));
    format!("{}: {}", units::counted(comparison.points.len(), "point"), counts.join(", "))
}

/// Base and new run, one line each.
pub fn names(comparison: &Comparison) -> [String; 2] {
    [("base", &comparison.base), ("new ", &comparison.new)].map(|(side, run)| {
        let commit = run.git_commit.as_deref().map_or(String::new(), |commit| {
            format!(", commit {}", commit.get(..12).unwrap_or(commit))
        });
        format!("{side}  {} ({}{commit})", Path::new(&run.folder).escaped(), run.started.escaped())
    })
}

/// Hints of all points, without repeats, with the number of points for each.
pub fn hints(comparison: &Comparison) -> Vec<String> {
    let hints = comparison.points.iter().filter_map(|point| point.hint.as_deref());
    let counted = |(hint, points): (&str, Vec<_>)| match points.len() {
        1 => hint.to_owned(),
        count => format!("{hint} ({count} points)"),
    };
    grouped(hints, |hint| *hint).into_iter().map(counted).collect()
}

/// The commands to run next, without repeats, for a shell.
pub fn steps(comparison: &Comparison) -> Vec<&str> {
    distinct(comparison.points.iter().flat_map(PointVerdict::commands))
}

/// Points without a partner: all that gave no result in the new run by name, some of the others.
pub fn unmatched(comparison: &Comparison) -> Vec<String> {
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
