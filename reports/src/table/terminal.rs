//! Tables as aligned columns.

use comfy_table::{CellAlignment, presets};

use super::{Look, Side, Table};
use crate::paint::Paint;

impl Table {
    /// Heading, rows and footnotes, each line with its break.
    pub fn terminal(&self, paint: Paint) -> String {
        let heading = Some(paint.heading(&self.heading)).filter(|_| !self.heading.is_empty());
        let notes = self.notes.iter().map(|note| format!("  {note}"));
        let lines = heading.into_iter().chain(self.lines(paint)).chain(notes);
        lines.map(|line| line + "\n").collect()
    }

    /// The names of the columns, then the rows; nothing without rows.
    fn lines(&self, paint: Paint) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let aligned = self.aligned();
        let lines = aligned.lines().map(|line| line.trim_end().to_owned());
        let looks = std::iter::once(Look::Plain).chain(self.looks.iter().copied());
        let looks = looks.chain(std::iter::repeat(Look::Plain));
        let painted = lines.zip(looks).map(|(line, look)| match look {
            Look::Winner => paint.good(&line),
            Look::NotValid => paint.bad(&line),
            Look::Plain => line,
        });
        painted.collect()
    }

    fn aligned(&self) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(self.columns.iter().map(|(name, _)| name));
        table.add_rows(&self.rows);
        let columns = table.column_iter_mut().zip(&self.columns);
        for (i, (column, (_, side))) in columns.enumerate() {
            column.set_padding((if i == 0 { 0 } else { 2 }, 0));
            column.set_cell_alignment(match side {
                Side::Left => CellAlignment::Left,
                Side::Right => CellAlignment::Right,
            });
        }
        table
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
    fn only_colours_tell_a_painted_table_from_a_plain_one() {
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
