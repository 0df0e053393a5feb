//! A table as text.

use super::ExportError;
use super::columns::{COLUMNS, Values, rows};
use crate::history::StoredSummary;
use crate::record::SummaryRow;

/// All rows of all runs under one header.
pub fn table(runs: &[StoredSummary]) -> Result<Vec<u8>, ExportError> {
    let failed = |error: &dyn std::fmt::Display| ExportError::Csv(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = COLUMNS.iter().map(|column| column.name);
    writer.write_record(header).map_err(|error| failed(&error))?;
    for (run, row) in rows(runs) {
        let cells = COLUMNS.iter().map(|column| cell(column.values, run, row));
        writer.write_record(cells).map_err(|error| failed(&error))?;
    }
    writer.into_inner().map_err(|error| failed(&error))
}

/// What is not known is empty.
fn cell(values: Values, run: &StoredSummary, row: &SummaryRow) -> String {
    match values {
        Values::Text(of) => of(run, row),
        Values::Whole(of) => of(row).map_or_else(String::new, |value| value.to_string()),
        Values::Number(of) => of(row).map_or_else(String::new, |value| value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::runs;
    use super::*;

    #[test]
    fn the_rows_read_back_as_they_were() {
        let table = table(&runs()).expect("a table");
        let mut reader = csv::Reader::from_reader(&table[..]);
        let read: Result<Vec<SummaryRow>, _> = reader.deserialize().collect();
        let read = read.expect("well formed");
        let expected: Vec<SummaryRow> = runs().into_iter().flat_map(|run| run.rows).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn each_row_knows_its_run() {
        let table = table(&runs()).expect("a table");
        let mut reader = csv::Reader::from_reader(&table[..]);
        let run = |row: Result<csv::StringRecord, csv::Error>| row.expect("a row")[0].to_owned();
        let runs: Vec<String> = reader.records().map(run).collect();
        assert_eq!(runs, ["old", "old", "new", "new"]);
    }
}
