//! The races of a run as tables.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Evidence, Race, races, varying};
use crate::grouped::grouped;
use crate::rank::{Rank, has_kernels};
use crate::record::SummaryRow;
use crate::shape::{self, name};
use crate::table::{Block, Format, Side, TableError, View, render_blocks};
use crate::units;

/// What is not known, or does not apply.
const NOTHING: &str = "-";

/// A race for other tools.
#[derive(Serialize)]
struct Row<'a> {
    algorithm: &'a str,
    axes: BTreeMap<&'a str, &'a str>,
    winner: &'a str,
    device: &'a str,
    stage: &'a str,
    median_s: Option<f64>,
    ci95_low_s: Option<f64>,
    ci95_high_s: Option<f64>,
    next: Option<&'a str>,
    next_device: Option<&'a str>,
    lead: Option<f64>,
    evidence: Evidence,
}

/// Who wins each setting of each task, as a text that ends with a line break.
///
/// # Errors
/// If the rows cannot be serialised.
pub fn render(format: Format, rows: &[SummaryRow], view: View) -> Result<String, TableError> {
    let tasks = grouped(rows, |row| row.algorithm.clone()).into_iter();
    let of_task: Vec<(String, bool, Vec<Race>)> = tasks
        .map(|(task, rows)| {
            let kernels = has_kernels(rows.iter().copied());
            (task, kernels, races(&rows, view.rank))
        })
        .collect();
    let all = || of_task.iter().flat_map(|(_, _, races)| races);
    match format {
        Format::Json => {
            Ok(serde_json::to_string_pretty(&all().map(row).collect::<Vec<_>>())? + "\n")
        }
        Format::Csv => csv(&all().map(row).collect::<Vec<_>>()),
        Format::Table | Format::Markdown => {
            let block = |(task, kernels, races): &(String, bool, Vec<Race>)| {
                block(task, kernels.then_some(view.rank), races)
            };
            let blocks = of_task.iter().filter(|(_, _, races)| !races.is_empty()).map(block);
            Ok(render_blocks(format, blocks.collect(), view))
        }
    }
}

fn row<'a>(race: &'a Race) -> Row<'a> {
    let Race { first, second, .. } = race;
    Row {
        algorithm: &first.algorithm,
        axes: race.axes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        winner: &first.variant,
        device: &first.device,
        stage: &first.stage,
        median_s: first.median_s,
        ci95_low_s: first.ci95_low_s,
        ci95_high_s: first.ci95_high_s,
        next: second.map(|second| second.variant.as_str()),
        next_device: second.map(|second| second.device.as_str()),
        lead: race.lead(),
        evidence: race.evidence(),
    }
}

