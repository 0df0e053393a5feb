//! Stages side by side: a column for each variant and number of threads.
//!
//! This is the usual form of publications on reconstruction: the breakdown of the time of each
//! chain, and its scaling with threads.

use super::axes_but_threads;
use crate::grouped::{distinct, grouped};
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

#[cfg(test)]
mod tests {
    use super::super::block::tests::row;
    use super::*;

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
}
