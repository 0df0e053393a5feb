//! Medians over runs as a line, with their intervals and the changes of their level.

use maud::{Markup, html};
use text::Untrusted;

use super::super::facts::time::minute;
use super::parts::pixels;
use crate::trend::{HistoryPoint, Shift};
use crate::units;

const MARGIN: f64 = 6.0;

/// Size and content of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// True if each run has a dot with a tooltip.
    pub dots: bool,
}

/// The medians of `entries`, the oldest first; `link` returns the target of a dot.
pub fn trace(
    entries: &[HistoryPoint],
    shifts: &[Shift],
    frame: Frame,
    link: impl Fn(&HistoryPoint) -> Option<String>,
) -> Markup {
    let Frame { width, height, dots } = frame;
    let (low, high) = range(entries);
    let step = (width - 2.0 * MARGIN) / entries.len().saturating_sub(1).max(1) as f64;
    let x = |i: usize| MARGIN + step * i as f64;
    let y = |s: f64| height - MARGIN - (height - 2.0 * MARGIN) * (s - low) / (high - low);
    let at = |i: usize, s: f64| format!("{} {}", pixels(x(i)), pixels(y(s)));
    let medians = entries.iter().enumerate().map(|(i, it)| at(i, it.median_s));
    let upper = entries.iter().enumerate().map(|(i, it)| at(i, ends(it).1));
    let lower = entries.iter().enumerate().rev().map(|(i, it)| at(i, ends(it).0));
    let line = |points: Vec<String>| format!("M{}", points.join("L"));
    let dot = |i: usize, entry: &HistoryPoint| {
        html! {
            circle class=[(i + 1 == entries.len()).then_some("last")]
                cx=(pixels(x(i))) cy=(pixels(y(entry.median_s))) r="3" { title { (tooltip(entry)) } }
        }
    };
    html! {
        svg.sparkline role="img" aria-label=(words(entries)) viewBox={ "0 0 " (width) " " (height) } {
            path.range d={ (line(upper.chain(lower).collect())) "Z" } {}
            path.medians d=(line(medians.collect())) {}
            @for shift in shifts {
                @let at = pixels(x(shift.first) - step / 2.0);
                line.change x1=(at) x2=(at) y1="0" y2=(height) {}
            }
            @for (i, entry) in entries.iter().enumerate().filter(|_| dots) {
                @match link(entry) {
                    Some(target) => { a href=(target) { (dot(i, entry)) } }
                    None => { (dot(i, entry)) }
                }
            }
        }
    }
}

/// The smallest and the largest end in seconds; never equal.
pub fn range(entries: &[HistoryPoint]) -> (f64, f64) {
    let low = entries.iter().map(|it| ends(it).0).fold(f64::INFINITY, f64::min);
    let high = entries.iter().map(|it| ends(it).1).fold(0.0, f64::max);
    if high > low { (low, high) } else { (low * 0.99, low * 1.01) }
}

fn ends(entry: &HistoryPoint) -> (f64, f64) {
    entry.interval.unwrap_or((entry.median_s, entry.median_s))
}

/// `2026-11-20 12:18 UTC, commit 1b476acfc876: 1.23 ms [1.20 ms, 1.26 ms]`.
fn tooltip(entry: &HistoryPoint) -> String {
    let commit = entry.git_commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {}", commit.escaped()));
    let interval = interval(entry).map_or_else(String::new, |interval| format!(" {interval}"));
    format!("{}{commit}: {}{interval}", minute(&entry.started), units::seconds(entry.median_s, 3))
}

/// `[1.20 ms, 1.26 ms]`, if it is known.
pub fn interval(entry: &HistoryPoint) -> Option<String> {
    let (low, high) = entry.interval?;
    Some(format!("[{}, {}]", units::seconds(low, 3), units::seconds(high, 3)))
}

fn words(entries: &[HistoryPoint]) -> String {
    let medians = entries.iter().map(|entry| units::seconds(entry.median_s, 3));
    format!("Medians, the oldest first: {}", medians.collect::<Vec<_>>().join(", "))
}
