//! Speed-up of a line relative to its smallest number of threads.
//!
//! Both axes have the same spread, so that the ideal, proportional to the threads, is a straight
//! line. With only two numbers of threads lines would coincide: these get bars.

use std::collections::BTreeSet;

use super::super::axes::Axis;
use super::super::bar_panels::{Bar, BarPanel};
use super::super::caption;
use super::super::chart::{Chart, Panel};
use super::super::line_panels::{self, LinePanel, Point};
use super::super::scale::Scale;
use super::super::study::{Study, interval, median};
use super::super::unit::Unit;
use super::grouping::{self, Grouping, Line, Lines};
use super::{THREADS, x_axis};
use crate::record::SummaryRow;
use crate::units;

/// The name of the reference in the legend.
const IDEAL: &str = "ideal";
const SPEED_UP: Unit = Unit::Factor("speed-up");

/// Chart of lines over three numbers of threads or more, if a line of the study has several.
pub fn lines(study: &Study) -> Option<Chart<LinePanel>> {
    let axis = study.varying_axis(THREADS).filter(|axis| axis.values.len() > 2)?;
    chart(study, axis, |panels| {
        let lines = panels.iter().map(|panel| (panel.title.clone(), with_ideals(panel)));
        let y = |low, high| Scale::new(low, high, x_axis::scale(axis).spread);
        line_panels::panels_over(&x_axis::with_ticks(axis), SPEED_UP, y, lines.collect())
    })
}

/// Chart of bars at the larger one of two numbers of threads, if a line of the study has both.
pub fn bars(study: &Study) -> Option<Chart<BarPanel>> {
    let axis = study.varying_axis(THREADS).filter(|axis| axis.values.len() == 2)?;
    chart(study, axis, |panels| panels.iter().map(bar_panel).collect())
}

fn chart<P: Panel>(
    study: &Study,
    axis: &Axis,
    draw: impl FnOnce(&[grouping::Panel]) -> Vec<P>,
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
fn headline(panels: &[grouping::Panel]) -> Option<String> {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let last = |line: &Line| Some((line.ends()?, *curve(line).points.last()?));
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
fn bar_panel(panel: &grouping::Panel) -> BarPanel {
    let bar = |line: &Line| {
        let Point { y, interval, .. } = *curve(line).points.last()?;
        Some(Bar { interval, ..Bar::new(&line.name, y, units::times(y), line.style) })
    };
    let mut bars: Vec<Bar> = panel.lines.iter().filter_map(bar).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    BarPanel {
        reference: panel.lines.iter().find_map(Line::ends).map(|(first, last)| last / first),
        ..BarPanel::new(panel.title.clone(), SPEED_UP, bars)
    }
}

/// Ideals through the first points of the lines, then the lines themselves.
fn with_ideals(panel: &grouping::Panel) -> Vec<line_panels::Line> {
    let mut ideals: Vec<(f64, f64)> = Vec::new();
    for (first, last) in panel.lines.iter().filter_map(Line::ends) {
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

fn curve(line: &Line) -> line_panels::Line {
    let points = line.rows.iter().map(|(x, row)| match line.rows.first() {
        Some((first, base)) if x > first => point(*x, base, row),
        _ => Point::new(*x, 1.0),
    });
    line_panels::Line::curve(&line.name, line.style, points.collect())
}

/// The speed-up of `row` over `base`.
fn point(x: f64, base: &SummaryRow, row: &SummaryRow) -> Point {
    let ratio = |((base_low, base_high), (low, high))| (base_low / high, base_high / low);
    Point {
        x,
        y: median(base) / median(row),
        interval: interval(base).zip(interval(row)).map(ratio),
    }
}

/// `1 thread`.
fn fewest(panels: &[grouping::Panel]) -> String {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let first = |line: &Line| Some(line.rows.first()?.1.threads);
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
        grouping::not_shown(single)
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{of_study, row};
    use super::*;

    fn at(variant: &str, threads: usize, median: f64) -> SummaryRow {
        SummaryRow { threads, ..row(variant, "n=1", median) }
    }

    #[test]
    fn the_interval_is_the_ratio_of_the_ends() {
        let base =
            SummaryRow { ci95_low_s: Some(8.0), ci95_high_s: Some(12.0), ..at("a", 1, 10.0) };
        let row = SummaryRow { ci95_low_s: Some(4.0), ci95_high_s: Some(6.0), ..at("a", 2, 5.0) };
        let expected = Point { x: 2.0, y: 2.0, interval: Some((8.0 / 6.0, 3.0)) };
        assert_eq!(point(2.0, &base, &row), expected);
    }

    #[test]
    fn each_line_is_compared_with_its_own_fewest_threads() {
        let rows = [at("a", 1, 8.0), at("a", 4, 2.0), at("b", 2, 8.0), at("b", 8, 4.0)];
        let figure = of_study(&rows, &[], lines).expect("lines");
        assert_eq!(figure.title, "sort: speed-up over the fewest threads");
        let lines = figure.panels[0].lines.iter();
        let names: Vec<_> = lines.map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ideal", "ideal", "a", "b"]);
    }

    #[test]
    fn two_numbers_of_threads_have_bars_the_best_first() {
        let rows = [at("a", 1, 8.0), at("a", 2, 5.0), at("b", 1, 8.0), at("b", 2, 4.0)];
        let panel = of_study(&rows, &[], bars).expect("bars").panels.remove(0);
        let phrases: Vec<_> = panel.bars.iter().map(|bar| bar.words.as_str()).collect();
        assert_eq!((phrases, panel.reference), (vec!["2.00 ×", "1.60 ×"], Some(2.0)));
        let headline = of_study(&rows, &[], bars).and_then(|chart| chart.headline);
        assert_eq!(headline.as_deref(), Some("b scales best: 2.00 × from 1 to 2 threads"));
    }

    #[test]
    fn a_line_with_one_number_of_threads_is_left_out_and_counted() {
        let rows = [at("a", 1, 8.0), at("a", 2, 4.0), at("b", 2, 4.0)];
        let chart = of_study(&rows, &[], bars).expect("bars");
        assert_eq!(chart.panels[0].bars.len(), 1);
        assert!(chart.caption[2].contains("; 1 line with a single number of threads not shown"));
        assert!(of_study(&[rows[0].clone(), rows[2].clone()], &[], bars).is_none());
    }
}
