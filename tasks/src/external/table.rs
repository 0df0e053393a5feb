//! Tables in CSV, as programs write them.

use std::cmp::Ordering;

use csv::{ReaderBuilder, StringRecord};
use text::Untrusted;

/// A table with named columns.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<StringRecord>,
}

impl Table {
    /// Reads a table with a head; lines that begin with `#` are comments.
    ///
    /// # Errors
    /// Why it is none, with the line.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut reader =
            ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(bytes);
        let head = reader.headers().map_err(|error| error.to_string())?;
        if head.is_empty() {
            return Err("it has no line with the names of columns".to_owned());
        }
        let columns = head.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<Result<_, _>>();
        Ok(Table { columns, rows: rows.map_err(|error| error.to_string())? })
    }

    /// Index of a column.
    ///
    /// # Errors
    /// If there is none of this name; the error lists those that there are.
    pub(super) fn column(&self, name: &str) -> Result<usize, String> {
        let found = self.columns.iter().position(|column| column == name);
        found.ok_or_else(|| {
            let columns = self.columns.join(", ");
            format!("it has no column {}; it has {}", name.quoted(), columns.escaped())
        })
    }

    /// Sorts rows by columns, the first one first; numbers by their value.
    pub(super) fn sort_by(&mut self, columns: &[usize]) {
        self.rows.sort_by(|a, b| {
            let orders = columns.iter().map(|&column| order(&a[column], &b[column]));
            orders.fold(Ordering::Equal, Ordering::then)
        });
    }
}

fn order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_numbers() {
        let mut table = Table::read(b"# made by hand\na, b\n10,x\n9,y\n9,b\n").expect("a table");
        assert_eq!(table.columns, ["a", "b"]);
        table.sort_by(&[0, 1]);
        let rows: Vec<Vec<&str>> = table.rows.iter().map(|row| row.iter().collect()).collect();
        assert_eq!(rows, [["9", "b"], ["9", "y"], ["10", "x"]]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_the_line() {
        let ragged = Table::read(b"a,b\n1,2\n3\n").expect_err("a row is short");
        assert!(ragged.contains("line: 3"), "{ragged}");
        assert!(Table::read(b"").expect_err("empty").starts_with("it has no line"));
        let table = Table::read(b"a,b\n").expect("no rows");
        assert_eq!(table.column("c"), Err("it has no column \"c\"; it has a, b".to_owned()));
    }
}
