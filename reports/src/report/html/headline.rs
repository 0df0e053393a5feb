//! The run in a sentence, and counts of what was measured.

use maud::{Markup, html};
use text::{SENTENCE, Untrusted};

use super::super::ReportInput;
use super::super::facts::command::asked;
use super::super::facts::tally::Tally;
use super::super::facts::time::{duration, minute};
use super::super::facts::{counted, verdict};
use super::charts::{MAX_MAPS, figure, is_map};
use crate::charts::NamedSvg;

pub fn section(input: &ReportInput, charts: &[NamedSvg]) -> Markup {
    let record = &input.run.record;
    // Maps of the winners, task by task.
    let maps = charts.iter().filter(|chart| is_map(chart)).take(MAX_MAPS);
    html! {
        section.headline aria-label="Summary" {
            p.asked { code { "bench " (asked(&record.command)) } }
            @for sentence in verdict::sentences(input) { p.verdict { (sentence) "." } }
            @for map in maps { (figure(map)) }
            p { (measured(input)) }
            (figures(input))
            @for note in &record.notes { p.note { "Note: " (note.escaped().at_most(SENTENCE)) } }
        }
    }
}

/// `Measured on 2026-11-20 12:18 UTC in 14s on AMD EPYC by commit 1b476acfc876.`
fn measured(input: &ReportInput) -> String {
    let record = &input.run.record;
    let took = match duration(record) {
        Some(duration) => format!(" in {duration}"),
        None => "; the run did not finish, so the report is incomplete".to_owned(),
    };
    let commit = record.software.git_commit.as_ref();
    let commit =
        commit.map_or_else(String::new, |commit| format!(", by commit {}", commit.escaped()));
    let cores = counted(record.machine.cores, "core");
    format!(
        "Measured on {} ({cores}) at {}{commit}{took}.",
        record.machine.cpu_model.escaped(),
        minute(&record.started)
    )
}

fn figures(input: &ReportInput) -> Markup {
    let tally = Tally::from_rows(&input.run.summary);
    let figures = [
        (tally.points, "point measured", "points measured"),
        (tally.variants, "variant", "variants"),
        (
            tally.settings,
            "setting of data, threads and cache",
            "settings of data, threads and cache",
        ),
        (tally.samples, "sample", "samples"),
        (tally.refused, "point without a valid time", "points without a valid time"),
        (input.history().len(), "earlier run on this machine", "earlier runs on this machine"),
    ];
    html! {
        ul.figures {
            @for (count, one, many) in figures.iter().filter(|(count, ..)| *count > 0) {
                li { strong { (count) } " " span { (if *count == 1 { one } else { many }) } }
            }
        }
    }
}
