//! Rows for other tools: nothing rounded, nothing left out.

use serde::Serialize;

use super::TableError;
use crate::record::SummaryRow;

/// The rows as `summary.csv` has them.
pub fn csv(rows: &[SummaryRow]) -> Result<String, TableError> {
    csv_rows(SummaryRow::COLUMNS, rows)
}

/// Rows of any kind under their `columns`.
pub fn csv_rows<R: Serialize>(columns: &str, rows: &[R]) -> Result<String, TableError> {
    let failed = |error: &dyn std::fmt::Display| TableError::Csv(error.to_string());
    let mut builder = csv::WriterBuilder::new();
    let mut writer = builder.has_headers(false).from_writer(Vec::new());
    // Written by hand, so that a table without rows has its columns too.
    let header = writer.write_record(columns.split(','));
    header.map_err(|error| failed(&error))?;
    for row in rows {
        writer.serialize(row).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// The rows as a JSON array.
pub fn json(rows: &[SummaryRow]) -> Result<String, TableError> {
    let text = serde_json::to_string_pretty(rows)?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::row;
    use super::*;

    #[test]
    fn the_columns_are_those_of_a_row() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row("a", 1e-3)).expect("a row serialises");
        let text = writer.into_inner().expect("written to memory");
        let header = String::from_utf8(text).expect("ASCII");
        assert_eq!(header.lines().next(), Some(SummaryRow::COLUMNS));
    }

    #[test]
    fn the_columns_are_those_of_the_contract() {
        let contract = "algorithm,variant,stage,backend,device,threads,places,bind,cache,params,items,item_unit,bytes_min,samples,stopped_by,median_s,mean_s,stddev_s,min_s,p95_s,p99_s,max_s,ci95_low_s,ci95_high_s,items_per_s,bytes_per_s,peak_fraction,memory_bytes,memory_ratio,stable,valid,fingerprint,metrics,note";
        let text = csv(&[]).expect("no rows serialise");
        assert_eq!(text.trim_end(), contract);
    }

    #[test]
    fn csv_and_json_read_back_as_the_same_rows() {
        let mut second = row("b", 2e-3);
        second.note = "a \"quoted\" note, with a comma".into();
        second.median_s = None;
        let rows = vec![row("a", 1e-3), second];
        let text = csv(&rows).expect("rows serialise");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let read: Vec<SummaryRow> = reader.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(read, rows);
        let text = json(&rows).expect("rows serialise");
        let read: Vec<SummaryRow> = serde_json::from_str(&text).expect("an array of rows");
        assert_eq!(read, rows);
    }
}
