//! A run as a table.
//!
//! People get a block for each data shape, fastest variant first, in units
//! that suit; then the stages of variants that have many, side by side, and how good
//! what they find is, where that is known. Programs get the rows as they are.

mod block;
mod cells;
mod entry;
mod quality;
mod remarks;
mod stages;

pub(crate) use block::{Block, blocks};
pub(crate) use cells::share_of;
pub(crate) use entry::{Entry, Fastest, entries};
pub(crate) use remarks::gather;

use crate::frame::{Document, Frame};
use crate::paint::Paint;
use crate::rank::Rank;
use crate::record::{RunRecord, SummaryRow};
use crate::shape::{self, Axes};
use crate::table::{Format, Table, TableError, for_people};

/// How people want a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// Whether winners and what is wrong are coloured, in a table for a terminal.
    pub paint: Paint,
}

/// The rows of `run` as a text that ends with a line break; empty without rows where only
/// people read it.
///
/// # Errors
///
/// If the rows cannot be serialised.
pub fn render(
    format: Format,
    run: &RunRecord,
    rows: &[SummaryRow],
    view: View,
) -> Result<String, TableError> {
    match format {
        Format::Table | Format::Markdown => {
            Ok(for_people(format, &tables(rows, view.rank), view.paint))
        }
        Format::Csv => Ok(Frame::of_summary(rows).csv()?),
        Format::Json => Ok(Document::new(run, &Frame::of_summary(rows)).json()?),
    }
}

fn tables(rows: &[SummaryRow], rank: Rank) -> Vec<Table> {
    let mut blocks = blocks(rows, rank);
    let remarks = gather(&mut blocks);
    let mut tables: Vec<Table> = blocks.into_iter().map(Block::into_table).collect();
    if !remarks.is_empty() {
        tables.push(Table::default().under("Remarks").with_notes(remarks));
    }
    tables.extend(stages::tables(rows));
    tables.extend(quality::tables(rows));
    tables
}

/// What rows have in common that differ in their threads only.
fn axes_but_threads(row: &SummaryRow) -> Axes {
    let mut axes = shape::axes(row);
    axes.retain(|(name, _)| name != "threads");
    axes
}
