//! Medians over the runs of this machine, a small picture for each point.

use maud::{Markup, html};

use super::super::ReportInput;
use super::super::facts::counted;
use super::super::facts::series::{Series, series};
use super::super::facts::settings::Settings;
use super::super::facts::time::day;
use super::parts::and_more;
use super::trace::{Frame, trace};
use crate::shape::{axes, name};
use crate::trend::{Shift, Trend};
use crate::units;

/// Maximum number of series; further points changed less.
const MAX_SERIES: usize = 60;
/// Number of series that are open initially.
const OPEN: usize = 12;
const PICTURE: Frame = Frame { width: 240.0, height: 64.0, dots: true };

pub fn section(input: &ReportInput, algorithm: &str, settings: &Settings) -> Markup {
    let series = series(input, algorithm);
    let shown = &series[..series.len().min(MAX_SERIES)];
    let (first, rest) = shown.split_at(shown.len().min(OPEN));
    html! {
        @if !series.is_empty() {
            h3 { "History" }
            p.quiet {
                "Medians of " (counted(input.history().len() + 1, "run")) " on this machine in \
                    order of time, with their 95 % intervals; each picture has its own scale. Below \
                    it are the last median, and its change from the median of the earlier runs; \
                    the largest changes come first. Dashed lines are changes of the level."
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
            strong { (name(series.row)) }
            span.quiet { (settings.apart(&axes(series.row))) }
            (trace(&series.trend.history.entries, &series.trend.shifts, PICTURE, |_| None))
            span { (latest(series)) }
            @for shift in &series.trend.shifts { (changed(&series.trend, shift)) }
        } } }
    }
}

/// `1.23 ms, +4.0 %`.
fn latest(series: &Series) -> String {
    let last = series.trend.history.entries.last().map_or(0.0, |entry| entry.median_s);
    format!("{}, {}", units::seconds(last, 3), units::change(series.change()))
}

/// `slower since 2026-11-20: +4.0 %`.
fn changed(trend: &Trend, shift: &Shift) -> Markup {
    let word = shift.direction.name();
    let since = day(&trend.first_entry(shift).started);
    html! { span.(word) { (word) " since " (since) ": " (units::change(shift.ratio())) } }
}
