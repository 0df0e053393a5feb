//! A point over the runs of a machine.

use maud::{Markup, html};
use text::Untrusted;

use super::index::machine;
use super::{Site, run_page};
use crate::report::html::document;
use crate::report::html::parts::scrolling;
use crate::report::html::trace::{Frame, interval, range, trace};
use crate::report::time::{day, minute};
use crate::table::{NUMBER, Row, cards};
use crate::trend::{HistoryPoint, Shift, Trend, moved_words, names, words};
use crate::units::{self, counted};

const PICTURE: Frame = Frame { width: 960.0, height: 280.0, dots: true };

pub fn page(site: &Site<'_>, trend: &Trend) -> String {
    let [point, on] = names(trend);
    let entries = &trend.history.entries;
    let content = html! {
        header {
            nav { ul { li { a href="../index.html" { (site.title.escaped()) } } } }
            h1 { (point) }
            p { (on) ", on " (machine(site, &trend.history)) }
        }
        main #content {
            (picture(trend))
            @if let Some(moved) = &trend.history.moved { p { "Before the first run " (moved_words(trend, moved)) "." } }
            @if trend.shifts.is_empty() {
                p { "Its level did not change in " (counted(entries.len(), "run")) "." }
            } @else {
                ul { @for shift in &trend.shifts { (changed(trend, shift)) } }
            }
            (table(trend))
        }
    };
    document(&format!("{point}, {}", site.title), &content, None)
}

/// The medians; a dot is a link to its run.
fn picture(trend: &Trend) -> Markup {
    let entries = &trend.history.entries;
    let (low, high) = range(entries);
    let ends = entries.first().zip(entries.last());
    html! {
        figure {
            p.quiet { (units::seconds(high, 3)) }
            (trace(entries, &trend.shifts, PICTURE, |entry| Some(link(entry))))
            p.quiet { (units::seconds(low, 3)) }
            @if let Some((first, last)) = ends {
                p.ends.wide.quiet { span { (day(&first.started)) } span { (day(&last.started)) } }
            }
            figcaption.quiet {
                "Medians with their 95 % intervals, a dot a run in the order of the store; dashed \
                 lines are where the level changed."
            }
        }
    }
}

fn link(entry: &HistoryPoint) -> String {
    format!("../{}", run_page(&entry.run))
}

/// `SLOWER: +30.0 % since 2026-01-21, commit c0ffee20`.
fn changed(trend: &Trend, shift: &Shift) -> Markup {
    let first = trend.first_entry(shift);
    html! {
        li {
            span.(shift.direction.name()) { (words(shift)) ": " (units::change(shift.ratio())) }
            " since " a href=(link(first)) { (minute(&first.started)) }
            @if let Some(commit) = &first.git_commit { ", commit " code { (commit.escaped()) } }
        }
    }
}

fn table(trend: &Trend) -> Markup {
    let columns = [
        ("run", None),
        ("commit", None),
        ("median", NUMBER),
        ("95 % interval", None),
        ("level", None),
    ];
    let starts = |i: usize| trend.shifts.iter().find(|shift| shift.first == i);
    let row = |(i, entry): (usize, &HistoryPoint)| Row {
        cells: vec![
            html! { a href=(link(entry)) { (minute(&entry.started)) } },
            html! { code { (entry.git_commit.as_deref().unwrap_or_default().escaped()) } },
            html! { (units::seconds(entry.median_s, 4)) },
            html! { (interval(entry).unwrap_or_default()) },
            html! { @if let Some(shift) = starts(i) {
                span.(shift.direction.name()) { (units::change(shift.ratio())) }
            } },
        ],
        ..Row::default()
    };
    let table = cards(&columns, trend.history.entries.iter().enumerate().rev().map(row));
    html! { h2 { "Runs" } (scrolling("All runs of this point, the newest first", &table)) }
}
