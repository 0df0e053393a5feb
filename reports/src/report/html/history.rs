//! Medians over the runs of this machine, a small picture for each point.

use maud::{Markup, html};

use super::super::ReportInput;
use super::super::facts::counted;
use super::super::facts::series::{Series, series};
use super::super::facts::settings::Settings;
use super::super::facts::time::{day, minute};
use super::parts::{and_more, pixels};
use crate::trend::{Direction, Shift, Visit, change};
use crate::units;

/// Further points moved less.
const MOST_SERIES: usize = 60;
/// So many are open when the page is.
const OPEN: usize = 12;
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 64.0;
const MARGIN: f64 = 6.0;

pub fn section(input: &ReportInput, algorithm: &str, settings: &Settings) -> Markup {
    let series = series(input, algorithm);
    let shown = &series[..series.len().min(MOST_SERIES)];
    let (first, rest) = shown.split_at(shown.len().min(OPEN));
    html! {
        @if !series.is_empty() {
            h3 { "History" }
            p.quiet {
                "Medians of " (counted(input.history().len() + 1, "run")) " on this machine in the \
                order of time, with their 95 % intervals; each picture has a scale of its own. Under \
                it stands the last median, and how far it is from the middle one of the runs before: \
                where that is furthest comes first. Dashed lines are where the level changed."
            }
            (pictures(first, settings))
            @if !rest.is_empty() {
                details {
                    summary { (counted(rest.len(), "further point")) }
                    (pictures(rest, settings))
                }
            }
            (and_more(series.len() - shown.len(), "points, which moved less"))
        }
    }
}

fn pictures(series: &[Series], settings: &Settings) -> Markup {
    html! {
        ul.history { @for series in series { li {
            strong { (series.variant) }
            span.quiet { (settings.apart(&series.axes)) }
            (sparkline(series))
            span { (latest(series)) }
            @for shift in &series.shifts { (changed(series, shift)) }
        } } }
    }
}

/// `1.23 ms, +4.0 %`.
fn latest(series: &Series) -> String {
    let last = series.entries.last().map_or(0.0, |entry| entry.median_s);
    format!("{}, {}", units::seconds(last, 3), change(series.change()))
}

/// `slower since 2026-11-20: +4.0 %`.
fn changed(series: &Series, shift: &Shift) -> Markup {
    let (class, word) = match shift.direction {
        Direction::Slower => ("slower", "slower"),
        Direction::Faster => ("faster", "faster"),
    };
    let since = day(&series.entries[shift.first].started);
    html! { span class=(class) { (word) " since " (since) ": " (change(shift.ratio())) } }
}

fn sparkline(series: &Series) -> Markup {
    let entries = &series.entries;
    let (low, high) = range(entries);
    let step = (WIDTH - 2.0 * MARGIN) / (entries.len() - 1).max(1) as f64;
    let x = |i: usize| MARGIN + step * i as f64;
    let y = |s: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (s - low) / (high - low);
    let at = |i: usize, s: f64| format!("{} {}", pixels(x(i)), pixels(y(s)));
    let medians = entries.iter().enumerate().map(|(i, e)| at(i, e.median_s));
    let upper = entries.iter().enumerate().map(|(i, e)| at(i, ends(e).1));
    let lower = entries.iter().enumerate().rev().map(|(i, e)| at(i, ends(e).0));
    let line = |points: Vec<String>| format!("M{}", points.join("L"));
    html! {
        svg.sparkline role="img" aria-label=(words(series)) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
            path.range d={ (line(upper.chain(lower).collect())) "Z" } {}
            path.medians d=(line(medians.collect())) {}
            @for shift in &series.shifts {
                @let at = pixels(x(shift.first) - step / 2.0);
                line.change x1=(at) x2=(at) y1="0" y2=(HEIGHT) {}
            }
            @for (i, entry) in entries.iter().enumerate() {
                circle class=[(i + 1 == entries.len()).then_some("last")]
                    cx=(pixels(x(i))) cy=(pixels(y(entry.median_s))) r="3" {
                    title { (tooltip(entry)) }
                }
            }
        }
    }
}

/// The least and the greatest end; never equal.
fn range(entries: &[Visit]) -> (f64, f64) {
    let low = entries.iter().map(|e| ends(e).0).fold(f64::INFINITY, f64::min);
    let high = entries.iter().map(|e| ends(e).1).fold(0.0, f64::max);
    if high > low { (low, high) } else { (low * 0.99, low * 1.01) }
}

fn ends(entry: &Visit) -> (f64, f64) {
    entry.interval.unwrap_or((entry.median_s, entry.median_s))
}

/// `2026-11-20 12:18 UTC, commit 1b476acfc876: 1.23 ms`.
fn tooltip(entry: &Visit) -> String {
    let commit = entry.git_commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {commit}"));
    let interval = entry.interval.map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", units::seconds(low, 3), units::seconds(high, 3))
    });
    format!("{}{commit}: {}{interval}", minute(&entry.started), units::seconds(entry.median_s, 3))
}

fn words(series: &Series) -> String {
    let medians = series.entries.iter();
    let medians: Vec<String> = medians.map(|entry| units::seconds(entry.median_s, 3)).collect();
    format!("Medians, the oldest first: {}", medians.join(", "))
}
