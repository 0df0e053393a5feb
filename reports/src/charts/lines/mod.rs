//! Lines over a numeric axis: time, speed-up by threads, and where a GPU breaks even. Rows are
//! grouped into lines, and lines into panels.
//!
//! | module | does |
//! |---|---|
//! | `time` | time and speed-up of the rows of lines |
//! | `break_even` | the fastest on CPU and GPU over the size, and their crossings |
//!
//! Lines are variants, and any other varying axis makes panels. Over threads, placements are
//! compared: then they are the lines, and each variant has a panel.

pub mod break_even;
pub mod time;

use std::collections::BTreeMap;

use super::line_panels::{self, LinePanel, Point, Tick, XAxis};
use super::palette::Style;
use super::scale::{Scale, Spread, Unit};
use super::study::{self, Axis, PLACEMENT, Study, interval, median};
use crate::record::SummaryRow;
use crate::shape;
use crate::units::counted;

/// The axis of strong scaling.
pub const THREADS: &str = "threads";
/// The axis that moves the work from few large pieces to many small ones.
const SEGMENTS: &str = "segments";

/// Axes of the charts of time: the numeric one with the most values, and those that show scaling.
/// Further axes would repeat in their panels what these show.
pub fn axes<'a>(study: &'a Study) -> Vec<&'a Axis> {
    let numeric = || study.varying.iter().filter(|axis| axis.numbers().is_some());
    let longest = longest(study);
    let is_asked_for = |axis: &&Axis| [THREADS, SEGMENTS].contains(&axis.name.as_str());
    let others = numeric().filter(|axis| is_asked_for(axis) && Some(*axis) != longest);
    longest.into_iter().chain(others).collect()
}

/// The numeric axis with the most values; of several, the first.
pub fn longest<'a>(study: &'a Study) -> Option<&'a Axis> {
    let numeric = study.varying.iter().filter(|axis| axis.numbers().is_some());
    numeric.rev().max_by_key(|axis| axis.values.len())
}

/// Logarithmic if the values span a decade, from zero otherwise.
pub fn scale(low: f64, high: f64) -> Scale {
    Scale::from_zero_or_log(low, high, Spread::beyond(10.0, low, high))
}

/// The median of a row with its whisker, divided by `items`.
fn point(x: f64, row: &SummaryRow, items: f64) -> Point {
    let interval = interval(row).map(|(low, high)| (low / items, high / items));
    Point { x, y: median(row) / items, interval }
}

/// Panels of lines.
#[derive(Clone, Debug)]
pub struct Grouping<'a> {
    /// Meaning of the lines.
    pub lines: Lines,
    /// Panels in reading order.
    pub panels: Vec<Panel<'a>>,
    /// Panels of a full row.
    pub row: usize,
}

/// Meaning of the lines of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The variants.
    Variants,
    /// The placements of one variant.
    Placements,
}

/// Lines with the values that distinguish them from those of other panels.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// `order = random`, `block-merge · order = random`.
    pub title: String,
    /// Lines sorted by name.
    pub lines: Vec<Line<'a>>,
}

/// The rows of one line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The variant, or the placement.
    pub name: String,
    /// Colour and marker.
    pub style: Style,
    /// Rows with their values of the axis, sorted by value.
    pub rows: Vec<(f64, &'a SummaryRow)>,
}

impl Lines {
    fn name(self, study: &Study, row: &SummaryRow) -> String {
        match self {
            Lines::Variants => study.series(row),
            Lines::Placements => study::placement(row),
        }
    }

    fn style(self, study: &Study, name: &str) -> Style {
        match self {
            Lines::Variants => study.style(name),
            Lines::Placements => study.placement_style(name),
        }
    }
}

impl<'a> Grouping<'a> {
    /// The lines of a study over `axis`.
    pub fn new(study: &Study<'a>, axis: &Axis) -> Grouping<'a> {
        let is_placement = |axis: &Axis| PLACEMENT.contains(&axis.name.as_str());
        let are_placements = axis.name == THREADS && study.varying.iter().any(is_placement);
        let lines = if are_placements { Lines::Placements } else { Lines::Variants };
        let mut others = study.varying.clone();
        others.retain(|other| other != axis && (lines == Lines::Variants || !is_placement(other)));
        let panels = study::panels(&study.rows, &others);
        let (panels, row) = match lines {
            Lines::Variants => (panels, study::panels_a_row(&others)),
            Lines::Placements => (by_series(study, &panels), study.series_count()),
        };
        let panel = |panel: study::Panel<'a>| Panel {
            lines: lines_of(study, lines, &panel, axis),
            title: panel.title,
        };
        Grouping { lines, panels: panels.into_iter().map(panel).collect(), row }
    }

