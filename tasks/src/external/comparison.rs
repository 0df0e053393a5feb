//! Comparison of the content of two files.

use csv::StringRecord;
use text::Untrusted;

use super::table::Table;
use crate::algorithm::{Choose, Mutants, mutants};

/// Comparison of an output with the right one.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// Byte by byte.
    Bytes,
    /// Row by row, as tables in CSV.
    Table(TableRules),
}

/// Rules for the comparison of tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRules {
    /// Columns that say which rows belong together; without any, rows have an order.
    pub keys: Vec<String>,
    /// Columns that are compared; all of the right table if there are none.
    pub columns: Vec<String>,
    /// Columns whose numbers may differ.
    pub tolerances: Vec<Tolerance>,
}

/// Largest difference between the numbers of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// The column.
    pub column: String,
    /// In the unit of the column.
    pub absolute: f64,
    /// As a share of the right number.
    pub relative: f64,
}

/// The first difference between two files.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum FileDifference {
    #[error("{found} bytes instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("byte {offset} is {found} instead of {expected}")]
    Byte { offset: usize, found: u8, expected: u8 },
    #[error("its output is no table: {0}")]
    NoTable(String),
    #[error("its output has another column: {0}")]
    Column(String),
    #[error("the right output can't be compared: {0}")]
    Rules(String),
    #[error("{found} rows instead of {expected}{}", first_row(row.as_deref()))]
    Rows { found: usize, expected: usize, row: Option<String> },
    #[error(transparent)]
    Cell(Box<CellDifference>),
}

/// A value that is not the right one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "row {row}, {}: {} instead of {}{}", column.escaped(), found.quoted(), expected.quoted(),
    beyond(tolerance.as_ref())
)]
pub(crate) struct CellDifference {
    row: String,
    column: String,
    found: String,
    expected: String,
    tolerance: Option<Tolerance>,
}

fn first_row(row: Option<&str>) -> String {
    row.map_or_else(String::new, |row| format!("; the first that differs is {row}"))
}

fn beyond(tolerance: Option<&Tolerance>) -> String {
    tolerance.map_or_else(String::new, |Tolerance { absolute, relative, .. }| {
        format!(", which differs by more than {absolute} and a share of {relative}")
    })
}

impl Comparison {
    /// True if rows may be in any order.
    pub(crate) fn is_in_any_order(&self) -> bool {
        matches!(self, Comparison::Table(rules) if !rules.keys.is_empty())
    }

    /// Compares the content of a file with the right one.
    pub(crate) fn compare(&self, found: &[u8], right: &[u8]) -> Result<(), FileDifference> {
        match self {
            Comparison::Bytes => compare_bytes(found, right),
            // As fast as it can be, for the most frequent case; that the right one is a table was
            // tried before.
            Comparison::Table(_) if found == right => Ok(()),
            Comparison::Table(rules) => {
                let right = Table::read(right).map_err(FileDifference::Rules)?;
                let found = Table::read(found).map_err(FileDifference::NoTable)?;
                rules.compare(found, right)
            }
        }
    }

    /// Copies of a right file with one element changed: a byte, or a row.
    pub(crate) fn mutants(&self, right: &[u8], choose: Choose<'_>) -> Mutants<Vec<u8>> {
        match self {
            Comparison::Bytes => mutants::of_list(right, choose, |byte, _| !byte),
            Comparison::Table(rules) => rules.mutants(right, choose),
        }
    }
}

fn compare_bytes(found: &[u8], right: &[u8]) -> Result<(), FileDifference> {
    if found.len() != right.len() {
        return Err(FileDifference::Length { found: found.len(), expected: right.len() });
    }
    match found.iter().zip(right).position(|(found, right)| found != right) {
        Some(offset) => {
            Err(FileDifference::Byte { offset, found: found[offset], expected: right[offset] })
        }
        None => Ok(()),
    }
}

/// A column that is compared, by its indices in both tables.
struct Pair<'r> {
    name: &'r str,
    found: usize,
    right: usize,
    tolerance: Option<&'r Tolerance>,
}

