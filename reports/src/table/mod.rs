//! A run as a table: for a terminal, for a page, for other tools.
//!
//! People get a block for each data shape, fastest variant first, in units
//! that suit; then the stages of variants that have many, side by side, and how good
//! what they find is, where that is known. Other tools get the rows as they are.

mod block;
mod cells;
mod machine;
mod markdown;
mod quality;
mod remarks;
mod stages;
mod terminal;

pub(crate) use block::{Block, blocks};
pub(crate) use cells::{Side, share_of};
pub(crate) use machine::csv_rows;
pub(crate) use remarks::gather;

use crate::paint::Paint;
use crate::rank::Rank;
use crate::record::SummaryRow;
use crate::shape::{self, Axes};

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

/// How people want a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// Whether winners and what is wrong are coloured, in a table for a terminal.
    pub paint: Paint,
}

/// The rows as a text that ends with a line break; empty without rows where
/// only people read it.
///
/// # Errors
///
/// If the rows cannot be serialised.
pub fn render(format: Format, rows: &[SummaryRow], view: View) -> Result<String, TableError> {
    match format {
        Format::Table => Ok(terminal::render(&tables(rows, view.rank), view.paint)),
        Format::Markdown => Ok(markdown::render(&tables(rows, view.rank))),
        Format::Csv => machine::csv(rows),
        Format::Json => machine::json(rows),
    }
}

/// Blocks for people.
pub(crate) fn render_blocks(format: Format, blocks: Vec<Block>, view: View) -> String {
    let tables = Tables { blocks, remarks: Vec::new() };
    match format {
        Format::Markdown => markdown::render(&tables),
        _ => terminal::render(&tables, view.paint),
    }
}

/// All that people get.
#[derive(Clone, Debug, Default)]
struct Tables {
    blocks: Vec<Block>,
    /// What many points have in common.
    remarks: Vec<String>,
}

fn tables(rows: &[SummaryRow], rank: Rank) -> Tables {
    let mut blocks = blocks(rows, rank);
    let remarks = gather(&mut blocks);
    blocks.extend(stages::blocks(rows));
    blocks.extend(quality::blocks(rows));
    Tables { blocks, remarks }
}

/// What rows have in common that differ in their threads only.
fn axes_but_threads(row: &SummaryRow) -> Axes {
    let mut axes = shape::axes(row);
    axes.retain(|(name, _)| name != "threads");
    axes
}
