//! Tables as GitHub-flavoured markdown.

use super::escape::escaped;
use super::{Side, Table};

impl Table {
    /// Heading, rows and footnotes.
    pub fn markdown(&self) -> String {
        let heading = match self.heading.as_str() {
            "" => String::new(),
            heading => format!("### {}\n\n", escaped(heading)),
        };
        let notes: String =
            self.notes.iter().map(|note| format!("- {}\n", escaped(note))).collect();
        let rows = self.markdown_rows();
        let apart = if rows.is_empty() || notes.is_empty() { "" } else { "\n" };
        heading + &rows + apart + &notes
    }

    /// The names of the columns, then the rows; empty without rows.
    pub fn markdown_rows(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let rules = self.columns.iter().map(|(_, side)| match side {
            Side::Left => ":--".to_owned(),
            Side::Right => "--:".to_owned(),
        });
        let rows = self.rows.iter().map(|row| line(row.iter().map(|text| cell(text))));
        line(self.columns.iter().map(|(name, _)| escaped(name)))
            + &line(rules)
            + &rows.collect::<String>()
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A cell's text; its indentation is preserved.
fn cell(text: &str) -> String {
    let indent = text.len() - text.trim_start().len();
    "&nbsp;".repeat(indent) + &escaped(text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;

    #[test]
    fn a_table_stands_between_its_heading_and_a_list() {
        let expected = "### 2 digis\n\n\
            | variant | median |\n\
            | :-- | --: |\n\
            | a\\|b | 1.00 ms |\n\
            | &nbsp;&nbsp;kernel | - |\n\
            | c | 100 ms |\n\n\
            - c: row 3 &lt;differs&gt;\n";
        assert_eq!(table().markdown(), expected);
    }
}
