//! Section of one task.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::super::ReportInput;
use super::super::facts::refusals::{Refusal, refusals};
use super::super::facts::settings::Settings;
use super::super::facts::tally::Tally;
use super::super::facts::{counted, rows_of};
use super::parts::scrolling;
use super::{ceilings, charts, history, stages, tables};
use crate::charts::NamedSvg;
use crate::record::SummaryRow;
use crate::table::{NUMBER, Row, cards};

pub fn section(input: &ReportInput, algorithm: &str, id: &str, drawn: &[NamedSvg]) -> Markup {
    let rows = rows_of(&input.run.summary, algorithm);
    let settings = Settings::from_rows(rows.iter().copied());
    html! {
        section id=(id) {
            h2 { (algorithm.escaped()) }
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
    let tally = Tally::from_rows(rows.iter().copied());
    format!(
        "{}, {}, {}.",
        counted(tally.variants, "variant"),
        counted(tally.settings, "setting"),
        counted(tally.samples, "sample")
    )
}

fn not_valid(rows: &[&SummaryRow]) -> Markup {
    let refusals = refusals(rows);
    let columns = [("variant", None), ("points", NUMBER), ("reason", Some("words"))];
    let row = |refusal: &Refusal| Row {
        cells: vec![
            html! { (refusal.variant.escaped()) },
            html! { (refusal.points) },
            html! { (refusal.reason.escaped().at_most(SENTENCE)) },
        ],
        ..Row::default()
    };
    let table = cards(&columns, refusals.iter().map(row));
    html! {
        @if !refusals.is_empty() {
            h3 { "Without a valid time" }
            (scrolling("Points without a valid time", &table))
        }
    }
}
