//! Tables for a page.

use maud::{Markup, html};

use super::{Side, Table};

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

#[cfg(test)]
mod tests {
    use super::super::tests::table;

    #[test]
    fn indentation_and_numbers_have_classes() {
        let html = table().html().into_string();
        assert!(html.contains(r#"<th scope="row" class="stage">kernel</th>"#), "{html}");
        assert!(html.contains(r#"<td class="number" data-label="median">1.00 ms</td>"#), "{html}");
    }
}
