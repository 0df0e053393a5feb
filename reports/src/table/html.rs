//! Tables for a page.

use maud::{Markup, html};

use super::{Side, Table};

impl Table {
    /// The rows under the names of their columns.
    pub fn html(&self) -> Markup {
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        html! {
            table.cards {
                thead { tr { @for (name, side) in &self.columns {
                    th scope="col" class=(class(*side)) { (name) }
                } } }
                tbody { @for row in &self.rows { tr {
                    @for (i, (cell, (_, side))) in row.iter().zip(&self.columns).enumerate() {
                        @if i == 0 {
                            th scope="row" class=[indent(cell)] { (cell.trim_start()) }
                        } @else {
                            td class=(class(*side)) data-label=(columns[i]) { (cell) }
                        }
                    }
                } } }
            }
        }
    }
}

/// Stages are indented under their variant.
fn indent(cell: &str) -> Option<&'static str> {
    cell.starts_with(' ').then_some("stage")
}

fn class(side: Side) -> &'static str {
    match side {
        Side::Left => "text",
        Side::Right => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;

    #[test]
    fn what_is_indented_and_what_is_a_number_is_told_by_classes() {
        let html = table().html().into_string();
        assert!(html.contains(r#"<th scope="row" class="stage">kernel</th>"#), "{html}");
        assert!(html.contains(r#"<td class="number" data-label="median">1.00 ms</td>"#), "{html}");
    }
}