impl TableRules {
    fn compare(&self, mut found: Table, mut right: Table) -> Result<(), FileDifference> {
        let columns = self.compared(&right).map_err(FileDifference::Rules)?;
        let names: Vec<String> =
            columns.iter().map(|&column| right.columns[column].clone()).collect();
        let mut pairs = Vec::with_capacity(columns.len());
        for (name, right) in names.iter().zip(columns) {
            let column = found.column(name).map_err(FileDifference::Column)?;
            pairs.push(Pair { name, found: column, right, tolerance: self.tolerance(name) });
        }
        if !self.keys.is_empty() {
            // Keys are first: rows of equal keys are ordered by the rest.
            found.sort_by(&pairs.iter().map(|pair| pair.found).collect::<Vec<_>>());
            right.sort_by(&pairs.iter().map(|pair| pair.right).collect::<Vec<_>>());
        }
        let first =
            found.rows.iter().zip(&right.rows).enumerate().find_map(|(index, (found, right))| {
                let pair = pairs.iter().find(|pair| !pair.is_same(found, right))?;
                Some((index, found, right, pair))
            });
        let expected = right.rows.len();
        let has = found.rows.len();
        match first {
            _ if has != expected => {
                // If one table is the start of the other, its next row is missing.
                let next = || right.rows.get(has).map(|row| (has, row));
                let row = first.map(|(index, _, row, _)| (index, row)).or_else(next);
                let row = row.map(|(index, row)| self.name_row(index, row, &pairs));
                Err(FileDifference::Rows { found: has, expected, row })
            }
            None => Ok(()),
            Some((index, found, right, pair)) => {
                Err(FileDifference::Cell(Box::new(CellDifference {
                    row: self.name_row(index, right, &pairs),
                    column: pair.name.to_owned(),
                    found: found[pair.found].to_owned(),
                    expected: right[pair.right].to_owned(),
                    tolerance: pair.tolerance.cloned(),
                })))
            }
        }
    }

    /// Indices of the columns of the right table that are compared, those of keys first.
    fn compared(&self, right: &Table) -> Result<Vec<usize>, String> {
        let all = if self.columns.is_empty() { &right.columns } else { &self.columns };
        for Tolerance { column, .. } in &self.tolerances {
            right.column(column)?;
        }
        let others = all.iter().filter(|column| !self.keys.contains(column));
        self.keys.iter().chain(others).map(|column| right.column(column)).collect()
    }

    fn tolerance(&self, column: &str) -> Option<&Tolerance> {
        self.tolerances.iter().find(|tolerance| tolerance.column == column)
    }

    /// A row of the right table by its keys, or else by its number.
    fn name_row(&self, index: usize, right: &StringRecord, pairs: &[Pair<'_>]) -> String {
        if self.keys.is_empty() {
            return (index + 1).to_string();
        }
        let keys = pairs.iter().take(self.keys.len());
        let keys = keys.map(|pair| format!("{}={}", pair.name, &right[pair.right]));
        keys.collect::<Vec<_>>().join(" ").escaped().to_string()
    }

    /// Copies of a right table with one row changed. Only lines are moved, so that the rest stays
    /// as it is.
    fn mutants(&self, right: &[u8], choose: Choose<'_>) -> Mutants<Vec<u8>> {
        let Ok(table) = Table::read(right) else { return Vec::new() };
        let Ok(columns) = self.compared(&table) else { return Vec::new() };
        let written = |rows: Vec<StringRecord>| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            let rows = rows.iter().map(|row| row.iter().collect::<Vec<_>>());
            let head = table.columns.iter().map(String::as_str).collect();
            // Memory takes all.
            std::iter::once(head).chain(rows).for_each(|row| drop(writer.write_record(row)));
            writer.into_inner().unwrap_or_default()
        };
        let change = |row: &StringRecord, choose: Choose<'_>| {
            let changed = columns[choose(columns.len())];
            let name = &table.columns[changed];
            let cell = |(column, cell): (usize, &str)| match column == changed {
                true => self.other(name, cell),
                false => cell.to_owned(),
            };
            row.iter().enumerate().map(cell).collect()
        };
        let mutants = mutants::of_list(&table.rows, choose, change).into_iter();
        mutants.map(|(mutation, rows)| (mutation, written(rows))).collect()
    }

    /// A value that is not the same as another one.
    fn other(&self, column: &str, cell: &str) -> String {
        let Ok(number) = cell.parse::<f64>() else { return format!("{cell}?") };
        let tolerance = self.tolerance(column).cloned().unwrap_or_default();
        let beyond = 2.0 * (tolerance.absolute + tolerance.relative * number.abs());
        (number + beyond.max(1.0)).to_string()
    }
}

impl Pair<'_> {
    fn is_same(&self, found: &StringRecord, right: &StringRecord) -> bool {
        let found = &found[self.found];
        let right = &right[self.right];
        if found == right {
            return true;
        }
        let Ok(found) = found.parse::<f64>() else { return false };
        let Ok(right) = right.parse::<f64>() else { return false };
        let allowed =
            |tolerance: &Tolerance| tolerance.absolute.max(tolerance.relative * right.abs());
        (found - right).abs() <= self.tolerance.map_or(0.0, allowed)
    }
}

/// Tries a comparison on a right file: it must be able to read it, and refuse an empty one and one
/// that lacks its end.
///
/// # Errors
/// The output that it accepts, or can't read.
pub(crate) fn try_on(comparison: &Comparison, right: &[u8]) -> Result<(), String> {
    if let Comparison::Table(rules) = comparison {
        let table = Table::read(right);
        let compared = table.and_then(|table| rules.compared(&table));
        compared.map_err(|problem| format!("the right output can't be compared: {problem}"))?;
    }
    for wrong in [&[], without_end(comparison, right)] {
        if wrong != right && comparison.compare(wrong, right).is_ok() {
            return Err(format!(
                "its comparison accepts the first {} of {} bytes of the right output; compare more \
                 columns",
                wrong.len(),
                right.len()
            ));
        }
    }
    Ok(())
}

