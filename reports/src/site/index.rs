//! The first page of a site.

use maud::{Markup, html};

use super::{Site, point_page, run_page};
use crate::history::StoredSummary;
use crate::report::html::document;
use crate::report::html::parts::{and_more, class, scrolling};
use crate::report::html::trace::{Frame, trace};
use crate::report::time::minute;
use crate::trend::{Shift, Trend, change, names, words};
use crate::units::{self, counted};

const SEARCH: &str = include_str!("search.js");
/// Further changes are older.
const MOST_CHANGES: usize = 100;
const PICTURE: Frame = Frame { width: 160.0, height: 32.0, dots: false };

pub fn page(site: &Site<'_>) -> String {
    let content = html! {
        header { h1 { (site.title) } }
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

/// What may be searched for, in small letters.
fn searchable(texts: &[&str]) -> String {
    texts.join(" ").to_lowercase()
}

fn changes(site: &Site<'_>) -> Markup {
    let of_trend = |trend| move |shift| (trend, shift);
    let mut changes: Vec<(&Trend, &Shift)> =
        site.trends.iter().flat_map(|trend| trend.shifts.iter().map(of_trend(trend))).collect();
    let when = |(trend, shift): &(&Trend, &Shift)| trend.first_visit(shift).started.clone();
    changes.sort_by_key(|it| std::cmp::Reverse((it.1.is_alarm(), when(it))));
    let table = html! {
        table.cards {
            thead { tr {
                th { "point" } th { "since" } th { "commit" } th.number { "before" }
                th.number { "after" } th.number { "change" } th { "state" }
            } }
            tbody { @for (trend, shift) in changes.iter().take(MOST_CHANGES) {
                (changed(trend, shift))
            } }
        }
    };
    html! {
        section #changes {
            h2 { "What changed" }
            @if changes.is_empty() {
                p { "No level changed." }
            } @else {
                (scrolling("Changes of levels", &table))
                (and_more(changes.len().saturating_sub(MOST_CHANGES), "changes"))
            }
        }
    }
}

fn changed(trend: &Trend, shift: &Shift) -> Markup {
    let ([point, on], first) = (names(trend), trend.first_visit(shift));
    let (commit, state) = (first.git_commit.as_deref().unwrap_or_default(), words(shift));
    html! {
        tr data-words=(searchable(&[&point, &on, commit, &state, &first.run])) {
            th scope="row" { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } }
            td data-label="since" { a href=(run_page(&first.run)) { (minute(&first.started)) } }
            td data-label="commit" { code { (commit) } }
            td.number data-label="before" { (units::seconds(shift.before_s, 3)) }
            td.number data-label="after" { (units::seconds(shift.after_s, 3)) }
            td.number.(class(shift)) data-label="change" { (change(shift.ratio())) }
            td.(class(shift)) data-label="state" { (state) }
        }
    }
}

fn points(site: &Site<'_>) -> Markup {
    let table = html! {
        table.cards {
            thead { tr {
                th { "point" } th { "medians" } th.number { "last" } th.number { "runs" }
                th { "machine" }
            } }
            tbody { @for trend in site.trends { (point(site, trend)) } }
        }
    };
    html! { section #points { h2 { "Points" } (scrolling("All points", &table)) } }
}

fn point(site: &Site<'_>, trend: &Trend) -> Markup {
    let ([point, on], visits) = (names(trend), &trend.track.visits);
    let machine = machine(site, &trend.track.machine_key);
    let last = visits.last().map_or(f64::NAN, |visit| visit.median_s);
    html! {
        tr data-words=(searchable(&[&point, &on, machine])) {
            th scope="row" { a href=(point_page(trend)) { (point) } " " span.quiet { (on) } }
            td.trace { (trace(visits, &trend.shifts, PICTURE, |_| None)) }
            td.number data-label="last" { (units::seconds(last, 3)) }
            td.number data-label="runs" { (visits.len()) }
            td data-label="machine" { (machine) }
        }
    }
}

/// What a machine is called: by its CPU.
pub fn machine<'a>(site: &Site<'a>, key: &str) -> &'a str {
    let run = site.runs.iter().rev().find(|run| run.record.machine_key == key);
    run.map_or("", |run| &run.record.machine.cpu_model)
}

fn runs(site: &Site<'_>) -> Markup {
    let table = html! {
        table.cards {
            thead { tr {
                th { "run" } th { "measured" } th { "commit" } th.number { "points" }
                th { "machine" }
            } }
            tbody { @for run in site.runs.iter().rev() { (run_row(run)) } }
        }
    };
    html! { section #runs { h2 { "Runs" } (scrolling("All runs, the newest first", &table)) } }
}

fn run_row(run: &StoredSummary) -> Markup {
    let record = &run.record;
    let mut tasks: Vec<&str> = run.rows.iter().map(|row| row.algorithm.as_str()).collect();
    tasks.dedup();
    let measured = match &record.suite {
        Some(suite) => format!("{}: {}", suite.name, tasks.join(", ")),
        None => tasks.join(", "),
    };
    let commit = record.software.git_commit.as_deref().unwrap_or_default();
    let points = run.rows.iter().filter(|row| row.stage == "total").count();
    let cpu = &record.machine.cpu_model;
    html! {
        tr data-words=(searchable(&[&run.id, &measured, commit, cpu, &record.started])) {
            th scope="row" { a href=(run_page(&run.id)) { (minute(&record.started)) } }
            td data-label="measured" { (measured) }
            td data-label="commit" { code { (commit) } }
            td.number data-label="points" { (points) }
            td data-label="machine" { (cpu) }
        }
    }
}
