//! Grouping of rows into lines, and of lines into panels.
//!
//! Lines are variants, and any other varying axis makes panels. Over threads, placements are
//! compared: then they are the lines, and each variant has a panel.

use std::collections::BTreeMap;

use super::super::axes::{self, Axis, PLACEMENT};
use super::super::palette::Style;
use super::super::study::Study;
use super::THREADS;
use crate::record::SummaryRow;
use crate::shape;
use crate::units::counted;

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
            Lines::Placements => axes::placement(row),
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
        let panels = axes::panels(&study.rows, &others);
        let (panels, row) = match lines {
            Lines::Variants => (panels, axes::panels_a_row(&others)),
            Lines::Placements => (by_series(study, &panels), study.series_count()),
        };
        let panel = |panel: axes::Panel<'a>| Panel {
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
pub fn not_shown(lines: usize) -> String {
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

/// A panel for each series of each panel.
fn by_series<'a>(study: &Study, panels: &[axes::Panel<'a>]) -> Vec<axes::Panel<'a>> {
    let mut parts = Vec::new();
    for panel in panels {
        let mut series: BTreeMap<String, Vec<&'a SummaryRow>> = BTreeMap::new();
        for row in &panel.rows {
            series.entry(study.series(row)).or_default().push(row);
        }
        let part = |(name, rows): (String, _)| axes::Panel {
            title: match panel.title.as_str() {
                "" => name,
                title => [&name, title].join(shape::SEPARATOR),
            },
            rows,
        };
        parts.extend(series.into_iter().map(part));
    }
    parts
}

fn lines_of<'a>(
    study: &Study,
    lines: Lines,
    panel: &axes::Panel<'a>,
    axis: &Axis,
) -> Vec<Line<'a>> {
    let mut rows: BTreeMap<String, Vec<(f64, &'a SummaryRow)>> = BTreeMap::new();
    for row in &panel.rows {
        if let Ok(value) = axes::value_of(row, &axis.name).parse() {
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

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{of_study, row};
    use super::*;

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
}
