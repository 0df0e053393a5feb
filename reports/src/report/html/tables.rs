//! The numbers: a table for each setting, fastest variant first.

use maud::{Markup, html};

use super::super::facts::settings::Settings;
use super::super::facts::{counted, median};
use super::parts::scrolling;
use crate::record::SummaryRow;
use crate::table::{Block, Side, blocks};

/// So many tables are open when the page is.
const OPEN: usize = 4;

pub fn section(rows: &[&SummaryRow], settings: &Settings) -> Markup {
    let valid = rows.iter().copied().filter(|row| median(row).is_some());
    let valid: Vec<SummaryRow> = valid.cloned().collect();
    html! {
        @if !valid.is_empty() {
            h3 { "Tables" }
            @for (i, block) in blocks(&valid).iter().enumerate() {
                (table(block, settings, i < OPEN))
            }
        }
    }
}

fn table(block: &Block, settings: &Settings, open: bool) -> Markup {
    let heading = settings.apart(&block.axes);
    html! {
        details open[open] {
            summary { (heading) }
            (scrolling(&heading, &cells(block)))
            (notes(block))
        }
    }
}

fn cells(block: &Block) -> Markup {
    html! {
        table {
            thead { tr { @for (name, side) in &block.columns {
                th scope="col" class=(class(*side)) { (name) }
            } } }
            tbody { @for row in &block.rows { tr {
                @for (i, (cell, (_, side))) in row.iter().zip(&block.columns).enumerate() {
                    @if i == 0 {
                        th scope="row" class=[is_stage(cell).then_some("stage")] { (cell.trim_start()) }
                    } @else {
                        td class=(class(*side)) { (cell) }
                    }
                }
            } } }
        }
    }
}

/// Stages are indented under their variant.
fn is_stage(cell: &str) -> bool {
    cell.starts_with(' ')
}

fn class(side: Side) -> &'static str {
    match side {
        Side::Left => "text",
        Side::Right => "number",
    }
}

fn notes(block: &Block) -> Markup {
    html! {
        @if !block.notes.is_empty() {
            details.remarks {
                summary { (counted(block.notes.len(), "remark")) }
                ul.notes { @for note in &block.notes { li { (note) } } }
            }
        }
    }
}
