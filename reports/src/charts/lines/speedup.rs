//! How many times faster a line is than at its fewest threads.
//!
//! Both axes spread alike, so that the ideal, in proportion to the threads, is a
//! straight line.

use std::collections::BTreeSet;

use super::super::axes::Axis;
use super::super::caption;
use super::super::figure::Figure;
use super::super::number_axis;
use super::super::palette::Style;
use super::super::scale::Scale;
use super::super::study::{Study, interval, median};
use super::curves::{self, Chart, Curve, Panel, Point, YAxis};
use super::grouping::{self, Grouping, Line, Lines};
use super::{THREADS, x_axis};
use crate::record::SummaryRow;
use crate::shape;

/// The name of the reference in the legend.
const IDEAL: &str = "ideal";

/// The chart of a study, if a line of it has several numbers of threads.
pub fn figure(study: &Study) -> Option<Figure> {
    let axis = study.varying_axis(THREADS)?;
    let mut grouping = Grouping::new(study, axis);
    let single = grouping.take_single_lines();
    if grouping.panels.is_empty() {
        return None;
    }
    let panels: Vec<Panel> = grouping.panels.iter().map(panel).collect();
    let chart = Chart {
        title: format!("{}: speed-up over threads", study.algorithm),
        axis,
        y: YAxis {
            name: y_name(&grouping.panels),
            scale: scale(axis, &panels),
            ruler: number_axis::ruler,
        },
        panels,
        row: grouping.row,
        caption: caption::of_samples(study, &reading(grouping.lines, single)),
    };
    Some(chart.figure())
}

/// The ideals of the lines' beginnings under the lines.
fn panel(panel: &grouping::Panel) -> Panel {
    let mut ideals: Vec<(f64, f64)> = Vec::new();
    for (first, last) in panel.lines.iter().filter_map(Line::ends) {
        match ideals.iter_mut().find(|ideal| ideal.0 == first) {
            Some(ideal) => ideal.1 = ideal.1.max(last),
            None => ideals.push((first, last)),
        }
    }
    let ideals = ideals.into_iter().map(ideal);
    Panel {
        title: panel.title.clone(),
        curves: ideals.chain(panel.lines.iter().map(curve)).collect(),
    }
}

fn ideal((first, last): (f64, f64)) -> Curve {
    let point = |x: f64| Point { x, y: x / first, interval: None };
    Curve {
        name: IDEAL.to_owned(),
        style: Style::reference(),
        points: vec![point(first), point(last)],
    }
}

fn curve(line: &Line) -> Curve {
    let points = line.rows.iter().map(|(x, row)| match line.rows.first() {
        Some((first, base)) if x > first => point(*x, base, row),
        _ => Point { x: *x, y: 1.0, interval: None },
    });
    Curve { name: line.name.clone(), style: line.style, points: points.collect() }
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

/// Around all values, spread as the threads are.
fn scale(axis: &Axis, panels: &[Panel]) -> Scale {
    let (low, high) = curves::extent(panels);
    Scale::new(low, high, x_axis::scale(axis).spread())
}

/// `speed-up over 1 thread`.
fn y_name(panels: &[grouping::Panel]) -> String {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let first = |line: &Line| Some(line.rows.first()?.1.threads);
    let fewest: BTreeSet<usize> = lines.filter_map(first).collect();
    match fewest.first() {
        Some(threads) if fewest.len() == 1 => {
            let threads = shape::phrase(THREADS, &threads.to_string());
            format!("speed-up over {threads}")
        }
        _ => "speed-up over the fewest threads".to_owned(),
    }
}

fn reading(lines: Lines, single: usize) -> String {
    let line = match lines {
        Lines::Variants => "variant",
        Lines::Placements => "variant and placement",
    };
    format!(
        "markers: median at the fewest threads of the same {line} over the median, whiskers: \
         ratios of the ends of the two 95 % confidence intervals, ideal: in proportion to the \
         threads{}",
        grouping::not_shown(single)
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{row, run};
    use super::super::super::study::SeriesNames;
    use super::*;

    fn at(variant: &str, threads: usize, median: f64) -> SummaryRow {
        SummaryRow { threads, ..row(variant, "n=1", median) }
    }

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
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
        let rows = [at("a", 1, 8.0), at("a", 4, 2.0), at("b", 2, 8.0), at("b", 4, 4.0)];
        let figure = of(&rows).expect("threads vary");
        assert_eq!(figure.plots[0].y.label, "speed-up over the fewest threads");
        let names: Vec<_> = figure.legend.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "ideal"]);
    }

    #[test]
    fn a_line_with_one_number_of_threads_is_left_out_and_counted() {
        let rows = [at("a", 1, 8.0), at("a", 2, 4.0), at("b", 2, 4.0)];
        let figure = of(&rows).expect("threads vary");
        assert_eq!(figure.legend.len(), 2);
        assert!(figure.caption[2].contains("; 1 line with a single number of threads not shown"));
        assert!(of(&[at("a", 1, 8.0), at("b", 2, 4.0)]).is_none());
    }
}
