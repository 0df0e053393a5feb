//! Time over an axis, per item if the axis changes the number of items, and speed-up of a line
//! relative to its smallest number of threads.
//!
//! Both axes of a speed-up have the same spread, so that the ideal, proportional to the threads, is
//! a straight line. With only two numbers of threads lines would coincide: these get bars.

use std::collections::BTreeSet;

use super::super::bar_panels::{Bar, BarPanel};
use super::super::caption;
use super::super::chart::{Chart, Panel, columns};
use super::super::line_panels::{self, Line, LinePanel, Point};
use super::super::scale::{Scale, Unit};
use super::super::study::{Axis, Study, interval, median};
use super::{Grouping, Lines, THREADS, point, scale};
use crate::record::SummaryRow;
use crate::units;

const READING: &str = "markers: median, whiskers: 95 % confidence interval of the median";
/// Ratio of the numbers of items from which on times per item are shown.
const SIZES_VARY: f64 = 1.01;

/// The chart of a study over `axis`.
pub fn figure(study: &Study, axis: &Axis) -> Chart<LinePanel> {
    let mut grouping = Grouping::new(study, axis);
    // A device without placements would have a panel with nothing to compare.
    let single = match grouping.lines {
        Lines::Variants => 0,
        Lines::Placements => grouping.take_single_panels(),
    };
    let an_item = sizes_vary(&grouping);
    let item = study.rows.first().map_or("item", |row| row.item_unit.as_str());
    let (what, unit) = match an_item {
        true => (format!("time per {item}"), Unit::Time("median time per item")),
        false => ("time".to_owned(), Unit::Time("median time")),
    };
    let lines = grouping.panels.iter().map(|panel| {
        let lines = panel.lines.iter().map(|line| chart_line(line, an_item));
        (panel.title.clone(), lines.collect())
    });
    let panels = line_panels::panels_over(&super::with_ticks(axis), unit, scale, lines.collect());
    let reading = format!("{READING}{}", super::not_shown(single));
    Chart {
        headline: study.headline(),
        title: format!("{}: {what} over {}", study.algorithm, axis.name),
        columns: columns(grouping.row, panels.len()),
        panels,
        caption: caption::of_samples(study, &reading),
    }
}

/// True if a line has points with different numbers of items.
fn sizes_vary(grouping: &Grouping) -> bool {
    let varies = |line: &super::Line| {
        let items = || line.rows.iter().map(|(_, row)| row.items as f64);
        items().fold(0.0, f64::max) >= SIZES_VARY * items().fold(f64::INFINITY, f64::min)
    };
    grouping.panels.iter().flat_map(|panel| &panel.lines).any(varies)
}

fn chart_line(line: &super::Line, an_item: bool) -> Line {
    let point = |(x, row): &(f64, &SummaryRow)| {
        point(*x, row, if an_item { row.items.max(1) as f64 } else { 1.0 })
    };
    Line::curve(&line.name, line.style, line.rows.iter().map(point).collect())
}

/// The name of the reference in the legend.
const IDEAL: &str = "ideal";
const SPEED_UP: Unit = Unit::Factor("speed-up");

/// Chart of lines over three numbers of threads or more, if a line of the study has several.
pub fn speedup_lines(study: &Study) -> Option<Chart<LinePanel>> {
    let axis = study.varying_axis(THREADS).filter(|axis| axis.values.len() > 2)?;
    chart(study, axis, |panels| {
        let lines = panels.iter().map(|panel| (panel.title.clone(), with_ideals(panel)));
        let y = |low, high| Scale::new(low, high, super::x_axis_scale(axis).spread);
        line_panels::panels_over(&super::with_ticks(axis), SPEED_UP, y, lines.collect())
    })
}

/// Chart of bars at the larger one of two numbers of threads, if a line of the study has both.
pub fn speedup_bars(study: &Study) -> Option<Chart<BarPanel>> {
    let axis = study.varying_axis(THREADS).filter(|axis| axis.values.len() == 2)?;
    chart(study, axis, |panels| panels.iter().map(bar_panel).collect())
}

