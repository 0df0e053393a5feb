//! The report as a self-contained page: no network, no script.
//!
//! | module | shows |
//! |---|---|
//! | `headline` | the run in a sentence, and counts of what was measured |
//! | `changes`, `interval` | changes since another run |
//! | `machines` | machines, and the measured ceilings |
//! | `task` | a task: `charts`, `tables`, `stages`, `ceilings`, `history` |
//! | `published` | published figures and measured values |
//! | `methods` | how to read it, and what was not measured |
//! | `raw` | the records, and how to reproduce them |
//!
//! All values from a run are escaped by `maud`. The only unescaped markup is that of recobench's
//! own charts.

mod ceilings;
mod changes;
mod charts;
mod headline;
mod history;
mod interval;
mod machines;
mod methods;
pub(crate) mod parts;
mod published;
mod raw;
mod stages;
mod tables;
mod task;
pub(crate) mod trace;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use text::{SENTENCE, Untrusted};

use super::facts::time::day;
use super::{ReportError, ReportInput};
use crate::charts::{Diagnostics, NamedSvg, Stages, Wanted};

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
    let published = published::section(input)?;
    let raw = raw::section(input)?;
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
        (headline::section(input, charts))
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
