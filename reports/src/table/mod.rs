//! Tables for people: one shape for all of them, written for a terminal, as markdown or for a
//! page. Programs get frames ([`crate::frame`]).

mod escape;
mod fit;
mod html;
mod markdown;
mod terminal;

pub(crate) use escape::escaped;
pub(crate) use html::{NUMBER, Row, cards};
pub use terminal::{aligned, aligned_columns};

use fit::{Fitted, left_out};
use text::{Foreign, SENTENCE};

use crate::frame::FrameError;
use crate::screen::Screen;

/// What stands where there is no number.
pub(crate) const NOTHING: &str = "-";

/// A figure in words, where there is one.
pub(crate) fn known<T>(figure: Option<T>, say: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| NOTHING.to_owned(), say)
}

/// For whom a table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// Rows with typed columns: of a run, those of `summary.csv`.
    Csv,
    /// The same as JSON.
    Json,
    /// Headings and tables as GitHub shows them.
    Markdown,
}

/// Why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The rows do not become CSV or JSON.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Something else does not become JSON.
    #[error("cannot write the rows as JSON: {0}; try --format csv")]
    Json(#[from] serde_json::Error),
}

/// On which side the texts of a column line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// What is special about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// The first one of a ranking.
    Winner,
    /// Something wrong.
    NotValid,
    /// Nothing.
    Plain,
}

/// A table with its heading and its footnotes. Whatever is in it may be of others: its texts are
/// escaped and shortened here, and get in no other way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// What stands over it; nothing if empty.
    heading: String,
    /// Names of the columns and the side that their texts line up on.
    columns: Vec<(String, Side)>,
    /// The cells, row by row. A first cell that begins with spaces is indented.
    rows: Vec<Vec<String>>,
    /// How each row may be coloured; plain where it is not said.
    looks: Vec<Look>,
    /// What stands under it.
    notes: Vec<String>,
    /// Columns that a narrow screen does without, those that matter least first.
    dispensable: &'static [&'static str],
}

impl Table {
    /// A table of `rows` without a heading.
    pub fn new<R: Into<Vec<String>>>(
        columns: &[(impl ToString, Side)],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        Table {
            columns: columns.iter().map(|(name, side)| (shown(name.to_string()), *side)).collect(),
            rows: rows.into_iter().map(|row| row.into().into_iter().map(shown).collect()).collect(),
            ..Table::default()
        }
    }

    /// The table with this over it.
    pub fn under(mut self, heading: impl Into<String>) -> Self {
        self.heading = shown(heading.into());
        self
    }

    /// The table with these under it.
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes.into_iter().map(shown).collect();
        self
    }

    /// The table that does without these columns where a screen is narrow, the first ones first.
    pub fn without_if_narrow(mut self, dispensable: &'static [&'static str]) -> Self {
        self.dispensable = dispensable;
        self
    }

    /// Lines of a heading, the names of columns, and rows.
    pub fn lines_of_rows(&self) -> usize {
        2 + self.rows.len()
    }

    /// The table with its first rows, and how many more there are.
    pub fn at_most(mut self, rows: usize) -> Self {
        let more = self.rows.len().saturating_sub(rows);
        if more > 0 {
            self.rows.truncate(rows);
            self.notes.insert(0, format!("… and {more} more: see summary.csv"));
        }
        self
    }

    /// The table with rows that may be coloured so.
    pub fn with_looks(mut self, looks: Vec<Look>) -> Self {
        self.looks = looks;
        self
    }
}

/// A text on one line, as long as a sentence at most: a cell may hold one.
fn shown(text: String) -> String {
    text.replace('\n', " ").shown().at_most(SENTENCE).to_string()
}

/// What people read: as a terminal shows it, or as markdown for any other format.
pub(crate) fn for_people(format: Format, tables: &[Table], screen: impl Into<Screen>) -> String {
    let screen = screen.into();
    if format != Format::Table {
        return tables.iter().map(Table::markdown).collect::<Vec<_>>().join("\n");
    }
    let fitted: Vec<Fitted> = tables.iter().map(|table| table.fitted(screen)).collect();
    let text = fitted.iter().map(|table| table.terminal(screen.paint));
    let text = text.collect::<Vec<_>>().join("\n");
    text + &left_out(&fitted, screen)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::paint::Paint;

    impl Table {
        /// As a terminal of any width shows it.
        pub fn terminal(&self, paint: Paint) -> String {
            for_people(Format::Table, std::slice::from_ref(self), paint)
        }

        /// The cells under a name.
        pub fn column(&self, name: &str) -> Vec<&str> {
            let place = self.columns.iter().position(|(column, _)| column == name);
            let place = place.expect("the column exists");
            self.rows.iter().map(|row| row[place].as_str()).collect()
        }

        /// The names of all columns.
        pub fn names(&self) -> Vec<&str> {
            self.columns.iter().map(|(name, _)| name.as_str()).collect()
        }

        /// The cells, row by row.
        pub fn cells(&self) -> &[Vec<String>] {
            &self.rows
        }

        /// How its rows may be coloured.
        pub fn looks(&self) -> &[Look] {
            &self.looks
        }

        /// What stands over it.
        pub fn heading(&self) -> &str {
            &self.heading
        }
    }

    /// A winner, a stage of it, and something wrong.
    pub fn table() -> Table {
        let cells = |row: [&str; 2]| row.map(str::to_owned);
        let rows = [cells(["a|b", "1.00 ms"]), cells(["  kernel", "-"]), cells(["c", "100 ms"])];
        let columns = [("variant", Side::Left), ("median", Side::Right)];
        Table::new(&columns, rows)
            .under("2 digis")
            .with_notes(vec!["c: row 3 <differs>".into()])
            .with_looks(vec![Look::Winner, Look::Plain, Look::NotValid])
    }

    #[test]
    fn no_text_of_others_makes_lines_or_fills_screens() {
        let hostile = "a\u{1b}[2J\r\n| x |\u{202e}".to_owned() + &"b".repeat(120_000);
        let table = Table::new(&[(&hostile, Side::Left)], [[hostile.clone()]])
            .under(&hostile)
            .with_notes(vec![hostile.clone()]);
        let html = table.html().into_string();
        for text in [table.terminal(Paint::Plain), table.markdown(), html] {
            assert!(!text.chars().any(|c| c != '\n' && text::is_hidden(c)), "{text:?}");
            assert!(text.contains("[2J\\r ") || text.contains("\\\\r "), "{text}");
            assert!(text.len() < 10_000 && text.contains("(120013 characters)"), "{text}");
        }
        assert_eq!(table.terminal(Paint::Plain).lines().count(), 4);
    }
}
