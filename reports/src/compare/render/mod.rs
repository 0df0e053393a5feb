//! A comparison for terminals, pages, programs and CI servers.

mod junit;
mod markdown;
mod rows;
mod selftest;

use text::{COMMAND, SENTENCE, Untrusted};

use super::{Comparison, gate};
use crate::frame::json_text;
use crate::paint::Paint;
use crate::screen::Screen;
use crate::shape;
use crate::table::{Format as TableFormat, for_people};

pub use crate::trend::Listing;
pub(crate) use markdown::commands;
pub use rows::words;
pub(crate) use rows::{hints, steps};
pub use selftest::{SelfTestFormat, selftest};

/// Output format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// For the page of a job or a merge request.
    Markdown,
    /// The whole [`Comparison`].
    Json,
    /// For CI servers: a point is a test case, and fails if it is slower.
    Junit,
}

/// Error of the output of a comparison.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// Failed to serialise to JSON.
    #[error("cannot write the comparison as JSON: {0}; try --format table")]
    Json(#[from] serde_json::Error),
    /// Failed to serialise to JUnit XML.
    #[error("cannot write the comparison as JUnit XML: {0}; try --format json")]
    Junit(String),
}

/// The comparison as a text that ends with a line break. Formats for people list changes, or all
/// points; a small number of points is listed completely.
///
/// # Errors
/// If it can't be serialised.
pub fn render(
    format: Format,
    comparison: &Comparison,
    listing: Listing,
) -> Result<String, RenderError> {
    render_on(Screen::default(), format, comparison, listing)
}

/// The comparison as [`render`] writes it, for a screen.
///
/// # Errors
/// If it can't be serialised.
pub fn render_on(
    screen: Screen,
    format: Format,
    comparison: &Comparison,
    listing: Listing,
) -> Result<String, RenderError> {
    match format {
        Format::Table => Ok(columns(screen, comparison, listing)),
        Format::Markdown => Ok(markdown::render(comparison, listing)),
        Format::Json => Ok(json_text(comparison)?),
        Format::Junit => Ok(text::page(junit::render(comparison)?)),
    }
}

fn columns(screen: Screen, comparison: &Comparison, listing: Listing) -> String {
    let mut lines: Vec<String> = rows::names(comparison).into();
    let common = rows::common(comparison);
    if !common.is_empty() {
        lines.push(format!("all   {}", shape::phrases(&common)));
    }
    let table = rows::table(&rows::listed(comparison, listing), &common);
    let table = for_people(TableFormat::Table, &[table], Screen { paint: Paint::Plain, ..screen });
    lines.extend(table.lines().map(str::to_owned));
    lines.push(rows::counts(comparison));
    lines.extend(rows::unmatched(comparison));
    lines.extend(comparison.unjudged_words());
    lines.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(rows::hints(comparison).iter().map(|hint| format!("hint: {hint}")));
    // Line breaks in foreign text are escaped.
    let mut text: String =
        lines.iter().map(|line| line.escaped().at_most(SENTENCE).to_string() + "\n").collect();
    // Commands must not be cut off.
    let next = rows::steps(comparison).into_iter();
    text.extend(next.map(|step| format!("next: {}\n", step.escaped().at_most(COMMAND))));
    text + &gate::sentence(comparison).escaped().at_most(SENTENCE).to_string() + "\n"
}
