//! Medians over the runs of this machine: a small picture for each point, a line with intervals and
//! the changes of its level.

use std::collections::HashMap;

use maud::{Markup, html};
use text::Untrusted;

use super::super::ReportInput;
use super::super::facts::{Settings, counted, day, minute};
use super::{and_more, pixels};
use crate::rank::RankedBy;
use crate::record::{Point, RunRecord, SummaryRow};
use crate::shape::{axes, name};
use crate::trend::{HistoryPoint, PointHistory, Shift, ShiftLimits, Trend, trends};
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

/// A point over runs of the same machine.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The point in the reported run.
    pub row: &'a SummaryRow,
    /// Two runs or more, the oldest first: the last one is of the reported run.
    pub trend: Trend,
}

impl Series<'_> {
    /// The last median over the median of those before.
    pub fn change(&self) -> f64 {
        let entries = &self.trend.history.entries;
        let mut medians: Vec<f64> = entries.iter().map(|entry| entry.median_s).collect();
        let last = medians.pop().unwrap_or(1.0);
        medians.sort_by(f64::total_cmp);
        medians.get(medians.len() / 2).map_or(1.0, |m| last / m)
    }
}

/// The points of a task that an earlier run has too, by size of the change.
pub fn series<'a>(input: &ReportInput<'a>, algorithm: &str) -> Vec<Series<'a>> {
    let mut by_point: HashMap<Point, Vec<HistoryPoint>> = HashMap::new();
    for run in input.history() {
        let is_here = |row: &&SummaryRow| {
            let gpu = |record: &RunRecord| record.gpu_model(&row.device).map(str::to_owned);
            row.algorithm == algorithm && gpu(&run.record) == gpu(&input.run.record)
        };
        for row in run.rows.iter().filter(is_here) {
            if let Some(entry) = HistoryPoint::from_row("", &run.record, row) {
                by_point.entry(row.point()).or_default().push(entry);
            }
        }
    }
    let rows = input.run.summary.iter();
    let histories = rows.filter(|row| row.algorithm == algorithm).filter_map(|row| {
        let last = HistoryPoint::from_row("", &input.run.record, row)?;
        let mut entries = by_point.remove(&row.point())?;
        entries.push(last);
        let record = &input.run.record;
        let history = PointHistory {
            by: RankedBy::Time,
            machine_key: record.machine_key.clone(),
            gpu: record.gpu_model(&row.device).map(str::to_owned),
            moved: None,
            point: row.point(),
            entries,
        };
        Some((row, history))
    });
    let (rows, histories): (Vec<_>, Vec<_>) = histories.unzip();
    let trends = trends(histories, &ShiftLimits::default(), &[]);
    let series = rows.into_iter().zip(trends);
    let mut series: Vec<_> = series.map(|(row, trend)| Series { row, trend }).collect();
    let moved = |series: &Series| series.change().ln().abs();
    series.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
    series
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::{earlier, row, run};
    use super::*;

    #[test]
    fn earlier_runs_of_one_machine_are_in_the_order_of_time() {
        let mut elsewhere = earlier("2026-01-01T00:00:03Z", vec![row("a", "n=1", 9.0)]);
        elsewhere.record.machine_key = "other".into();
        let runs = [
            earlier("2026-01-01T00:00:05Z", vec![row("a", "n=1", 7.0)]),
            earlier("2026-01-01T00:00:02Z", vec![row("a", "n=1", 2.0)]),
            earlier("2026-01-01T00:00:01Z", vec![row("a", "n=1", 1.0)]),
            elsewhere,
        ];
        let mut run = run(vec![row("a", "n=1", 4.0), row("new", "n=1", 1.0)]);
        run.record.started = "2026-01-01T00:00:04Z".into();
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        let series = series(&input, "sort");
        assert_eq!(series.len(), 1);
        let medians: Vec<_> = series[0].trend.history.entries.iter().map(|e| e.median_s).collect();
        assert_eq!(medians, [1.0, 2.0, 4.0]);
        assert_eq!(series[0].change(), 2.0);
    }

    #[test]
    fn changes_of_the_level_are_found() {
        let day = |day: usize| format!("2025-12-{day:02}T00:00:00Z");
        let level = |day: usize| if day <= 20 { 1.0 } else { 1.5 };
        // Slightly different each time, as times are.
        let median = |day: usize| level(day) * (1.0 + 1e-3 * (day * 7 % 5) as f64);
        let nights = 1..=29;
        let runs: Vec<_> = nights
            .map(|night| earlier(&day(night), vec![row("a", "n=1", median(night))]))
            .collect();
        let run = run(vec![row("a", "n=1", 1.5)]);
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        let series = series(&input, "sort");
        let firsts: Vec<usize> = series[0].trend.shifts.iter().map(|shift| shift.first).collect();
        assert_eq!(firsts, [20]);
    }

    #[test]
    fn the_largest_changes_come_first() {
        let rows = |a: f64, b: f64| vec![row("a", "n=1", a), row("b", "n=1", b)];
        let runs = [earlier("2025-12-31T00:00:00Z", rows(1.0, 1.0))];
        let run = run(rows(1.1, 0.5));
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        assert_eq!(series(&input, "sort")[0].row.variant, "b");
    }
}
