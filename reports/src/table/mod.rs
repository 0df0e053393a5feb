//! Tables for people: a common type, written for a terminal, as markdown or for a page. Programs
//! get frames.

mod fit;
mod formats;

pub(crate) use formats::{NUMBER, Row, cards, escaped};
pub use formats::{aligned, aligned_columns};

use text::{SENTENCE, Untrusted};

use crate::frame::{Document, Frame, FrameError};
use crate::record::RunRecord;
use crate::screen::Screen;
use fit::{Fitted, left_out};

/// Placeholder of missing numbers.
pub(crate) const NOTHING: &str = "-";

/// Formats a value, or the placeholder if there is none.
pub(crate) fn known<T>(figure: Option<T>, say: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| NOTHING.to_owned(), say)
}

/// Output format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// Rows with typed columns as CSV: for a run, those of `summary.csv`.
    Csv,
    /// Rows with typed columns as JSON.
    Json,
    /// Headings and tables as GitHub-flavoured markdown.
    Markdown,
    /// JUnit XML for CI servers: a point is a test case, and fails if it is slower.
    Junit,
}

impl Format {
    /// Name in flags.
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Markdown => "markdown",
            Format::Junit => "junit",
        }
    }
}

/// Reason why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The rows can't be serialised to CSV or JSON.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Other data can't be serialised to JSON.
    #[error("cannot write the rows as JSON: {0}; try --format csv")]
    Json(#[from] serde_json::Error),
    /// The results have no such format.
    #[error("cannot write these results as {}; try --format json", .0.name())]
    Format(Format),
}

/// Results that are shown in each [`Format`].
pub trait Tabular {
    /// Tables for people.
    fn tables(&self, screen: Screen) -> Vec<Table>;

    /// Rows for programs.
    fn frame(&self) -> Frame;

    /// The run that they describe, whose record is a part of their JSON.
    fn run(&self) -> Option<&RunRecord> {
        None
    }

    /// The results for people.
    fn text(&self, format: Format, screen: Screen) -> String {
        for_people(format, &self.tables(screen), screen)
    }

    /// The results for programs that read JSON.
    ///
    /// # Errors
    /// If they can't be serialised.
    fn json(&self) -> Result<String, TableError> {
        Ok(match self.run() {
            Some(run) => Document::new(run, &self.frame()).json()?,
            None => self.frame().json()?,
        })
    }

    /// The results as a text that ends with a line break; formats for people give an empty text
    /// without rows.
    ///
    /// # Errors
    /// If they can't be serialised.
    fn render(&self, format: Format, screen: Screen) -> Result<String, TableError> {
        match format {
            Format::Table | Format::Markdown => Ok(self.text(format, screen)),
            Format::Csv => Ok(self.frame().csv()?),
            Format::Json => self.json(),
            Format::Junit => Err(TableError::Format(format)),
        }
    }
}

/// Rows of one kind with the record of their run.
#[derive(Clone, Copy, Debug)]
pub struct RunRows<'a, Row> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The rows.
    pub rows: &'a [Row],
}

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Highlighting of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highlight {
    /// The first one of a ranking.
    Winner,
    /// An error.
    NotValid,
    /// None.
    Plain,
}

/// A table with its heading and its footnotes. Its texts may come from other programs: they are
/// escaped and shortened here, and can't be added otherwise.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Heading; none if empty.
    heading: String,
    /// Names and alignments of the columns.
    columns: Vec<(String, Side)>,
    /// The cells, row by row. A first cell that begins with spaces is indented.
    rows: Vec<Vec<String>>,
    /// Highlighting of each row; plain by default.
    highlights: Vec<Highlight>,
    /// Footnotes.
    notes: Vec<String>,
    /// Columns that are omitted on narrow screens, the least important first.
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

    /// Adds a heading.
    pub fn under(mut self, heading: impl Into<String>) -> Self {
        self.heading = shown(heading.into());
        self
    }

    /// Adds footnotes.
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes.into_iter().map(shown).collect();
        self
    }

    /// Sets the columns that are omitted on narrow screens, the first ones first.
    pub fn without_if_narrow(mut self, dispensable: &'static [&'static str]) -> Self {
        self.dispensable = dispensable;
        self
    }

    /// The footnotes.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The heading; empty without one.
    pub(crate) fn heading(&self) -> &str {
        &self.heading
    }

    /// Number of lines of the heading, the names of columns, and the rows.
    pub fn lines_of_rows(&self) -> usize {
        2 + self.rows.len()
    }

    /// Truncates the table to its first rows, with a note on the number of others.
    pub fn at_most(mut self, rows: usize) -> Self {
        let more = self.rows.len().saturating_sub(rows);
        if more > 0 {
            self.rows.truncate(rows);
            self.notes.insert(0, format!("… and {more} more: see summary.csv"));
        }
        self
    }

    /// Sets the highlighting of rows.
    pub fn with_highlights(mut self, highlights: Vec<Highlight>) -> Self {
        self.highlights = highlights;
        self
    }
}

/// A text on one line, shortened to a maximum length.
fn shown(text: String) -> String {
    text.replace('\n', " ").escaped().at_most(SENTENCE).to_string()
}

/// Output for people: for a terminal, or as markdown for any other format.
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
    use crate::screen::Paint;

    impl Table {
        /// Output for a terminal of any width.
        pub fn terminal(&self, paint: Paint) -> String {
            for_people(Format::Table, std::slice::from_ref(self), paint)
        }

        /// The cells under a name.
        pub fn column(&self, name: &str) -> Vec<&str> {
            let index = self.columns.iter().position(|(column, _)| column == name);
            let index = index.expect("the column exists");
            self.rows.iter().map(|row| row[index].as_str()).collect()
        }

        /// The names of all columns.
        pub fn names(&self) -> Vec<&str> {
            self.columns.iter().map(|(name, _)| name.as_str()).collect()
        }

        /// The cells, row by row.
        pub fn cells(&self) -> &[Vec<String>] {
            &self.rows
        }

        /// The highlighting of its rows.
        pub fn highlights(&self) -> &[Highlight] {
            &self.highlights
        }
    }

    /// A winner, one of its stages, and an error.
    pub fn table() -> Table {
        let cells = |row: [&str; 2]| row.map(str::to_owned);
        let rows = [cells(["a|b", "1.00 ms"]), cells(["  kernel", "-"]), cells(["c", "100 ms"])];
        let columns = [("variant", Side::Left), ("median", Side::Right)];
        Table::new(&columns, rows)
            .under("2 digis")
            .with_notes(vec!["c: row 3 <differs>".into()])
            .with_highlights(vec![Highlight::Winner, Highlight::Plain, Highlight::NotValid])
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
