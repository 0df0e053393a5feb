//! A comparison as aligned columns.

use super::Listing;
use super::rows;
use crate::compare::{Comparison, gate};
use crate::paint::Paint;
use crate::shape;

/// The comparison for a terminal.
pub fn render(comparison: &Comparison, listing: Listing) -> String {
    let mut lines: Vec<String> = rows::names(comparison).into();
    let listed = rows::listed(comparison, listing);
    let common = rows::common(comparison);
    if !common.is_empty() {
        lines.push(format!("all   {}", shape::phrases(&common)));
    }
    let table = rows::table(&listed, &common).terminal(Paint::Plain);
    lines.extend(table.lines().map(str::to_owned));
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
