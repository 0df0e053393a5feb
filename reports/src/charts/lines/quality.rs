//! Quality of outputs over an axis of the data: a panel for each metric.
//!
//! Variants with equal results would hide each other's lines: where all agree there is one line.

use std::collections::BTreeMap;

use super::super::axes::Axis;
use super::super::caption;
use super::super::chart::{Chart, columns};
use super::super::line_panels::{self, Line, LinePanel, Point};
use super::super::palette::{Palette, Style};
use super::super::quality::{reading, the_only_value, variants_agree, with_quality};
use super::super::scale::{Scale, Spread};
use super::super::study::Study;
use super::super::unit::Unit;
use super::grouping::{self, Grouping};
use super::{longest, scale, x_axis};
use crate::quality::Quality;
use crate::shape;

/// Name of the line of all variants, where they agree.
const ALL: &str = "all variants";

/// The chart of a study with metrics of quality, and its axis, if there is an axis of the data that
/// changes them.
pub fn figure(study: &Study) -> Option<(String, Chart<LinePanel>)> {
    let (study, _) = with_quality(study)?;
    let axis = longest(&study)?;
    let varies = |quality: &Quality| {
        let is_known = study.rows.iter().any(|row| quality.value(row).is_some());
        is_known && the_only_value(&study.rows, *quality).is_none()
    };
    let grouping = Grouping::new(&study, axis);
    let shown: Vec<_> =
        Quality::known(study.rows.iter().copied()).into_iter().filter(varies).collect();
    let panels = shown.iter().flat_map(|quality| panels(&study, axis, &grouping, *quality));
    let panels: Vec<_> = panels.collect();
    let count = panels.len();
    let natural = grouping.panels.len();
    let chart = Chart::new(
        format!("{}: quality over {}", study.algorithm, axis.name),
        columns(if natural > 1 { natural } else { count }, count),
        panels,
        caption::caption(&study, &reading(&shown)),
    )?;
    Some((axis.name.to_string(), chart))
}

/// The panels of a metric, one for each setting of the other axes.
fn panels(study: &Study, axis: &Axis, grouping: &Grouping<'_>, quality: Quality) -> Vec<LinePanel> {
    let agree = variants_agree(study, quality);
    let lines = grouping.panels.iter().map(|panel| {
        let lines = panel.lines.iter().map(|line| chart_line(line, quality));
        let lines: Vec<_> = lines.filter(|line| !line.points.is_empty()).collect();
        let title = match panel.title.as_str() {
            "" => quality.name.to_owned(),
            title => [quality.name, title].join(shape::SEPARATOR),
        };
        (title, if agree { vec![of_all(&lines)] } else { lines })
    });
    let y = if quality.should_be_one() { near_one } else { scale };
    line_panels::panels_over(
        &x_axis::with_ticks(axis),
        Unit::Number(quality.name),
        y,
        lines.collect(),
    )
}

fn chart_line(line: &grouping::Line, quality: Quality) -> Line {
    let known = line.rows.iter().filter_map(|(x, row)| Some(Point::new(*x, quality.value(row)?)));
    Line::curve(&line.name, line.style, known.collect())
}

/// One line for variants that agree, at all values that any of them has.
fn of_all(lines: &[Line]) -> Line {
    let points = lines.iter().flat_map(|line| &line.points);
    let by_x: BTreeMap<_, _> = points.map(|point| (point.x.to_bits(), *point)).collect();
    let mut points: Vec<Point> = by_x.into_values().collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Line::curve(ALL, style(), points)
}

/// Style of the line of all variants, the same in all charts.
fn style() -> Style {
    Palette::new([ALL.to_owned()]).style(ALL)
}

/// Linear scale near 1: efficiencies would be a flat line on a scale from zero.
fn near_one(low: f64, high: f64) -> Scale {
    Scale::new(low, high, Spread::Linear)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{of_study, row};
    use super::*;
    use crate::record::SummaryRow;

    fn good(variant: &str, params: &str, efficiency: &str) -> SummaryRow {
        let mut row = row(variant, params, 1e-3);
        row.metrics.set("efficiency", efficiency);
        row.metrics.set("ghosts", "0.1");
        row
    }

    fn drawn(rows: &[SummaryRow]) -> Option<(String, Chart<LinePanel>)> {
        of_study(rows, &[], figure)
    }

    #[test]
    fn variants_that_agree_have_one_line_over_the_data_only() {
        let at = |n: &str, threads: usize, efficiency: &str| {
            ["a", "b"].map(|variant| SummaryRow { threads, ..good(variant, n, efficiency) })
        };
        let all = [("n=1", "0.99"), ("n=7", "0.9")]
            .map(|(n, efficiency)| [1, 2, 4].map(|threads| at(n, threads, efficiency)).concat());
        let (axis, chart) = drawn(&all.concat()).expect("it varies");
        assert_eq!((axis.as_str(), chart.panels.len()), ("n", 1), "ghosts are the same for all");
        let panel = &chart.panels[0];
        assert_eq!((panel.title.as_str(), panel.lines[0].name.as_str()), ("efficiency", ALL));
        let points: Vec<_> = panel.lines[0].points.iter().map(|p| (p.x, p.y)).collect();
        assert_eq!((panel.lines.len(), points), (1, vec![(1.0, 0.99), (7.0, 0.9)]));
    }

    #[test]
    fn variants_that_differ_have_a_line_each_and_other_axes_panels() {
        let rows = ["x", "y"].map(|order| {
            [("a", 1, "0.9"), ("a", 2, "0.8"), ("b", 1, "0.7"), ("b", 2, "0.6")].map(
                |(variant, n, efficiency)| {
                    good(variant, &format!("n={n};order={order}"), efficiency)
                },
            )
        });
        let (_, chart) = drawn(&rows.concat()).expect("it varies");
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["efficiency · order = x", "efficiency · order = y"]);
        let names = chart.panels[0].lines.iter().map(|line| line.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn without_an_axis_of_the_data_or_figures_there_is_no_such_chart() {
        let threads = [1, 2].map(|threads| SummaryRow { threads, ..good("a", "n=1", "0.9") });
        assert!(drawn(&threads).is_none());
        assert!(drawn(&[row("a", "n=1", 1.0), row("a", "n=2", 1.0)]).is_none());
        let same = ["n=1", "n=2"].map(|n| good("a", n, "0.9"));
        assert!(drawn(&same).is_none());
    }
}