fn chart<P: Panel>(
    study: &Study,
    axis: &Axis,
    draw: impl FnOnce(&[super::Panel]) -> Vec<P>,
) -> Option<Chart<P>> {
    let mut grouping = Grouping::new(study, axis);
    let single = grouping.take_single_lines();
    let headline = headline(&grouping.panels);
    let chart = Chart::new(
        format!("{}: speed-up over {}", study.algorithm, fewest(&grouping.panels)),
        grouping.row,
        draw(&grouping.panels),
        caption::of_samples(study, &reading(grouping.lines, single)),
    );
    Some(chart?.under(headline))
}

/// `time-sweep scales best: 1.96 × from 1 to 2 threads`.
fn headline(panels: &[super::Panel]) -> Option<String> {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let last = |line: &super::Line| Some((line.ends()?, *curve(line).points.last()?));
    let mut ends: Vec<_> =
        lines.filter_map(|line| Some((line.name.as_str(), last(line)?))).collect();
    ends.sort_by(|(_, (_, a)), (_, (_, b))| b.y.total_cmp(&a.y));
    let (name, ((first, most), best)) = ends.first()?;
    let speed_up = format!("{} from {first} to {most} threads", units::times(best.y));
    let others = ends.iter().skip(1).filter(|(other, _)| other != name);
    let is_close = |point: &Point| match (best.interval, point.interval) {
        (Some((low, _)), Some((_, high))) => low <= high,
        _ => true,
    };
    Some(match others.map(|(_, (_, point))| point).any(is_close) {
        true => format!("No variant clearly scales best: up to {speed_up}"),
        false => format!("{name} scales best: {speed_up}"),
    })
}

/// The speed-ups at the maximum number of threads, the best one first, with the ideal.
fn bar_panel(panel: &super::Panel) -> BarPanel {
    let bar = |line: &super::Line| {
        let Point { y, interval, .. } = *curve(line).points.last()?;
        Some(Bar { interval, ..Bar::new(&line.name, y, units::times(y), line.style) })
    };
    let mut bars: Vec<Bar> = panel.lines.iter().filter_map(bar).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    BarPanel {
        reference: panel.lines.iter().find_map(super::Line::ends).map(|(first, last)| last / first),
        ..BarPanel::new(panel.title.clone(), SPEED_UP, bars)
    }
}

/// Ideals through the first points of the lines, then the lines themselves.
fn with_ideals(panel: &super::Panel) -> Vec<line_panels::Line> {
    let mut ideals: Vec<(f64, f64)> = Vec::new();
    for (first, last) in panel.lines.iter().filter_map(super::Line::ends) {
        match ideals.iter_mut().find(|ideal| ideal.0 == first) {
            Some(ideal) => ideal.1 = ideal.1.max(last),
            None => ideals.push((first, last)),
        }
    }
    let ideal = |(first, last): (f64, f64)| {
        let points = vec![Point::new(first, 1.0), Point::new(last, last / first)];
        line_panels::Line::reference(IDEAL, points)
    };
    ideals.into_iter().map(ideal).chain(panel.lines.iter().map(curve)).collect()
}

fn curve(line: &super::Line) -> line_panels::Line {
    let points = line.rows.iter().map(|(x, row)| match line.rows.first() {
        Some((first, base)) if x > first => speedup_point(*x, base, row),
        _ => Point::new(*x, 1.0),
    });
    line_panels::Line::curve(&line.name, line.style, points.collect())
}

/// The speed-up of `row` over `base`.
fn speedup_point(x: f64, base: &SummaryRow, row: &SummaryRow) -> Point {
    let ratio = |((base_low, base_high), (low, high))| (base_low / high, base_high / low);
    Point {
        x,
        y: median(base) / median(row),
        interval: interval(base).zip(interval(row)).map(ratio),
    }
}

/// `1 thread`.
fn fewest(panels: &[super::Panel]) -> String {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let first = |line: &super::Line| Some(line.rows.first()?.1.threads);
    let fewest: BTreeSet<usize> = lines.filter_map(first).collect();
    match fewest.first() {
        Some(threads) if fewest.len() == 1 => units::counted(*threads, "thread"),
        _ => "the fewest threads".to_owned(),
    }
}

