//! Fitting of tables to a screen: wrapped rows can't be read.
//!
//! If a table is too wide, the least important columns are omitted, then those on the right, and
//! long texts are shortened. Headings and notes are sentences, which are wrapped.

use std::borrow::Cow;

use super::{Side, Table};
use crate::grouped::distinct;
use crate::screen::{Screen, Size};

/// Characters between columns.
const GAP: usize = 2;
/// Minimum length of shortened texts.
const MIN_TEXT: usize = 12;
/// Minimum number of columns, even on a narrow screen.
const MIN_COLUMNS: usize = 2;
/// Indentation of wrapped lines.
const INDENT: &str = "    ";

/// A table as fitted to a screen.
pub(super) struct Fitted<'t> {
    pub(super) table: Cow<'t, Table>,
    /// Names of omitted columns.
    left_out: Vec<String>,
}

impl Table {
    /// Fits the table to a screen.
    pub(super) fn fitted(&self, screen: Screen) -> Fitted<'_> {
        let Some(Size { columns, .. }) = screen.size else {
            return Fitted { table: Cow::Borrowed(self), left_out: Vec::new() };
        };
        let mut table = self.clone();
        let mut left_out = Vec::new();
        for name in self.dispensable {
            if table.width() <= columns {
                break;
            }
            left_out.extend(table.leave_out(name));
        }
        while table.shortest() > columns && table.columns.len() > MIN_COLUMNS {
            let last = table.columns[table.columns.len() - 1].0.clone();
            left_out.extend(table.leave_out(&last));
        }
        table.shorten(columns);
        table.heading = wrapped(&table.heading, columns, "· ");
        table.notes.iter_mut().for_each(|note| *note = wrapped(note, columns - GAP, " "));
        Fitted { table: Cow::Owned(table), left_out }
    }

    /// Width of its rows in characters.
    fn width(&self) -> usize {
        let columns = (0..self.columns.len()).map(|column| self.width_of(column));
        columns.sum::<usize>() + GAP * self.columns.len().saturating_sub(1)
    }

    /// Width of its rows with texts shortened to the minimum.
    fn shortest(&self) -> usize {
        let columns = self.columns.iter().enumerate().map(|(column, (_, side))| match side {
            Side::Left => self.width_of(column).min(MIN_TEXT),
            Side::Right => self.width_of(column),
        });
        columns.sum::<usize>() + GAP * self.columns.len().saturating_sub(1)
    }

    fn width_of(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let texts = cells.chain(std::iter::once(&self.columns[column].0));
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    }

    /// Removes a column; returns its name if it existed.
    fn leave_out(&mut self, name: &str) -> Option<String> {
        let column = self.columns.iter().position(|(column, _)| column == name)?;
        for row in &mut self.rows {
            row.remove(column);
        }
        Some(self.columns.remove(column).0)
    }

    /// Shortens the longest texts until the rows fit, if that is sufficient.
    fn shorten(&mut self, columns: usize) {
        while self.width() > columns {
            let texts = (0..self.columns.len()).filter(|&i| self.columns[i].1 == Side::Left);
            let Some(widest) = texts.max_by_key(|&column| self.width_of(column)) else { return };
            let wide = self.width_of(widest);
            let beyond = self.width() - columns;
            let max = wide.saturating_sub(beyond).max(MIN_TEXT);
            if max >= wide {
                return;
            }
            for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(widest)) {
                *cell = at_most_characters(cell, max);
            }
        }
    }
}

/// A sentence on omitted columns; empty without any.
pub(super) fn left_out(tables: &[Fitted], screen: Screen) -> String {
    let names = distinct(tables.iter().flat_map(|table| table.left_out.iter().cloned()));
    let Some(Size { columns, .. }) = screen.size.filter(|_| !names.is_empty()) else {
        return String::new();
    };
    let names = names.join(", ");
    let sentence = format!("not shown in {columns} columns: {names} (--format markdown has all)");
    format!("\n{}\n", wrapped(&sentence, columns, " "))
}

fn at_most_characters(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max - 1).chain(['…']).collect()
}

/// Wraps a text after the last mark that fits.
fn wrapped(text: &str, columns: usize, mark: &str) -> String {
    let mut lines = vec![String::new()];
    for piece in text.split_inclusive(mark) {
        let line = lines.last_mut().expect("never empty");
        let length = line.chars().count() + piece.trim_end().chars().count();
        if length > columns && !line.trim().is_empty() {
            lines.push(format!("{INDENT}{piece}"));
        } else {
            line.push_str(piece);
        }
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, for_people};
    use super::*;
    use crate::screen::Paint;

    fn screen(columns: usize) -> Screen {
        Screen { paint: Paint::Plain, size: Some(Size { columns, rows: 24 }) }
    }

    fn table() -> Table {
        let columns = [
            ("variant", Side::Left),
            ("median", Side::Right),
            ("items/s", Side::Right),
            ("why", Side::Left),
        ];
        let row = ["channel-bucket", "310 µs", "645 M/s", "a reason that takes some words"];
        Table::new(&columns, [row.map(str::to_owned)])
            .under("200 k digis · 24 segments · order random · 2 threads")
            .without_if_narrow(&["items/s"])
    }

    fn shown(columns: usize) -> String {
        for_people(Format::Table, &[table()], screen(columns))
    }

    #[test]
    fn rows_fit_and_what_is_missing_is_named() {
        for columns in [40, 50, 60, 66, 80, 200] {
            let text = shown(columns);
            let longest = text.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(columns), "{columns}: {text}");
            let names_missing = text.contains(&format!("not shown in {columns} columns: items/s"));
            assert_eq!(names_missing, !text.contains("645 M/s"), "{text}");
        }
        assert!(shown(60).contains("a reason that takes some words"), "{}", shown(60));
        assert!(shown(40).contains('…'), "{}", shown(40));
        assert!(!shown(66).contains("not shown"), "{}", shown(66));
    }

    #[test]
    fn a_table_that_names_no_such_columns_does_without_those_on_the_right() {
        let columns: Vec<_> = (0..20).map(|i| (format!("column {i}"), Side::Right)).collect();
        let table = Table::new(&columns, [vec!["1".to_owned(); 20]]);
        let text = for_people(Format::Table, &[table], screen(80));
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(80), "{text}");
        assert!(text.contains("column 0") && text.contains("columns: column 19, "), "{text}");
    }

    #[test]
    fn files_and_pipes_have_all_columns() {
        let text = for_people(Format::Table, &[table()], Paint::Plain);
        assert!(text.contains("645 M/s") && text.contains("some words"), "{text}");
        assert!(!text.contains("not shown"), "{text}");
    }

    #[test]
    fn headings_wrap_after_separators() {
        let heading = wrapped("200 k digis · 24 segments · order random", 30, "· ");
        assert_eq!(heading, "200 k digis · 24 segments ·\n    order random");
        assert_eq!(wrapped("short", 30, " "), "short");
    }
}
