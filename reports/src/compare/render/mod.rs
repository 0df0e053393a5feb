//! A comparison for terminals, pages, programs and CI servers.

mod junit;
mod markdown;
mod rows;
mod selftest;
mod terminal;

use super::Comparison;

pub(crate) use rows::steps;
pub use rows::words;
pub use selftest::{SelfTestFormat, selftest};

/// For whom a comparison is written.
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

/// Which points are listed where people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// All.
    All,
    /// Those that are not the same, unless there are few.
    Changes,
}

/// A comparison that can't be written.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It does not become JSON.
    #[error("cannot write the comparison as JSON: {0}; try --format table")]
    Json(#[from] serde_json::Error),
    /// It does not become JUnit XML.
    #[error("cannot write the comparison as JUnit XML: {0}; try --format json")]
    Junit(String),
}

/// The comparison as a text that ends with a line break.
///
/// # Errors
/// If it can't be serialised.
pub fn render(
    format: Format,
    comparison: &Comparison,
    listing: Listing,
) -> Result<String, RenderError> {
    match format {
        Format::Table => Ok(terminal::render(comparison, listing)),
        Format::Markdown => Ok(markdown::render(comparison, listing)),
        Format::Json => Ok(serde_json::to_string_pretty(comparison)? + "\n"),
        Format::Junit => junit::render(comparison),
    }
}
