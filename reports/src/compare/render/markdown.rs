//! A comparison for the page of a job or a merge request.

use super::Listing;
use super::rows;
use crate::compare::{Comparison, Verdict, gate};
use crate::markdown::{escaped, line};
use crate::shape::{self, Axes};

/// Longer tables are cut: pages have limits, and readers too.
const MAX_ROWS: usize = 60;

/// The comparison as GitHub-flavoured markdown.
pub fn render(comparison: &Comparison, listing: Listing) -> String {
    let mut text = format!("### {}\n\n", headline(comparison));
    for name in rows::names(comparison) {
        text.push_str(&format!("- {}\n", escaped(&name)));
    }
    let common = rows::common(comparison);
    if !common.is_empty() {
        let phrases = shape::phrases(&common);
        text.push_str(&format!("- all points: {}\n", escaped(&phrases)));
    }
    text.push_str(&format!("\n{}\n", rows::counts(comparison)));
    text.push_str(&table(comparison, listing, &common));
    text.push_str(&list("Next", rows::steps(comparison)));
    text.push_str(&list("Notes", comparison.notes.clone()));
    text.push_str(&list("Without a partner", rows::unmatched(comparison)));
    text.push_str(&format!(
        "\n<sub>{}</sub>\n",
        escaped(&gate::sentence(comparison))
    ));
    text
}

fn headline(comparison: &Comparison) -> String {
    match comparison.count(Verdict::Slower) {
        0 if !comparison.only_base.is_empty() => {
            let lost = comparison.only_base.len();
            format!("No regression found, but {lost} points of the base are missing or not valid")
        }
        0 => "No regression found".to_owned(),
        1 => "1 point is slower".to_owned(),
        slower => format!("{slower} points are slower"),
    }
}

fn table(comparison: &Comparison, listing: Listing, common: &Axes) -> String {
    let listed = rows::listed(comparison, listing);
    if listed.is_empty() {
        return String::new();
    }
    let rule = ["---", "---", "--:", "--:", "--:", "---", "---"];
    let mut text = format!("\n{}", line(rows::COLUMNS.map(str::to_owned)));
    text.push_str(&line(rule.map(str::to_owned)));
    for point in listed.iter().take(MAX_ROWS) {
        let cells = rows::cells(point, common);
        text.push_str(&line(cells.map(|cell| escaped(&cell))));
    }
    if listed.len() > MAX_ROWS {
        text.push_str(&format!("\nand {} more\n", listed.len() - MAX_ROWS));
    }
    text
}

fn list(title: &str, items: Vec<String>) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: Vec<_> = items
        .iter()
        .map(|item| format!("- {}", escaped(item.trim())))
        .collect();
    format!("\n**{title}**\n\n{}\n", items.join("\n"))
}
