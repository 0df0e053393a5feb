//! The points that changed, as a table.

use text::Untrusted;

use super::super::facts::settings::Settings;
use super::super::facts::verdict::{changed_points, ratio};
use super::super::facts::{counted, time::minute};
use super::and_more;
use crate::compare::render::{commands, steps};
use crate::compare::{Comparison, PointVerdict, Verdict};
use crate::shape::point_axes;
use crate::table::{Side, Table, escaped};
use crate::units;

const COLUMNS: [(&str, Side); 6] = [
    ("verdict", Side::Left),
    ("point", Side::Left),
    ("before", Side::Right),
    ("now", Side::Right),
    ("ratio [95 %]", Side::Right),
    ("why, and what to do", Side::Left),
];
/// Maximum number of rows; further ones are counted.
const MAX_ROWS: usize = 30;

pub fn text(comparison: &Comparison) -> String {
    let points = changed_points(comparison);
    let table = match points.is_empty() {
        true => String::new(),
        false => format!("\n{}", rows(&points)),
    };
    let notes = comparison.notes.iter().map(|note| format!("\nNote: {}\n", escaped(note)));
    format!(
        "{}\n{table}{}{}{}",
        counts(comparison),
        commands(steps(comparison)),
        unmatched(comparison),
        notes.collect::<String>()
    )
}

/// `SLOWER 1 · SAME 67, against the run of …`.
fn counts(comparison: &Comparison) -> String {
    let count = |verdict| format!("{verdict} {}", comparison.count(verdict));
    let counts: Vec<String> = Verdict::ALL.map(count).into();
    let base = &comparison.base;
    let commit = base.git_commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {}", commit.escaped()));
    let run = escaped(&format!("{}{commit}", minute(&base.started)));
    format!("{}, against the run of {run}.", counts.join(" · "))
}

fn rows(points: &[&PointVerdict]) -> String {
    let settings = Settings::from_points(points.iter().map(|point| point_axes(&point.key.point)));
    let shown = points.iter().take(MAX_ROWS);
    let table = Table::new(&COLUMNS, shown.map(|point| cells(point, &settings)));
    table.markdown_rows() + &and_more(points.len().saturating_sub(MAX_ROWS), "points")
}

fn cells(point: &PointVerdict, settings: &Settings) -> [String; 6] {
    let hint = point.hint.iter().map(|hint| format!("; {hint}"));
    let hint: String = hint.collect();
    let point_name =
        format!("{}, {}", point.key.name(), settings.apart(&point_axes(&point.key.point)));
    [
        point.label(),
        point_name,
        units::seconds(point.base.median_s, 3),
        units::seconds(point.new.median_s, 3),
        ratio(point),
        format!("{}{hint}", point.reason),
    ]
}

fn unmatched(comparison: &Comparison) -> String {
    let wrong = comparison.wrong().count();
    let sides = [
        (wrong, "of the base wrong now, or failed"),
        (comparison.only_base.len() - wrong, "in the base only"),
        (comparison.only_new.len(), "in this run only"),
    ];
    let sides = sides.into_iter().filter(|(count, _)| *count > 0);
    let texts = sides.map(|(count, side)| format!("\n{} {side}.\n", counted(count, "point")));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::comparison;
    use super::*;

    #[test]
    fn unchanged_points_are_counted_and_not_listed() {
        use Verdict::{Inconclusive, Same, Slower};
        let mut comparison = comparison(&[Same, Inconclusive, Slower]);
        comparison.points[2].reason = "a | b\nc".into();
        let text = text(&comparison);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[2].starts_with("| SLOWER | v2, "), "{text}");
        assert!(rows[2].ends_with("a \\| b c |"), "{text}");
        assert!(rows[3].starts_with("| INCONCLUSIVE | v1, "), "{text}");
        assert!(text.contains("SAME 1, against the run of 2025-12-31 23:00 UTC"));
        assert!(text.contains("1 point in this run only."));
    }
}
