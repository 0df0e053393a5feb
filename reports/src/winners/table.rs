//! The winners of a run as tables.

use std::cmp::Ordering;

use super::{Evidence, Ranking, rankings, varying};
use crate::frame::{Cell, Document, Frame, Record};
use crate::grouped::grouped;
use crate::rank::{Rank, has_kernels};
use crate::record::{RunRecord, SummaryRow};
use crate::run_table::View;
use crate::shape::{self, AxisName, name};
use crate::table::{Format, Side, Table, TableError, for_people, known};
use crate::units;

/// The winner at each setting of each task of `run`, as a text that ends with a line break.
///
/// # Errors
/// If the rows cannot be serialised.
pub fn render(
    format: Format,
    run: &RunRecord,
    rows: &[SummaryRow],
    view: View,
) -> Result<String, TableError> {
    let tasks = grouped(rows, |row| &row.algorithm);
    let rankings: Vec<Vec<Ranking>> =
        tasks.iter().map(|(_, rows)| rankings(rows, view.rank)).collect();
    let empty = SummaryRow::default();
    let empty = Ranking { axes: Vec::new(), first: &empty, second: None };
    let frame = Frame::new(&record(&empty), rankings.iter().flatten().map(record));
    match format {
        Format::Json => Ok(Document::new(run, &frame).json()?),
        Format::Csv => Ok(frame.csv()?),
        Format::Table | Format::Markdown => {
            let with_winners =
                tasks.iter().zip(&rankings).filter(|(_, rankings)| !rankings.is_empty());
            let tables = with_winners.map(|((task, rows), rankings)| {
                let ranked_by = has_kernels(rows.iter().copied()).then_some(view.rank);
                table(task, ranked_by, rankings)
            });
            Ok(for_people(format, &tables.collect::<Vec<_>>(), view.screen))
        }
    }
}

/// A ranking for programs.
fn record<'a>(ranking: &'a Ranking) -> Record<'a> {
    let Ranking { first, second, .. } = ranking;
    Record::default()
        .with("algorithm", &first.algorithm)
        .with("point_id", first.point().id())
        .with("winner", &first.variant)
        .with("device", &first.device)
        .with("stage", &first.stage)
        .with("median_s", first.median_s)
        .with("ci95_low_s", first.ci95_low_s)
        .with("ci95_high_s", first.ci95_high_s)
        .with("next", second.map(|second| second.variant.as_str()))
        .with("next_device", second.map(|second| second.device.as_str()))
        .with("next_point_id", second.map(|second| second.point().id()).unwrap_or_default())
        .with("lead", ranking.lead())
        .with("evidence", Cell::named(ranking.evidence()))
        .spread("axis", ranking.axes.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn table(task: &str, ranked_by: Option<Rank>, rankings: &[Ranking]) -> Table {
    let axes = varying(rankings);
    let common = shape::common(rankings.iter().map(|ranking| ranking.axes.clone()));
    let rank = ranked_by.map(Rank::sentence).into_iter();
    let words = std::iter::once(shape::phrases(&common)).chain(rank);
    let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
    let named = axes.iter().map(|axis| (axis.as_str(), Side::Right));
    let others = [
        ("winner", Side::Left),
        ("median", Side::Right),
        ("lead", Side::Right),
        ("next", Side::Left),
        ("", Side::Left),
    ];
    let columns: Vec<_> = named.chain(others).collect();
    let rows = in_order(rankings, &axes).into_iter().map(|ranking| cells(ranking, &axes));
    Table::new(&columns, rows).under(format!("{task}: {}", words.join(shape::SEPARATOR)))
}

/// Sorted by their values on the axes.
fn in_order<'r, 'a>(rankings: &'r [Ranking<'a>], axes: &[AxisName]) -> Vec<&'r Ranking<'a>> {
    let mut rankings: Vec<&Ranking> = rankings.iter().collect();
    rankings.sort_by(|a, b| {
        let value = |ranking: &'r Ranking<'a>, axis| ranking.value(axis).unwrap_or_default();
        let orders = axes.iter().map(|axis| shape::order(value(a, axis), value(b, axis)));
        orders.fold(Ordering::Equal, Ordering::then)
    });
    rankings
}

fn cells(ranking: &Ranking, axes: &[AxisName]) -> Vec<String> {
    let mut cells: Vec<String> = axes
        .iter()
        .map(|axis| known(ranking.value(axis), |value| shape::value(axis, value)))
        .collect();
    let evidence = match ranking.evidence() {
        Evidence::Clear => "",
        Evidence::Overlap => "intervals overlap",
        Evidence::TooFew => "too few samples",
    };
    cells.extend([
        name(ranking.first),
        units::seconds(ranking.first.median_s.unwrap_or(f64::NAN), 3),
        known(ranking.lead(), units::times),
        known(ranking.second, name),
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
        render(format, &crate::charts::fixture::run(), &rows, View::default()).expect("a table")
    }

    #[test]
    fn tables_show_winners_and_leads() {
        let text = rendered(Format::Table);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(text.lines().next(), Some("sort: order time · 2 threads · cache hot"));
        let trimmed =
            |line: &[&str]| line.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(trimmed(&lines[2]), ["1 k", "a", "1.00 ms", "2.00 ×", "b"]);
        assert_eq!(trimmed(&lines[3]), ["2 k", "a", "1.00 ms", "3.00 ×", "b", "too few samples"]);
    }

    #[test]
    fn other_tools_get_a_column_an_axis() {
        let text = rendered(Format::Csv);
        let header = text.lines().next().expect("a header");
        assert!(header.starts_with("algorithm,point_id,winner,"), "{header}");
        assert!(header.contains(",evidence,axis_bind,axis_cache,axis_digis,"), "{header}");
        let last = text.lines().last().expect("a row");
        assert!(last.contains(",3,too-few,"), "{last}");
        assert_eq!(text.lines().count(), 3);
        let document: serde_json::Value =
            serde_json::from_str(&rendered(Format::Json)).expect("JSON");
        let first = &document["rows"][0];
        assert_eq!(first["axis_digis"], 1000);
        assert_eq!((&first["winner"], &first["evidence"]), (&"a".into(), &"clear".into()));
    }
}
