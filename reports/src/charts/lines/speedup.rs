//! How many times faster a line is than at its fewest threads.
//!
//! Both axes spread alike, so that the ideal, in proportion to the threads, is a
//! straight line. Of two numbers of threads all lines would lie on each other: they have bars.

use std::collections::BTreeSet;

use super::super::axes::Axis;
use super::super::bar_panels::{Bar, BarPanel, BarPanels};
use super::super::caption;
use super::super::line_panels::{self, Kind, LinePanel, LinePanels, Point};
use super::super::page::Drawing;
use super::super::palette::Style;
use super::super::scale::Scale;
use super::super::study::{Study, interval, median};
use super::super::unit::Unit;
use super::grouping::{self, Grouping, Line, Lines};
use super::{THREADS, x_axis};
use crate::record::SummaryRow;
use crate::{shape, units};

/// The name of the reference in the legend.
const IDEAL: &str = "ideal";

/// The chart of a study, if a line of it has several numbers of threads.
pub fn figure(study: &Study) -> Option<Drawing> {
    let axis = study.varying_axis(THREADS)?;
    let mut grouping = Grouping::new(study, axis);
    let single = grouping.take_single_lines();
    if grouping.panels.is_empty() {
        return None;
    }
    let columns = super::super::columns(grouping.row, grouping.panels.len());
    let title = format!("{}: speed-up over {}", study.algorithm, fewest(&grouping.panels));
    let caption = caption::of_samples(study, &reading(grouping.lines, single));
    let panels = &grouping.panels;
    Some(match axis.values.len() {
        2 => {
            BarPanels { title, panels: panels.iter().map(bars).collect(), columns, caption }.into()
        }
        _ => LinePanels { title, panels: curves(axis, panels), columns, has_legend: true, caption }
            .into(),
    })
}

fn curves(axis: &Axis, panels: &[grouping::Panel]) -> Vec<LinePanel> {
    let lines: Vec<_> = panels.iter().map(lines).collect();
    let y = scale(axis, lines.iter().flatten());
    let panel = |(panel, lines): (&grouping::Panel, Vec<line_panels::Line>)| LinePanel {
        title: panel.title.clone(),
        x: x_axis::of(axis),
        y,
        unit: Unit::Factor("speed-up"),
        lines,
        cuts: Vec::new(),
    };
    panels.iter().zip(lines).map(panel).collect()
}

/// The speed-ups at the most threads, the best one first, beside the ideal.
fn bars(panel: &grouping::Panel) -> BarPanel {
    let bar = |line: &Line| {
        let Point { y, interval, .. } = *curve(line).points.last()?;
        Some(Bar {
            name: line.name.clone(),
            value: y,
            interval,
            dots: Vec::new(),
            is_unsure: false,
            words: units::times(y),
            style: line.style,
        })
    };
    let mut bars: Vec<Bar> = panel.lines.iter().filter_map(bar).collect();
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    BarPanel {
        title: panel.title.clone(),
        unit: Unit::Factor("speed-up"),
        bars,
        refused: Vec::new(),
        reference: panel.lines.iter().find_map(Line::ends).map(|(first, last)| last / first),
    }
}

/// The ideals of the lines' beginnings under the lines.
fn lines(panel: &grouping::Panel) -> Vec<line_panels::Line> {
    let mut ideals: Vec<(f64, f64)> = Vec::new();
    for (first, last) in panel.lines.iter().filter_map(Line::ends) {
        match ideals.iter_mut().find(|ideal| ideal.0 == first) {
            Some(ideal) => ideal.1 = ideal.1.max(last),
            None => ideals.push((first, last)),
        }
    }
    ideals.into_iter().map(ideal).chain(panel.lines.iter().map(curve)).collect()
}

fn ideal((first, last): (f64, f64)) -> line_panels::Line {
    let point = |x: f64| Point { x, y: x / first, interval: None };
    line_panels::Line {
        name: IDEAL.to_owned(),
        style: Style::reference(),
        kind: Kind::Reference,
        points: vec![point(first), point(last)],
    }
}

fn curve(line: &Line) -> line_panels::Line {
    let points = line.rows.iter().map(|(x, row)| match line.rows.first() {
        Some((first, base)) if x > first => point(*x, base, row),
        _ => Point { x: *x, y: 1.0, interval: None },
    });
    line_panels::Line {
        name: line.name.clone(),
        style: line.style,
        kind: Kind::Curve,
        points: points.collect(),
    }
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
fn scale<'a>(axis: &Axis, lines: impl Iterator<Item = &'a line_panels::Line>) -> Scale {
    let (low, high) = line_panels::extent(lines);
    Scale::new(low, high, x_axis::scale(axis).spread())
}

/// `1 thread`.
fn fewest(panels: &[grouping::Panel]) -> String {
    let lines = panels.iter().flat_map(|panel| &panel.lines);
    let first = |line: &Line| Some(line.rows.first()?.1.threads);
    let fewest: BTreeSet<usize> = lines.filter_map(first).collect();
    match fewest.first() {
        Some(threads) if fewest.len() == 1 => shape::phrase(THREADS, &threads.to_string()),
        _ => "the fewest threads".to_owned(),
    }
}

fn reading(lines: Lines, single: usize) -> String {
    let line = match lines {
        Lines::Variants => "variant",
        Lines::Placements => "variant and placement",
    };
    format!(
        "values: median at the fewest threads of the same {line} over the median, whiskers: \
         ratios of the ends of the two 95 % confidence intervals, dashed: in proportion to the \
         threads, the ideal{}",
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

    fn of(rows: &[SummaryRow]) -> Option<Drawing> {
        let (run, names) = (run(), SeriesNames::new(rows));
        figure(&Study::new(&run, "sort", rows, &[], &names))
    }

    fn lines_of(rows: &[SummaryRow]) -> LinePanels {
        let Some(Drawing::Lines(chart)) = of(rows) else { panic!("no lines") };
        chart
    }

    fn bars_of(rows: &[SummaryRow]) -> BarPanels {
        let Some(Drawing::Bars(chart)) = of(rows) else { panic!("no bars") };
        chart
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
        let figure = lines_of(&rows);
        assert_eq!(figure.title, "sort: speed-up over the fewest threads");
        let lines = figure.panels[0].lines.iter();
        let names: Vec<_> = lines.map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ideal", "ideal", "a", "b"]);
    }

    #[test]
    fn two_numbers_of_threads_have_bars_the_best_first() {
        let rows = [at("a", 1, 8.0), at("a", 2, 5.0), at("b", 1, 8.0), at("b", 2, 4.0)];
        let panel = bars_of(&rows).panels.remove(0);
        let said: Vec<_> = panel.bars.iter().map(|bar| bar.words.as_str()).collect();
        assert_eq!((said, panel.reference), (vec!["2.00 ×", "1.60 ×"], Some(2.0)));
    }

    #[test]
    fn a_line_with_one_number_of_threads_is_left_out_and_counted() {
        let chart = bars_of(&[at("a", 1, 8.0), at("a", 2, 4.0), at("b", 2, 4.0)]);
        assert_eq!(chart.panels[0].bars.len(), 1);
        assert!(chart.caption[2].contains("; 1 line with a single number of threads not shown"));
        assert!(of(&[at("a", 1, 8.0), at("b", 2, 4.0)]).is_none());
    }
}
