//! The report as a self-contained page: no network, no script.
//!
//! | module | shows |
//! |---|---|
//! | `changes` | changes since another run |
//! | `machines` | machines, the measured ceilings, and variants relative to them |
//! | `task`, `history` | a task: charts, tables, stages and history |
//! | `methods` | how to read it, published figures and raw records |
//! | `plan` | a plan of farms, a page of its own |
//! | `machine_comparison` | machines side by side, a page of its own |
//!
//! All values from a run are escaped by `maud`. The only unescaped markup is that of recobench's
//! own charts.

mod changes;
pub(crate) mod history;
pub(crate) mod machine_comparison;
mod machines;
mod methods;
pub(crate) mod plan;
pub(crate) mod task;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use text::{SENTENCE, Untrusted};

use super::facts::{Tally, asked, counted, day, duration, minute, verdict};
use super::{ReportError, ReportInput};
use crate::charts::{Diagnostics, NamedSvg, Stages, Wanted};
use crate::program::name_in;
use task::{MAX_MAPS, chart_figure, is_map};

const STYLE: &str = include_str!("style.css");

/// All crates have the same version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Maximum number of samples for distributions, which would be most of the page otherwise.
const MAX_SAMPLES: usize = 6_000;

/// The page may only show and style its own content.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'";

/// The whole page.
pub fn page(input: &ReportInput) -> Result<String, ReportError> {
    let run = input.run;
    let diagnostics = match run.samples.len() {
        _ if input.diagnostics => Diagnostics::All,
        ..=MAX_SAMPLES => Diagnostics::Distributions,
        _ => Diagnostics::None,
    };
    let wanted = Wanted { rank: input.rank, diagnostics, stages: Stages::Page };
    let charts = crate::charts::draw(&run.record, &run.summary, &run.samples, wanted)?;
    let published = methods::published_section(input)?;
    let raw = methods::raw_section(input)?;
    let title = title(input);
    let content = html! {
        header { h1 { (title.escaped().at_most(SENTENCE)) } (contents(input)) }
        main #content { (body(input, &charts, &published)) (raw) }
    };
    Ok(document(&title, &content, None))
}

/// A page that loads nothing; `script` is the only script that may run in it.
pub(crate) fn document(title: &str, content: &Markup, script: Option<&str>) -> String {
    let scripts = script.map(|script| {
        let hash = STANDARD.encode(Sha256::digest(script));
        format!("; script-src 'sha256-{hash}'")
    });
    let policy = format!("{POLICY}{}", scripts.unwrap_or_default());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "recobench " (VERSION) };
                title { (title.escaped().at_most(SENTENCE)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                (content)
                footer { "Made by recobench " (VERSION) "." }
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
    };
    text::page(page.into_string())
}

fn body(input: &ReportInput, charts: &[NamedSvg], published: &Markup) -> Markup {
    html! {
        (headline(input, charts))
        @if let Some(comparison) = input.comparison { (changes::section(comparison)) }
        (published)
        @for (i, algorithm) in input.algorithms().into_iter().enumerate() {
            (task::section(input, algorithm, &task_id(i), charts))
        }
        (machines::section(input))
        (methods::section(input))
    }
}

/// Links to the sections.
fn contents(input: &ReportInput) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @if input.comparison.is_some() { li { a href="#changes" { "What changed" } } }
                @if !input.published.is_empty() { li { a href="#published" { "Published figures" } } }
                @for (i, algorithm) in input.algorithms().into_iter().enumerate() {
                    li { a href={ "#" (task_id(i)) } { (algorithm.escaped()) } }
                }
                li { a href="#machines" { "Machines" } }
                li { a href="#methods" { "Methods" } }
                li { a href="#raw" { "Raw data" } }
            }
        }
    }
}

fn task_id(index: usize) -> String {
    format!("task-{}", index + 1)
}

/// `sort on AMD EPYC, 2026-11-20`.
fn title(input: &ReportInput) -> String {
    let record = &input.run.record;
    let made = || {
        let tasks = input.algorithms().join(", ");
        let cpu = &record.machine.cpu_model;
        format!("{tasks} on {cpu}, {}", day(&record.started))
    };
    input.title.map_or_else(made, str::to_owned)
}

fn headline(input: &ReportInput, charts: &[NamedSvg]) -> Markup {
    let record = &input.run.record;
    // Maps of the winners, task by task.
    let maps = charts.iter().filter(|chart| is_map(chart)).take(MAX_MAPS);
    html! {
        section.headline aria-label="Summary" {
            p.asked { code { (name_in(&record.command)) " " (asked(&record.command)) } }
            @for sentence in verdict::sentences(input) { p.verdict { (sentence) "." } }
            @for map in maps { (chart_figure(map)) }
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

/// Wide content in a scrollable box, so that the page itself does not scroll.
pub fn scrolling(label: &str, content: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) { (content) }
    }
}

/// Number of omitted items.
pub fn and_more(hidden: usize, what: &str) -> Markup {
    html! {
        @if hidden > 0 { p.quiet { "And " (hidden) " more " (what) "." } }
    }
}

/// Names with values; unknown and empty ones are omitted.
pub fn facts(list: &[(&str, Option<String>)]) -> Markup {
    let known = list.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    html! {
        dl.facts {
            @for (name, value) in known.filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { (value.escaped().at_most(SENTENCE)) } }
            }
        }
    }
}

/// A number of an SVG attribute, to a tenth of a pixel.
pub fn pixels(value: f64) -> String {
    format!("{value:.1}")
}
