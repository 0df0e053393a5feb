//! Stages and quality of outputs side by side: a column for each variant and number of threads.
//!
//! This is the usual form of publications on reconstruction: the breakdown of the time of each
//! chain, and its scaling with threads.

use super::axes_but_threads;
use crate::grouped::{distinct, grouped};
use crate::quality::{Quality, is_known};
use crate::rank::TOTAL;
use crate::record::SummaryRow;
use crate::shape::{self, Axes};
use crate::table::{Side, Table, known};
use crate::units;

/// Variants with fewer stages are covered by the other tables.
const MIN_STAGES: usize = 3;
/// A variant on a device, with its number of threads.
type Column<'a> = ((&'a str, &'a str, usize), Vec<&'a SummaryRow>);

/// A table for each algorithm and setting whose variants have many stages.
pub fn tables(rows: &[SummaryRow]) -> Vec<Table> {
    let timed = rows.iter().filter(|row| row.valid_median().is_some());
    let settings = grouped(timed, |row| (row.algorithm.clone(), axes_but_threads(row)));
    let tables = settings.into_iter();
    tables.filter_map(|((algorithm, axes), rows)| table(&algorithm, &axes, &rows)).collect()
}

fn table(algorithm: &str, axes: &Axes, rows: &[&SummaryRow]) -> Option<Table> {
    let columns = columns(rows);
    let stages = stages(&columns);
    if stages.len() <= MIN_STAGES {
        return None;
    }
    let headings = columns.iter().map(|((variant, device, threads), _)| match *device {
        "cpu" => (format!("{variant} ({threads})"), Side::Right),
        device => (format!("{variant} ({device})"), Side::Right),
    });
    let stage = ("stage".to_owned(), Side::Left);
    let headings: Vec<_> = std::iter::once(stage).chain(headings).collect();
    let row = |stage: &&str| {
        let times = columns.iter().map(|(_, rows)| time(rows, stage));
        std::iter::once((*stage).to_owned()).chain(times).collect::<Vec<_>>()
    };
    let heading = format!("{algorithm}, stages (threads): {}", shape::phrases(axes));
    Some(Table::new(&headings, stages.iter().map(row)).under(heading))
}

/// The columns of variants with stages, by name because a run ends variants in any order. Fewer
/// threads come first.
fn columns<'a>(rows: &[&'a SummaryRow]) -> Vec<Column<'a>> {
    let mut columns = grouped(rows.iter().copied(), |row| {
        (row.variant.as_str(), row.device.as_str(), row.threads)
    });
    columns.retain(|(_, rows)| rows.len() > 1);
    columns.sort_by_key(|(column, _)| *column);
    columns
}

/// All stages in the order of the column with the most stages, the total last.
fn stages<'a>(columns: &[Column<'a>]) -> Vec<&'a str> {
    let mut by_length: Vec<_> = columns.iter().map(|(_, rows)| rows).collect();
    by_length.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let stages = by_length.into_iter().flatten().map(|row| row.stage.as_str());
    let mut stages = distinct(stages.filter(|stage| *stage != TOTAL));
    stages.push(TOTAL);
    stages
}

fn time(rows: &[&SummaryRow], stage: &str) -> String {
    let row = rows.iter().find(|row| row.stage == stage);
    known(row.and_then(|row| row.valid_median()), |median| units::seconds(median, 3))
}

/// A table for each algorithm and setting whose quality is known, with the metrics that any of its
/// rows has. Rows that differ only in their threads are merged if they agree, as threads don't
/// change results.
pub fn quality_tables(rows: &[SummaryRow]) -> Vec<Table> {
    let known = rows.iter().filter(|row| is_known(row));
    let settings = grouped(known, |row| (row.algorithm.clone(), axes_but_threads(row)));
    let table = |((algorithm, axes), rows): ((String, Axes), Vec<&SummaryRow>)| {
        let heading = format!("{algorithm}, quality: {}", shape::phrases(&axes));
        let figures = Quality::known(rows.iter().copied());
        let columns = figures.iter().map(|quality| (quality.name, Side::Right));
        let columns: Vec<_> = std::iter::once(("variant", Side::Left)).chain(columns).collect();
        Table::new(&columns, lines(&rows, &figures)).under(heading)
    };
    settings.into_iter().map(table).collect()
}

fn lines(rows: &[&SummaryRow], figures: &[Quality]) -> Vec<Vec<String>> {
    let line = |row: &&SummaryRow| -> Vec<String> {
        let words = |quality: &Quality| known(quality.value(row), |value| quality.words(value));
        let figures = figures.iter().map(words);
        std::iter::once(row.variant.clone()).chain(figures).collect()
    };
    let mut lines = distinct(rows.iter().map(line));
    lines.sort_by(|a, b| a[0].cmp(&b[0]));
    lines
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::row;
    use super::*;
    use crate::table::NOTHING;

    fn chain(variant: &str, threads: usize, stages: &[(&str, f64)]) -> Vec<SummaryRow> {
        let whole = (TOTAL, stages.iter().map(|(_, median)| median).sum());
        let stages = std::iter::once(&whole).chain(stages);
        let rows = stages.map(|&(stage, median)| SummaryRow {
            stage: stage.to_owned(),
            threads,
            ..row(variant, median)
        });
        rows.collect()
    }

    const STAGES: [(&str, f64); 3] = [("presort", 1e-3), ("cluster", 2e-3), ("hits", 4e-3)];

    #[test]
    fn stages_are_rows_and_chains_with_their_threads_columns() {
        let long = [&STAGES[..1], &[("zero", 5e-3)], &STAGES[1..]].concat();
        let rows =
            [chain("offline", 2, &STAGES), chain("online", 1, &long), chain("offline", 1, &STAGES)];
        let table = &tables(&rows.concat())[0];
        let names = table.names();
        let expected = ["stage", "offline (1)", "offline (2)", "online (1)"];
        assert_eq!(names, expected);
        let stages = ["presort", "zero", "cluster", "hits", "total"];
        assert_eq!(table.column("stage"), stages);
        let times = ["1.00 ms", "-", "2.00 ms", "4.00 ms", "7.00 ms"];
        assert_eq!(table.column("offline (1)"), times);
        assert_eq!(table.column("online (1)")[1], "5.00 ms");
    }

    #[test]
    fn a_stage_or_two_and_wrong_variants_have_no_such_table() {
        assert!(tables(&chain("a", 1, &STAGES[..2])).is_empty());
        let mut wrong = chain("a", 1, &STAGES);
        wrong.iter_mut().for_each(|row| row.valid = crate::record::YesNo::No);
        assert!(tables(&wrong).is_empty());
    }

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, 1e-3) };
        row.metrics.set("efficiency", efficiency);
        row
    }

    #[test]
    fn equal_quality_with_more_threads_is_one_row() {
        let rows =
            [good("b", 1, "0.97"), good("a", 1, "0.98"), good("a", 2, "0.98"), row("c", 1e-3)];
        let tables = quality_tables(&rows);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].cells(), [["a", "0.98000"], ["b", "0.97000"]]);
    }

    #[test]
    fn figures_that_a_row_has_are_columns_and_nothing_stands_where_others_lack_them() {
        let mut merging = good("b", 1, "0.97");
        merging.metrics.set("merged", "0.125");
        let tables = quality_tables(&[good("a", 1, "0.98"), merging]);
        assert_eq!(tables[0].cells(), [["a", "0.98000", NOTHING], ["b", "0.97000", "0.12500"]]);
    }

    #[test]
    fn without_data_there_is_no_table() {
        assert!(quality_tables(&[row("a", 1e-3)]).is_empty());
    }
}
