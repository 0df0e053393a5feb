//! A compact table for each setting, as many as a reviewer reads.

use super::super::facts::refusals::refusals;
use super::super::facts::settings::{Settings, name};
use super::super::facts::{TOTAL, counted, grouped, median};
use super::text::and_more;
use crate::markdown::{escaped, line};
use crate::record::SummaryRow;
use crate::shape;
use crate::table::share_of;
use crate::units;

/// More settings than this are folded.
const OPEN: usize = 2;
/// Further settings are counted.
const MOST_TABLES: usize = 8;
/// Further variants of a setting are counted.
const MOST_ROWS: usize = 12;

/// The tables, the fastest variant first, and what has no time.
pub fn text(rows: &[&SummaryRow], settings: &Settings) -> String {
    let totals = rows.iter().copied().filter(|row| row.stage == TOTAL);
    let valid = totals.filter(|row| median(row).is_some());
    let groups = grouped(valid, |row| shape::axes(row));
    let tables = groups.iter().take(MOST_TABLES);
    let tables: Vec<String> = tables
        .map(|(axes, rows)| table(&settings.apart(axes), rows))
        .collect();
    let all = tables.join("\n") + &and_more(groups.len().saturating_sub(MOST_TABLES), "settings");
    let all = match groups.len() > OPEN {
        true => format!("<details><summary>Times</summary>\n\n{all}\n</details>\n"),
        false => all,
    };
    all + &not_valid(rows)
}

fn table(heading: &str, rows: &[&SummaryRow]) -> String {
    let mut rows = rows.to_vec();
    let time = |row: &SummaryRow| median(row).unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let fastest = rows.first().map_or(1.0, |row| time(row));
    let header = [
        escaped(heading),
        "median".into(),
        "± 95 %".into(),
        "ratio".into(),
        "of copy".into(),
    ];
    let rule = [":--", "--:", "--:", "--:", "--:"];
    let mut text = line(header) + &line(rule.map(str::to_owned));
    for row in rows.iter().take(MOST_ROWS) {
        text += &line(cells(row, fastest));
    }
    text + &and_more(rows.len().saturating_sub(MOST_ROWS), "variants")
}

fn cells(row: &SummaryRow, fastest: f64) -> [String; 5] {
    let median = median(row).unwrap_or_default();
    let interval = row.ci95_low_s.zip(row.ci95_high_s);
    let half = interval.map(|(low, high)| (high - low) / 2.0 / median * 100.0);
    [
        escaped(&name(row)),
        units::seconds(median, 3),
        half.map_or_else(|| "-".to_owned(), |half| format!("{half:.1} %")),
        format!("{:.2} ×", median / fastest),
        row.peak_fraction
            .map_or_else(|| "-".to_owned(), share_of(row.ceiling())),
    ]
}

fn not_valid(rows: &[&SummaryRow]) -> String {
    let refusals = refusals(rows);
    let shown = refusals.iter().take(MOST_TABLES);
    let lines = shown.map(|refusal| {
        let points = counted(refusal.points, "point");
        let (variant, reason) = (escaped(&refusal.variant), escaped(&refusal.reason));
        format!("- {variant}, {points} without a valid time: {reason}\n")
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => {
            let hidden = refusals.len().saturating_sub(MOST_TABLES);
            format!("\n{lines}{}", and_more(hidden, "reasons"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::row;
    use super::*;
    use crate::record::YesNo;

    #[test]
    fn the_fastest_comes_first_and_the_wrong_is_named_with_its_reason() {
        let mut wrong = row("wrong|er", "n=1", 0.1);
        wrong.valid = YesNo::No;
        wrong.note = "digi 3 <differs>".into();
        let rows = [row("b", "n=1", 2.0), row("a", "n=1", 1.0), wrong];
        let rows: Vec<_> = rows.iter().collect();
        let text = text(&rows, &Settings::of_rows(rows.iter().copied()));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("| n 1 · 2 threads"), "{text}");
        assert_eq!(lines[2], "| a | 1.00 s | 3.5 % | 1.00 × | 50 % |");
        assert!(lines[3].starts_with("| b | 2.00 s"), "{text}");
        let refusal = "- wrong\\|er, 1 point without a valid time: digi 3 &lt;differs&gt;";
        assert_eq!(lines[5], refusal);
    }
}