/// A file without its last element: a byte, or a line.
fn without_end<'r>(comparison: &Comparison, right: &'r [u8]) -> &'r [u8] {
    let end = match comparison {
        Comparison::Bytes => right.len().saturating_sub(1),
        Comparison::Table(_) => {
            let line = right.strip_suffix(b"\n").unwrap_or(right);
            line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
        }
    };
    &right[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Mutation;

    const HITS: &[u8] = b"id,x,name\n1,1.5,a\n2,2.5,b\n3,100,c\n";

    fn rules(keys: &[&str], absolute: f64, relative: f64) -> Comparison {
        Comparison::Table(TableRules {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            columns: Vec::new(),
            tolerances: vec![Tolerance { column: "x".to_owned(), absolute, relative }],
        })
    }

    fn problem(comparison: &Comparison, found: &[u8]) -> String {
        let compared = comparison.compare(found, HITS);
        compared.map_or_else(|difference| difference.to_string(), |()| String::new())
    }

    #[test]
    fn bytes_differ_by_length_or_at_an_offset() {
        assert_eq!(Comparison::Bytes.compare(b"abc", b"abc"), Ok(()));
        let shorter = Comparison::Bytes.compare(b"ab", b"abc").expect_err("shorter");
        assert_eq!(shorter.to_string(), "2 bytes instead of 3");
        let other = Comparison::Bytes.compare(b"axc", b"abc").expect_err("another byte");
        assert_eq!(other.to_string(), "byte 1 is 120 instead of 98");
    }

    #[test]
    fn rows_have_an_order_unless_there_are_keys() {
        let swapped = b"id,x,name\n2,2.5,b\n1,1.5,a\n3,100,c\n";
        assert_eq!(problem(&rules(&[], 0.0, 0.0), swapped), "row 1, id: \"2\" instead of \"1\"");
        assert_eq!(problem(&rules(&["id"], 0.0, 0.0), swapped), "");
    }

    #[test]
    fn numbers_may_differ_within_their_tolerances() {
        let near = b"name,id,x,more\na,1,1.5004,0\nb,2,2.4996,0\nc,3,100.04,0\n";
        assert_eq!(problem(&rules(&["id"], 1e-3, 1e-3), near), "");
        assert_eq!(
            problem(&rules(&["id"], 1e-3, 0.0), near),
            "row id=3, x: \"100.04\" instead of \"100\", which differs by more than 0.001 and a \
             share of 0"
        );
        let same = b"id,x,name\n1,1.50,a\n2,2.5e0,b\n3,100.0,c\n";
        assert_eq!(problem(&rules(&[], 0.0, 0.0), same), "");
        let none = b"id,x,name\n1,nan,a\n2,2.5,b\n3,100,c\n";
        assert!(problem(&rules(&[], 1e9, 1e9), none).contains("\"nan\""));
    }

    #[test]
    fn missing_rows_and_columns_are_named() {
        let fewer = problem(&rules(&["id"], 0.0, 0.0), b"id,x,name\n1,1.5,a\n3,100,c\n");
        assert_eq!(fewer, "2 rows instead of 3; the first that differs is id=2");
        let renamed = problem(&rules(&["id"], 0.0, 0.0), b"id,y,name\n1,1.5,a\n");
        assert!(renamed.ends_with("it has no column \"x\"; it has id, y, name"), "{renamed}");
        assert!(problem(&rules(&["no"], 0.0, 0.0), b"x\n").starts_with("the right output can't"));
        assert!(problem(&rules(&[], 0.0, 0.0), b"").starts_with("its output is no table"));
    }

    #[test]
    fn every_mutant_is_refused() {
        for comparison in [Comparison::Bytes, rules(&[], 0.1, 0.1), rules(&["id"], 0.1, 0.1)] {
            let mut drawn = 0;
            let mut choose = |bound: usize| {
                drawn += 1;
                drawn % bound
            };
            let mut refused = 0;
            for (mutation, mutant) in comparison.mutants(HITS, &mut choose) {
                let is_allowed =
                    mutation == Mutation::Swapped && comparison.is_in_any_order() || mutant == HITS;
                assert!(is_allowed || comparison.compare(&mutant, HITS).is_err(), "{mutation:?}");
                refused += usize::from(!is_allowed);
            }
            assert!(refused >= 3, "{refused}");
        }
    }

    #[test]
    fn a_comparison_of_nothing_is_found_out() {
        assert_eq!(try_on(&rules(&["id"], 0.0, 0.0), HITS), Ok(()));
        assert_eq!(try_on(&Comparison::Bytes, b"abc"), Ok(()));
        let unusable = try_on(&rules(&["no"], 0.0, 0.0), HITS).expect_err("no such column");
        assert!(unusable.contains("it has no column"), "{unusable}");
        let nothing = rules(&[], f64::MAX, f64::MAX);
        assert_eq!(try_on(&nothing, b"x\n1\n"), Ok(()));
    }
}