    /// Removes the lines with a single value; returns their number.
    pub fn take_single_lines(&mut self) -> usize {
        let before = self.line_count();
        for panel in &mut self.panels {
            panel.lines.retain(|line| line.ends().is_some());
        }
        self.panels.retain(|panel| !panel.lines.is_empty());
        before - self.line_count()
    }

    /// Removes the panels of single values, unless all are; returns the number of their lines.
    pub fn take_single_panels(&mut self) -> usize {
        let before = self.line_count();
        let is_single = |panel: &Panel| panel.lines.iter().all(|line| line.ends().is_none());
        if !self.panels.iter().all(is_single) {
            self.panels.retain(|panel| !is_single(panel));
        }
        before - self.line_count()
    }

    fn line_count(&self) -> usize {
        self.panels.iter().map(|panel| panel.lines.len()).sum()
    }
}

/// `; 2 lines with a single number of threads not shown`.
fn not_shown(lines: usize) -> String {
    match lines {
        0 => String::new(),
        _ => format!("; {} with a single number of threads not shown", counted(lines, "line")),
    }
}

impl Line<'_> {
    /// The first and the last value of the axis, if they differ.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let first = self.rows.first()?.0;
        let last = self.rows.last()?.0;
        (first < last).then_some((first, last))
    }
}

/// A panel for the median of times and one for their 99th percentile, on one scale.
pub(super) fn median_and_p99(
    x: &XAxis,
    unit: Unit,
    title: &str,
    lines: [Vec<line_panels::Line>; 2],
) -> Vec<LinePanel> {
    let titles = ["median", "99th percentile"].map(|what| shape::joined([what, title]));
    line_panels::panels_over(x, unit, scale, titles.into_iter().zip(lines).collect())
}

/// A panel for each series of each panel.
fn by_series<'a>(study: &Study, panels: &[study::Panel<'a>]) -> Vec<study::Panel<'a>> {
    let mut parts = Vec::new();
    for panel in panels {
        let mut series: BTreeMap<String, Vec<&'a SummaryRow>> = BTreeMap::new();
        for row in &panel.rows {
            series.entry(study.series(row)).or_default().push(row);
        }
        let part = |(name, rows): (String, _)| study::Panel {
            title: shape::joined([&name, &panel.title]),
            rows,
        };
        parts.extend(series.into_iter().map(part));
    }
    parts
}