fn reading(lines: Lines, single: usize) -> String {
    let line = match lines {
        Lines::Variants => "variant",
        Lines::Placements => "variant and placement",
    };
    format!(
        "values: median at the fewest threads of the same {line} over the median, whiskers: ratios \
         of the ends of the two 95 % confidence intervals, dashed: ideal, proportional to the \
         threads{}",
        super::not_shown(single)
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{of_study, row};
    use super::*;

    fn of_axis(rows: &[SummaryRow], axis: &str) -> Chart<LinePanel> {
        of_study(rows, &[], |study| figure(study, study.varying_axis(axis).expect("it varies")))
    }

    #[test]
    fn varying_sizes_have_times_per_item() {
        let sized = |items: u64| SummaryRow {
            items,
            ..row("a", &format!("digis={items}"), 2e-9 * items as f64)
        };
        let chart = of_axis(&[sized(1000), sized(1_000_000)], "digis");
        assert_eq!(chart.title, "sort: time per digi over digis");
        let points = &chart.panels[0].lines[0].points;
        assert!(points.iter().all(|point| (point.y - 2e-9).abs() < 1e-15));
        let chart =
            of_axis(&[row("a", "segments=24", 1e-3), row("a", "segments=48", 1e-3)], "segments");
        assert_eq!(chart.title, "sort: time over segments");
    }

    fn at(variant: &str, threads: usize, median: f64) -> SummaryRow {
        SummaryRow { threads, ..row(variant, "n=1", median) }
    }

    #[test]
    fn the_interval_is_the_ratio_of_the_ends() {
        let base =
            SummaryRow { ci95_low_s: Some(8.0), ci95_high_s: Some(12.0), ..at("a", 1, 10.0) };
        let row = SummaryRow { ci95_low_s: Some(4.0), ci95_high_s: Some(6.0), ..at("a", 2, 5.0) };
        let expected = Point { x: 2.0, y: 2.0, interval: Some((8.0 / 6.0, 3.0)) };
        assert_eq!(speedup_point(2.0, &base, &row), expected);
    }

    #[test]
    fn each_line_is_compared_with_its_own_fewest_threads() {
        let rows = [at("a", 1, 8.0), at("a", 4, 2.0), at("b", 2, 8.0), at("b", 8, 4.0)];
        let figure = of_study(&rows, &[], speedup_lines).expect("lines");
        assert_eq!(figure.title, "sort: speed-up over the fewest threads");
        let lines = figure.panels[0].lines.iter();
        let names: Vec<_> = lines.map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ideal", "ideal", "a", "b"]);
    }

    #[test]
    fn two_numbers_of_threads_have_bars_the_best_first() {
        let rows = [at("a", 1, 8.0), at("a", 2, 5.0), at("b", 1, 8.0), at("b", 2, 4.0)];
        let panel = of_study(&rows, &[], speedup_bars).expect("bars").panels.remove(0);
        let phrases: Vec<_> = panel.bars.iter().map(|bar| bar.words.as_str()).collect();
        assert_eq!((phrases, panel.reference), (vec!["2.00 ×", "1.60 ×"], Some(2.0)));
        let headline = of_study(&rows, &[], speedup_bars).and_then(|chart| chart.headline);
        assert_eq!(headline.as_deref(), Some("b scales best: 2.00 × from 1 to 2 threads"));
    }

    #[test]
    fn a_line_with_one_number_of_threads_is_left_out_and_counted() {
        let rows = [at("a", 1, 8.0), at("a", 2, 4.0), at("b", 2, 4.0)];
        let chart = of_study(&rows, &[], speedup_bars).expect("bars");
        assert_eq!(chart.panels[0].bars.len(), 1);
        assert!(chart.caption[2].contains("; 1 line with a single number of threads not shown"));
        assert!(of_study(&[rows[0].clone(), rows[2].clone()], &[], speedup_bars).is_none());
    }
}
