//! Quality of outputs, side by side.

use super::axes_but_threads;
use crate::grouped::{distinct, grouped};
use crate::quality::{Quality, is_known};
use crate::record::SummaryRow;
use crate::shape::{self, Axes};
use crate::table::{Side, Table, known};

/// A table for each algorithm and setting whose quality is known, with the metrics that any of its
/// rows has. Rows that differ only in their threads are merged if they agree, as threads don't
/// change results.
pub fn tables(rows: &[SummaryRow]) -> Vec<Table> {
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

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, 1e-3) };
        row.metrics.set("efficiency", efficiency);
        row
    }

    #[test]
    fn equal_quality_with_more_threads_is_one_row() {
        let rows =
            [good("b", 1, "0.97"), good("a", 1, "0.98"), good("a", 2, "0.98"), row("c", 1e-3)];
        let tables = tables(&rows);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].cells(), [["a", "0.98000"], ["b", "0.97000"]]);
    }

    #[test]
    fn figures_that_a_row_has_are_columns_and_nothing_stands_where_others_lack_them() {
        let mut merging = good("b", 1, "0.97");
        merging.metrics.set("merged", "0.125");
        let tables = tables(&[good("a", 1, "0.98"), merging]);
        assert_eq!(tables[0].cells(), [["a", "0.98000", NOTHING], ["b", "0.97000", "0.12500"]]);
    }

    #[test]
    fn without_data_there_is_no_table() {
        assert!(tables(&[row("a", 1e-3)]).is_empty());
    }
}
