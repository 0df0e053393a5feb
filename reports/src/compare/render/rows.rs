//! What tables of a comparison have in common, whoever reads them.

use super::Listing;
use crate::compare::{Comparison, Key, NOT_MEASURED, PointVerdict, Unmatched, Verdict};
use crate::shape::{self, Axes};
use crate::table::{Side, Table};
use crate::units;

/// So few points are listed all, whatever their verdicts.
const FEW: usize = 24;

/// So many points without a partner are named.
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

/// The points to be listed, the most urgent first, the largest change first.
pub fn listed(comparison: &Comparison, listing: Listing) -> Vec<&PointVerdict> {
    let all = listing == Listing::All || comparison.points.len() <= FEW;
    let wanted = |point: &&PointVerdict| all || point.verdict != Verdict::Same;
    let mut points: Vec<_> = comparison.points.iter().filter(wanted).collect();
    points.sort_by(|a, b| a.by_urgency(b));
    points
}

/// What all points of a comparison have in common: it is said once.
pub fn common(comparison: &Comparison) -> Axes {
    let points = comparison.points.iter();
    let axes = points.map(|point| shape::point_axes(&point.key.point));
    match comparison.points.len() {
        1 => Axes::new(),
        _ => shape::common(axes),
    }
}

/// Points with what tells them apart.
pub fn table(points: &[&PointVerdict], common: &[(String, String)]) -> Table {
    Table::new(&COLUMNS, points.iter().map(|point| cells(point, common)))
}

/// The cells of a point, in the order of [`COLUMNS`], but for what all points
/// have in common.
pub fn cells(point: &PointVerdict, common: &[(String, String)]) -> [String; 7] {
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

/// The same without what all points have in common.
fn short_words(key: &Key, common: &[(String, String)]) -> String {
    let name = format!("{} {}", key.point.algorithm, key.name());
    let mut axes = shape::point_axes(&key.point);
    axes.retain(|axis| !common.contains(axis));
    let shape = shape::phrases(&axes);
    let separator = if shape.is_empty() { "" } else { shape::SEPARATOR };
    format!("{name}{separator}{shape}")
}

/// `68 points: 1 SLOWER, 2 INCONCLUSIVE, 0 FASTER, 65 SAME`.
pub fn counts(comparison: &Comparison) -> String {
    let plural = if comparison.points.len() == 1 { "" } else { "s" };
    let counts = Verdict::ALL.map(|verdict| format!("{} {verdict}", comparison.count(verdict)));
    format!("{} point{plural}: {}", comparison.points.len(), counts.join(", "))
}

/// Base and new run, a line each.
pub fn names(comparison: &Comparison) -> [String; 2] {
    [("base", &comparison.base), ("new ", &comparison.new)].map(|(side, run)| {
        let commit = run.git_commit.as_deref().map_or(String::new(), |commit| {
            format!(", commit {}", commit.get(..12).unwrap_or(commit))
        });
        format!("{side}  {} ({}{commit})", run.folder, run.started)
    })
}

/// What to do, each step once, with the number of points that it is for.
pub fn steps(comparison: &Comparison) -> Vec<String> {
    let mut steps: Vec<(&str, usize)> = Vec::new();
    for step in comparison.points.iter().filter_map(|point| point.next.as_deref()) {
        match steps.iter_mut().find(|(known, _)| *known == step) {
            Some((_, count)) => *count += 1,
            None => steps.push((step, 1)),
        }
    }
    let said = |(step, count): &(&str, usize)| match count {
        1 => (*step).to_owned(),
        count => format!("{step} ({count} points)"),
    };
    steps.iter().map(said).collect()
}

/// Points without a partner: by name those that gave no result in the new run, some of the
/// others.
pub fn unmatched(comparison: &Comparison) -> Vec<String> {
    let lost = |wanted: fn(&Unmatched) -> bool| {
        let points = comparison.only_base.iter();
        points.filter(|point| wanted(point)).collect::<Vec<_>>()
    };
    let wrong = lost(Unmatched::is_wrong);
    let refused = lost(|point| !point.is_wrong() && point.reason != NOT_MEASURED);
    let absent = lost(|point| point.reason == NOT_MEASURED);
    let only_new: Vec<_> = comparison.only_new.iter().collect();
    let sides = [
        (["is wrong", "are wrong"], "in the new run", wrong, usize::MAX),
        (["has no result", "have no result"], "in the new run", refused, usize::MAX),
        (["has samples", "have samples"], "only in the base", absent, NAMED),
        (["has samples", "have samples"], "only in the new run", only_new, NAMED),
    ];
    let sides = sides.into_iter().filter(|(_, _, points, _)| !points.is_empty());
    let lines = sides.map(|([one, many], run, points, most)| {
        let count = match points.len() {
            1 => format!("1 point {one} {run}:"),
            count => format!("{count} points {many} {run}:"),
        };
        named(count, &points, most)
    });
    lines.flatten().collect()
}

fn named(count: String, points: &[&Unmatched], most: usize) -> Vec<String> {
    let mut lines = vec![count];
    let line = |point: &&Unmatched| format!("  {}: {}", words(&point.key), point.reason);
    lines.extend(points.iter().take(most).map(line));
    if points.len() > most {
        lines.push(format!("  and {} more", points.len() - most));
    }
    lines
}