/// A column an axis, between the task and the winner.
fn csv(rows: &[Row]) -> Result<String, TableError> {
    let failed = |error: csv::Error| TableError::Csv(error.to_string());
    let mut axes: Vec<&str> = rows.iter().flat_map(|row| row.axes.keys().copied()).collect();
    axes.sort_unstable();
    axes.dedup();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = axes.iter().map(|axis| format!("axis_{axis}"));
    let rest = [
        "winner",
        "device",
        "stage",
        "median_s",
        "ci95_low_s",
        "ci95_high_s",
        "next",
        "next_device",
        "lead",
        "evidence",
    ];
    let header = std::iter::once("algorithm".to_owned()).chain(columns);
    writer.write_record(header.chain(rest.map(str::to_owned))).map_err(failed)?;
    for row in rows {
        let values = axes.iter().map(|axis| row.axes.get(axis).copied().unwrap_or_default());
        let values: Vec<&str> = values.collect();
        let rest = (
            (row.winner, row.device, row.stage),
            (row.median_s, row.ci95_low_s, row.ci95_high_s),
            (row.next, row.next_device, row.lead, row.evidence),
        );
        writer.serialize((row.algorithm, values, rest)).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| TableError::Csv(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| TableError::Csv(error.to_string()))
}

fn block(task: &str, ranked_by: Option<Rank>, races: &[Race]) -> Block {
    let axes = varying(races);
    let common = shape::common(races.iter().map(|race| race.axes.clone()));
    let rank = ranked_by.map(Rank::sentence).into_iter();
    let words = std::iter::once(shape::phrases(&common)).chain(rank);
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    let named = axes.iter().map(|axis| (axis.clone(), Side::Right));
    let others = [
        ("winner", Side::Left),
        ("median", Side::Right),
        ("lead", Side::Right),
        ("next", Side::Left),
        ("", Side::Left),
    ];
    Block {
        heading: format!("{task}: {}", words.join(shape::SEPARATOR)),
        columns: named.chain(others.map(|(name, side)| (name.to_owned(), side))).collect(),
        rows: in_order(races, &axes).into_iter().map(|race| cells(race, &axes)).collect(),
        ..Block::default()
    }
}

/// By their values on the axes.
fn in_order<'r, 'a>(races: &'r [Race<'a>], axes: &[String]) -> Vec<&'r Race<'a>> {
    let mut races: Vec<&Race> = races.iter().collect();
    races.sort_by(|a, b| {
        let value = |race: &'r Race<'a>, axis| race.value(axis).unwrap_or_default();
        let orders = axes.iter().map(|axis| shape::order(value(a, axis), value(b, axis)));
        orders.fold(Ordering::Equal, Ordering::then)
    });
    races
}

fn cells(race: &Race, axes: &[String]) -> Vec<String> {
    let mut cells: Vec<String> = axes
        .iter()
        .map(|axis| race.value(axis).map_or(NOTHING.to_owned(), |value| shape::value(axis, value)))
        .collect();
    let evidence = match race.evidence() {
        Evidence::Clear => "",
        Evidence::Overlap => "can't be told apart",
        Evidence::TooFew => "too few samples to say",
    };
    cells.extend([
        name(race.first),
        units::seconds(race.first.median_s.unwrap_or(f64::NAN), 3),
        race.lead().map_or(NOTHING.to_owned(), units::times),
        race.second.map_or(NOTHING.to_owned(), name),
        evidence.to_owned(),
    ]);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;

    fn rendered(format: Format) -> String {
        let few = SummaryRow { samples: 3, ..row("a", "digis=2000;order=time", 1e-3) };
        let rows = [
            row("a", "digis=1000;order=time", 1e-3),
            row("b", "digis=1000;order=time", 2e-3),
            few,
            row("b", "digis=2000;order=time", 3e-3),
        ];
        render(format, &rows, View::default()).expect("a table")
    }

    #[test]
    fn people_read_who_wins_and_by_how_much() {
        let text = rendered(Format::Table);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(text.lines().next(), Some("sort: order time · 2 threads · cache hot"));
        let trimmed =
            |line: &[&str]| line.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(trimmed(&lines[2]), ["1 k", "a", "1.00 ms", "2.00 ×", "b"]);
        assert_eq!(
            trimmed(&lines[3]),
            ["2 k", "a", "1.00 ms", "3.00 ×", "b", "too few samples to say"]
        );
    }

    #[test]
    fn other_tools_get_a_column_an_axis() {
        let text = rendered(Format::Csv);
        let header = text.lines().next().expect("a header");
        assert!(header.starts_with("algorithm,axis_") && header.contains("axis_digis"), "{header}");
        let last = text.lines().last().expect("a row");
        assert!(last.ends_with(",b,cpu,3.0,too-few"), "{last}");
        assert_eq!(text.lines().count(), 3);
        let rows: serde_json::Value = serde_json::from_str(&rendered(Format::Json)).expect("JSON");
        assert_eq!(rows[0]["axes"]["digis"], "1000");
        assert_eq!((&rows[0]["winner"], &rows[0]["evidence"]), (&"a".into(), &"clear".into()));
    }
}
