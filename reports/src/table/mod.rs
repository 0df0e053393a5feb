//! A run as a table: for a terminal, for a page, for other tools.
//!
//! People get a block for each data shape, fastest variant first, in units
//! that suit. Other tools get the rows as they are.

mod block;
mod cells;
mod machine;
mod markdown;
mod terminal;

pub(crate) use block::{Block, blocks};
pub(crate) use cells::{Side, share_of};
pub(crate) use machine::csv_rows;

use crate::record::SummaryRow;

/// For whom a table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Table,
    /// The columns of `summary.csv`.
    Csv,
    /// An array of the rows.
    Json,
    /// Headings and tables as GitHub shows them.
    Markdown,
}

/// Why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The rows do not become CSV.
    #[error("cannot write the rows as CSV: {0}; try --format json")]
    Csv(String),
    /// The rows do not become JSON.
    #[error("cannot write the rows as JSON: {0}; try --format csv")]
    Json(#[from] serde_json::Error),
}

/// The rows as a text that ends with a line break; empty without rows where
/// only people read it.
///
/// # Errors
///
/// If the rows cannot be serialised.
pub fn render(format: Format, rows: &[SummaryRow]) -> Result<String, TableError> {
    match format {
        Format::Table => Ok(terminal::render(&blocks(rows))),
        Format::Markdown => Ok(markdown::render(&blocks(rows))),
        Format::Csv => machine::csv(rows),
        Format::Json => machine::json(rows),
    }
}
