//! A comparison as aligned columns.

use comfy_table::{Table, presets::NOTHING};

use super::Listing;
use super::rows;
use crate::compare::{Comparison, gate};
use crate::shape;

/// The comparison for a terminal.
pub fn render(comparison: &Comparison, listing: Listing) -> String {
    let mut lines: Vec<String> = rows::names(comparison).into();
    let listed = rows::listed(comparison, listing);
    let common = rows::common(comparison);
    if !common.is_empty() {
        lines.push(format!("all   {}", shape::phrases(&common)));
    }
    if !listed.is_empty() {
        let cells = listed.iter().map(|point| rows::cells(point, &common));
        lines.extend(table(cells).lines().map(|line| line.trim_end().to_owned()));
    }
    lines.push(rows::counts(comparison));
    let titled = |title: &str, items: Vec<String>| {
        items.into_iter().map(|item| format!("{title}{item}")).collect::<Vec<_>>()
    };
    lines.extend(titled("", rows::unmatched(comparison)));
    lines.extend(titled("note: ", comparison.notes.clone()));
    lines.extend(titled("next: ", rows::steps(comparison)));
    lines.push(gate::sentence(comparison));
    lines.join("\n") + "\n"
}

fn table(cells: impl Iterator<Item = [String; 7]>) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(rows::COLUMNS);
    table.add_rows(cells);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
    }
    table
}
