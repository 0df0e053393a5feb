//! Tables as aligned columns.

use comfy_table::{CellAlignment, presets};

use super::{Fitted, Highlight, Side, Table};
use crate::paint::Paint;

impl Fitted<'_> {
    /// Heading, rows and footnotes, each line with its line break.
    pub fn terminal(&self, paint: Paint) -> String {
        self.table.printed(paint)
    }
}

impl Table {
    fn printed(&self, paint: Paint) -> String {
        let heading = self.heading.lines().map(|line| paint.heading(line));
        let notes = self.notes.iter().map(|note| format!("  {note}"));
        let lines = heading.chain(self.lines(paint)).chain(notes);
        lines.map(|line| line + "\n").collect()
    }

    /// The names of the columns, then the rows; empty without rows.
    fn lines(&self, paint: Paint) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let aligned = self.aligned();
        let lines = aligned.lines().map(|line| line.trim_end().to_owned());
        let highlights = std::iter::once(Highlight::Plain).chain(self.highlights.iter().copied());
        let highlights = highlights.chain(std::iter::repeat(Highlight::Plain));
        let painted = lines.zip(highlights).map(|(line, highlight)| match highlight {
            Highlight::Winner => paint.good(&line),
            Highlight::NotValid => paint.bad(&line),
            Highlight::Plain => line,
        });
        painted.collect()
    }

    fn aligned(&self) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.set_header(self.columns.iter().map(|(name, _)| name));
        table.add_rows(&self.rows);
        align(&mut table, 0, self.columns.iter().map(|(_, side)| *side));
        table
    }
}

/// Rows without a heading, indented by `indent` spaces: each column is as wide as its widest cell,
/// with two spaces between columns.
pub fn aligned<const N: usize>(indent: u16, sides: [Side; N], rows: Vec<[String; N]>) -> String {
    let sides = sides.to_vec();
    aligned_columns(indent, &sides, rows.into_iter().map(Vec::from).collect())
}

/// Rows as of [`aligned`], with a number of columns that depends on the data.
pub fn aligned_columns(indent: u16, sides: &[Side], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = comfy_table::Table::new();
    table.add_rows(rows);
    align(&mut table, indent, sides.iter().copied());
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn align(table: &mut comfy_table::Table, indent: u16, sides: impl Iterator<Item = Side>) {
    table.load_style(presets::NOTHING);
    for (i, (column, side)) in table.column_iter_mut().zip(sides).enumerate() {
        column.set_padding((if i == 0 { indent } else { 2 }, 0));
        column.set_cell_alignment(match side {
            Side::Left => CellAlignment::Left,
            Side::Right => CellAlignment::Right,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::paint::without_colors;

    #[test]
    fn numbers_line_up_on_the_right() {
        let expected = "2 digis\n\
            variant    median\n\
            a|b       1.00 ms\n  \
              kernel        -\n\
            c          100 ms\n  \
              c: row 3 <differs>\n";
        assert_eq!(table().terminal(Paint::Plain), expected);
    }

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let row = |name: &str, value: &str| [name.to_owned(), value.to_owned()];
        let rows = vec![row("a", "1"), row("a-name-that-is-long", "20 µs")];
        let expected = "  a                        1\n  a-name-that-is-long  20 µs\n";
        assert_eq!(aligned(2, [Side::Left, Side::Right], rows), expected);
        assert_eq!(aligned::<1>(2, [Side::Left], Vec::new()), "");
    }

    #[test]
    fn a_painted_table_differs_by_colours_only() {
        let painted = table().terminal(Paint::Colored);
        let lines: Vec<&str> = painted.lines().collect();
        assert!(lines[2].starts_with("\u{1b}[") && lines[4].starts_with("\u{1b}["));
        assert!(lines[3].starts_with("  kernel"), "{painted}");
        assert_eq!(without_colors(&painted), table().terminal(Paint::Plain));
    }

    #[test]
    fn no_rows_are_no_columns() {
        let table = Table { rows: Vec::new(), ..table() };
        assert_eq!(table.terminal(Paint::Plain), "2 digis\n  c: row 3 <differs>\n");
    }
}
