//! The numbers: a table for each setting, fastest variant first.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::super::facts::counted;
use super::super::facts::settings::Settings;
use super::parts::scrolling;
use crate::rank::Rank;
use crate::record::SummaryRow;
use crate::run_table::{Block, blocks, gather};
use crate::shape;

/// Number of tables that are open initially.
const OPEN: usize = 4;

pub fn section(rows: &[&SummaryRow], settings: &Settings, rank: Rank) -> Markup {
    let valid = rows.iter().copied().filter(|row| row.valid_median().is_some());
    let valid: Vec<SummaryRow> = valid.cloned().collect();
    let mut blocks = blocks(&valid, rank);
    let remarks = gather(&mut blocks);
    html! {
        @if !valid.is_empty() {
            h3 { "Tables" }
            @for (i, block) in blocks.iter().enumerate() {
                (table(block, settings, i < OPEN))
            }
            @if !remarks.is_empty() {
                ul.notes { @for remark in &remarks { li { (remark.escaped().at_most(SENTENCE)) } } }
            }
        }
    }
}

fn table(block: &Block, settings: &Settings, open: bool) -> Markup {
    let mut heading = settings.apart(&block.axes);
    if let Some(rank) = block.ranked_by {
        heading = [heading, rank.sentence()].join(shape::SEPARATOR);
    }
    html! {
        details open[open] {
            summary { (heading) }
            (scrolling(&heading, &block.table.html()))
            @if !block.notes.is_empty() {
                details.remarks {
                    summary { (counted(block.notes.len(), "remark")) }
                    ul.notes { @for note in &block.notes { li { (note.to_string()) } } }
                }
            }
        }
    }
}
