//! One task: what was measured, and all that can be seen in it.

use maud::{Markup, html};

use super::super::ReportInput;
use super::super::facts::refusals::refusals;
use super::super::facts::settings::Settings;
use super::super::facts::tally::Tally;
use super::super::facts::{counted, rows_of};
use super::parts::scrolling;
use super::{ceilings, charts, history, stages, tables};
use crate::charts::NamedSvg;
use crate::record::SummaryRow;

pub fn section(input: &ReportInput, algorithm: &str, id: &str, drawn: &[NamedSvg]) -> Markup {
    let rows = rows_of(&input.run.summary, algorithm);
    let settings = Settings::of_rows(rows.iter().copied());
    html! {
        section id=(id) {
            h2 { (algorithm) }
            p { (measured(&rows)) " In common: " (settings.common()) "." }
            (charts::section(algorithm, drawn))
            (tables::section(&rows, &settings, input.rank))
            (stages::section(&rows, &settings))
            (ceilings::section(&rows, &settings))
            (history::section(input, algorithm, &settings))
            (not_valid(&rows))
        }
    }
}

fn measured(rows: &[&SummaryRow]) -> String {
    let tally = Tally::of(rows.iter().copied());
    format!(
        "{}, {}, {}.",
        counted(tally.variants, "variant"),
        counted(tally.settings, "setting"),
        counted(tally.samples, "sample")
    )
}

fn not_valid(rows: &[&SummaryRow]) -> Markup {
    let refusals = refusals(rows);
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "variant" }
                th.number scope="col" { "points" }
                th scope="col" { "reason" }
            } }
            tbody { @for refusal in &refusals { tr {
                th scope="row" { (refusal.variant) }
                td.number { (refusal.points) }
                td.words { (refusal.reason) }
            } } }
        }
    };
    html! {
        @if !refusals.is_empty() {
            h3 { "Without a valid time" }
            (scrolling("Points without a valid time", &table))
        }
    }
}