fn lines_of<'a>(
    study: &Study,
    lines: Lines,
    panel: &study::Panel<'a>,
    axis: &Axis,
) -> Vec<Line<'a>> {
    let mut rows: BTreeMap<String, Vec<(f64, &'a SummaryRow)>> = BTreeMap::new();
    for row in &panel.rows {
        if let Ok(value) = study::value_of(row, &axis.name).parse() {
            let name = lines.name(study, row);
            rows.entry(name).or_default().push((value, row));
        }
    }
    let line = |(name, mut rows): (String, Vec<(f64, &'a SummaryRow)>)| {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { style: lines.style(study, &name), name, rows }
    };
    rows.into_iter().map(line).collect()
}

/// Ratio of its ends from which on an axis is logarithmic. It is smaller for segments, which are
/// varied by factors.
fn log_from(axis: &Axis) -> f64 {
    if axis.name == SEGMENTS { 4.0 } else { 10.0 }
}

/// From the smallest value to the largest.
pub fn x_axis_scale(axis: &Axis) -> Scale {
    let numbers = axis.numbers().unwrap_or_default();
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Scale::new(low, high, Spread::beyond(log_from(axis), low, high))
}

/// Axis with ticks at the measured values if they fit, at round ones otherwise.
pub fn with_ticks(axis: &Axis) -> XAxis {
    let scale = x_axis_scale(axis);
    let tick = |(value, label)| Tick::new(value, label);
    let with_ticks = |ticks| XAxis { name: axis.name.label().to_owned(), scale, ticks };
    let numbers = axis.numbers().unwrap_or_default();
    let measured = with_ticks(numbers.into_iter().zip(axis.labels()).map(tick).collect());
    if axis.name == THREADS {
        // Ticks at numbers of threads that were not measured are of no use.
        return measured.thinned();
    }
    if measured.fits() {
        return measured;
    }
    let label = |value: f64| Tick::new(value, shape::short_value(&axis.name, &value.to_string()));
    let round = |count: usize| with_ticks(scale.ticks(count).into_iter().map(label).collect());
    let fitting = [10, 7, 5, 3].into_iter().map(round).find(XAxis::fits);
    fitting.unwrap_or_else(|| round(2))
}

/// Axis of counts: ticks between integers would mean nothing.
pub fn count_axis(name: &str, first: usize, last: usize) -> XAxis {
    let scale = Scale::new(first as f64, last as f64, Spread::Linear);
    let is_whole =
        |value: &f64| value.fract() == 0.0 && (first as f64..=last as f64).contains(value);
    let ticks = scale.ticks(8).into_iter().filter(is_whole);
    let ticks = ticks.map(|value| Tick::new(value, value.to_string())).collect();
    XAxis { name: name.to_owned(), scale, ticks }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;
    use crate::shape::AxisName;

    fn placed(variant: &str, threads: usize, cpu_sets: &str) -> SummaryRow {
        SummaryRow {
            threads,
            cpu_sets: cpu_sets.into(),
            bind: if cpu_sets == "none" { "false" } else { "close" }.into(),
            ..row(variant, "n=1", 1e-3)
        }
    }

    fn over_threads<T>(rows: &[SummaryRow], of: impl FnOnce(Grouping) -> T) -> T {
        of_study(rows, &[], |study| {
            of(Grouping::new(study, study.varying_axis(THREADS).expect("threads vary")))
        })
    }

    #[test]
    fn one_placement_leaves_the_lines_to_the_variants() {
        let rows = ["a", "b"].map(|name| [1, 2].map(|threads| placed(name, threads, "cores")));
        over_threads(&rows.concat(), |grouping| {
            let [panel] = &grouping.panels[..] else { panic!("several panels") };
            let names: Vec<_> = panel.lines.iter().map(|line| line.name.as_str()).collect();
            assert_eq!((panel.title.as_str(), names), ("", vec!["a", "b"]));
        });
    }

    #[test]
    fn panels_of_single_values_go_and_single_values_beside_lines_stay() {
        let gpu = SummaryRow { device: "cuda:0".into(), ..placed("gpu", 1, "none") };
        let lone = placed("a", 1, "none");
        let rows = [placed("a", 1, "cores"), placed("a", 2, "cores"), lone, gpu];
        over_threads(&rows, |mut grouping| {
            assert_eq!(grouping.take_single_panels(), 1);
            assert_eq!(grouping.panels.len(), 1);
            assert_eq!(grouping.panels[0].lines.len(), 2);
            assert_eq!(grouping.take_single_lines(), 1);
        });
    }

    #[test]
    fn a_chart_of_single_values_keeps_its_panels() {
        let rows = [placed("a", 1, "none"), placed("b", 2, "cores")];
        over_threads(&rows, |mut grouping| {
            assert_eq!(grouping.take_single_panels(), 0);
            assert_eq!(grouping.panels.len(), 2);
        });
    }

    fn axis(name: &str, values: &[u32]) -> Axis {
        Axis { name: AxisName::count(name), values: values.iter().map(u32::to_string).collect() }
    }

    #[test]
    fn measured_values_are_ticks_and_of_threads_the_most_always() {
        let labels = |name: &str, values: &[u32]| -> Vec<String> {
            with_ticks(&axis(name, values)).ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels("segments", &[24, 240, 1792]), ["24", "240", "1792"]);
        let expected = ["1", "2", "4", "8", "16", "32", "64", "144"];
        assert_eq!(labels("threads", &[1, 2, 4, 8, 16, 32, 64, 128, 144]), expected);
    }

    #[test]
    fn segments_are_logarithmic_from_a_factor_of_four_on_and_others_of_ten() {
        let spread = |name: &str, values: &[u32]| x_axis_scale(&axis(name, values)).spread;
        assert_eq!(spread("segments", &[24, 96]), Spread::Log);
        assert_eq!(spread("segments", &[24, 95]), Spread::Linear);
        assert_eq!(spread("digis", &[24, 96]), Spread::Linear);
        assert_eq!(spread("threads", &[1, 144]), Spread::Log);
    }

    #[test]
    fn counts_have_integer_ticks() {
        let labels = count_axis("round", 0, 6).ticks.into_iter().map(|tick| tick.label);
        assert!(labels.into_iter().all(|label| !label.contains('.')));
    }
}
