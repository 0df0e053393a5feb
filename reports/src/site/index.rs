//! The first page of a site.

use maud::{Markup, html};
use text::Untrusted;

use super::{Site, point_page, run_page};
use crate::rank::TOTAL;
use crate::report::html::document;
use crate::report::html::parts::{and_more, scrolling};
use crate::report::html::trace::{Frame, trace};
use crate::report::time::minute;
use crate::store::RunSummary;
use crate::table::{NUMBER, Row, cards};
use crate::trend::{PointHistory, Shift, Trend, names, words};
use crate::units::{self, counted};

const SEARCH: &str = include_str!("search.js");
/// Maximum number of changes; further ones are older.
const MAX_CHANGES: usize = 100;
const PICTURE: Frame = Frame { width: 160.0, height: 32.0, dots: false };

pub fn page(site: &Site<'_>) -> String {
    let content = html! {
        header { h1 { (site.title.escaped()) } }
        main #content {
            p { (measured(site)) }
            p hidden {
                label for="search" { "Search " }
                input #search type="search" placeholder="sort radix 24 segments";
                " " span #left.quiet role="status" {}
            }
            (changes(site))
            (points(site))
            (runs(site))
        }
    };
    document(site.title, &content, Some(SEARCH))
}

/// `50 runs on 2 machines, the last one of 2026-11-23 12:18 UTC; 300 points`.
fn measured(site: &Site<'_>) -> String {
    let mut machines: Vec<&str> =
        site.runs.iter().map(|run| run.record.machine_key.as_str()).collect();
    machines.sort_unstable();
    machines.dedup();
    let last = site.runs.iter().map(|run| &run.record.started).max();
    let last = last.map_or_else(String::new, |last| format!(", the last one of {}", minute(last)));
    format!(
        "{} on {}{last}; {}.",
        counted(site.runs.len(), "run"),
        counted(machines.len(), "machine"),
        counted(site.trends.len(), "point")
    )
}

/// A row with the texts by which the search finds it.
fn row<const N: usize>(texts: &[&str], cells: [Markup; N]) -> Row {
    // The search uses lower case.
    Row { words: Some(texts.join(" ").to_lowercase()), cells: cells.into(), ..Row::default() }
}

fn changes(site: &Site<'_>) -> Markup {
    let of_trend = |trend| move |shift| (trend, shift);
    let mut changes: Vec<(&Trend, &Shift)> =
        site.trends.iter().flat_map(|trend| trend.shifts.iter().map(of_trend(trend))).collect();
    let when = |(trend, shift): &(&Trend, &Shift)| trend.first_entry(shift).started.clone();
    changes.sort_by_key(|it| std::cmp::Reverse((it.1.is_alarm(), when(it))));
    let columns = [
        ("point", None),
        ("since", None),
        ("commit", None),
        ("before", NUMBER),
        ("after", NUMBER),
        ("change", NUMBER),
        ("state", None),
    ];
    let shown = changes.iter().take(MAX_CHANGES);
    let table = cards(&columns, shown.map(|(trend, shift)| changed(trend, shift)));
    html! {
        section #changes {
            h2 { "What changed" }
            @if changes.is_empty() {
                p { "No level changed." }
            } @else {
                (scrolling("Changes of levels", &table))
                (and_more(changes.len().saturating_sub(MAX_CHANGES), "changes"))
            }
        }
    }
}

fn changed(trend: &Trend, shift: &Shift) -> Row {
    let [point, on] = names(trend);
    let first = trend.first_entry(shift);
    let commit = commit(first.git_commit.as_deref());
    let state = words(shift);
    row(
        &[&point, &on, &commit, &state, &first.run],
        [
            html! { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } },
            html! { a href=(run_page(&first.run)) { (minute(&first.started)) } },
            html! { code { (commit) } },
            html! { (units::seconds(shift.before_s, 3)) },
            html! { (units::seconds(shift.after_s, 3)) },
            html! { span.(shift.direction.name()) { (units::change(shift.ratio())) } },
            html! { span.(shift.direction.name()) { (state) } },
        ],
    )
}

fn points(site: &Site<'_>) -> Markup {
    let columns = [
        ("point", None),
        ("medians", Some("trace")),
        ("last", NUMBER),
        ("runs", NUMBER),
        ("machine", None),
    ];
    let table = cards(&columns, site.trends.iter().map(|trend| point(site, trend)));
    html! { section #points { h2 { "Points" } (scrolling("All points", &table)) } }
}

fn point(site: &Site<'_>, trend: &Trend) -> Row {
    let [point, on] = names(trend);
    let entries = &trend.history.entries;
    let machine = machine(site, &trend.history);
    let last = entries.last().map_or(f64::NAN, |entry| entry.median_s);
    row(
        &[&point, &on, &machine],
        [
            html! { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } },
            trace(entries, &trend.shifts, PICTURE, |_| None),
            html! { (units::seconds(last, 3)) },
            html! { (entries.len()) },
            html! { (machine) },
        ],
    )
}

/// Name of the machine of a history: its CPU, and the GPU that the point ran on.
pub fn machine(site: &Site<'_>, history: &PointHistory) -> String {
    let run = site.runs.iter().rev().find(|run| run.record.machine_key == history.machine_key);
    let cpu = run.map(|run| run.record.machine.cpu_model.escaped().to_string());
    let gpu = history.gpu.as_ref().map(|model| model.escaped().to_string());
    cpu.into_iter().chain(gpu).collect::<Vec<_>>().join(", ")
}

fn commit(known: Option<&str>) -> String {
    known.unwrap_or_default().escaped().to_string()
}

fn runs(site: &Site<'_>) -> Markup {
    let columns = [
        ("run", None),
        ("measured", None),
        ("commit", None),
        ("points", NUMBER),
        ("machine", None),
    ];
    let table = cards(&columns, site.runs.iter().rev().map(run_row));
    html! { section #runs { h2 { "Runs" } (scrolling("All runs, the newest first", &table)) } }
}

fn run_row(run: &RunSummary) -> Row {
    let record = &run.record;
    let mut tasks: Vec<&str> = run.rows.iter().map(|row| row.algorithm.as_str()).collect();
    tasks.dedup();
    let tasks = tasks.join(", ");
    let measured = match &record.suite {
        Some(suite) => format!("{}: {}", suite.name.escaped(), tasks.escaped()),
        None => tasks.escaped().to_string(),
    };
    let commit = commit(record.software.git_commit.as_deref());
    let points = run.rows.iter().filter(|row| row.stage == TOTAL).count();
    let cpu = record.machine.cpu_model.escaped().to_string();
    row(
        &[&run.id, &measured, &commit, &cpu, &record.started],
        [
            html! { a href=(run_page(&run.id)) { (minute(&record.started)) } },
            html! { (measured) },
            html! { code { (commit) } },
            html! { (points) },
            html! { (cpu) },
        ],
    )
}
