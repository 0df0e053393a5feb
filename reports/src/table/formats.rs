//! Tables as aligned columns for terminals, as GitHub-flavoured markdown and for a page.

use comfy_table::{CellAlignment, presets};
use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::{Fitted, Highlight, Side, Table};
use crate::screen::Paint;

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

/// The class of columns of numbers.
pub(crate) const NUMBER: Option<&str> = Some("number");

/// A row of [`cards`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Texts by which a search finds it.
    pub words: Option<String>,
    /// The class of its heading.
    pub class: Option<&'static str>,
    /// Its heading, then a cell for each further column.
    pub cells: Vec<Markup>,
}

/// A table under columns with names and classes. On a phone its rows are cards, with the name of
/// the column next to each cell.
pub(crate) fn cards(
    columns: &[(&str, Option<&str>)],
    rows: impl IntoIterator<Item = Row>,
) -> Markup {
    html! {
        table.cards {
            thead { tr { @for (name, class) in columns {
                th scope="col" class=[class] { (name) }
            } } }
            tbody { @for row in rows { tr data-words=[row.words] {
                @for (i, (cell, (name, class))) in row.cells.iter().zip(columns).enumerate() {
                    @if i == 0 {
                        th scope="row" class=[row.class] { (cell) }
                    } @else {
                        td class=[class] data-label=(name) { (cell) }
                    }
                }
            } } }
        }
    }
}

impl Table {
    /// The rows under the names of their columns.
    pub fn html(&self) -> Markup {
        let class = |side| if side == Side::Right { NUMBER } else { Some("text") };
        let columns = self.columns.iter().map(|(name, side)| (name.as_str(), class(*side)));
        let rows = self.rows.iter().map(|row| Row {
            // Stages are indented under their variant.
            class: row.first().filter(|cell| cell.starts_with(' ')).map(|_| "stage"),
            cells: row.iter().map(|cell| html! { (cell.trim_start()) }).collect(),
            ..Row::default()
        });
        cards(&columns.collect::<Vec<_>>(), rows)
    }
}

/// A text on one line, shortened to a maximum length, without characters that are special in
/// markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = text.replace(['\n', '\r'], " ");
    let text = text.escaped().at_most(SENTENCE).to_string();
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let is_within_a_word =
            before.is_alphanumeric() && letters.peek().is_some_and(|next| next.is_alphanumeric());
        match letter {
            // Emphasis does not begin within a word; unescaped names can be searched for.
            '_' if is_within_a_word => shown.push('_'),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => shown.extend(['\\', letter]),
            _ => shown.push(letter),
        }
        before = letter;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::screen::without_colors;

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

    #[test]
    fn indentation_and_numbers_have_classes() {
        let html = table().html().into_string();
        assert!(html.contains(r#"<th scope="row" class="stage">kernel</th>"#), "{html}");
        assert!(html.contains(r#"<td class="number" data-label="median">1.00 ms</td>"#), "{html}");
    }

    #[test]
    fn signs_lose_their_meaning() {
        assert_eq!(escaped("a|b\n*c* <d> [e](f)"), r"a\|b \*c\* &lt;d&gt; \[e\](f)");
        assert_eq!(escaped("95 % of `x_y`"), r"95 % of \`x_y\`");
        assert_eq!(escaped("_x_ a__b"), r"\_x\_ a\_\_b");
    }
}
