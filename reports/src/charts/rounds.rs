//! The samples over the rounds they were taken in: drift of the machine shows.

use std::collections::HashMap;

use super::axes::{self, Axis, Panel};
use super::caption;
use super::line_panels::{self, Kind, Line, LinePanel, LinePanels, Point};
use super::lines::x_axis;
use super::scale::Scale;
use super::study::Study;
use super::unit::Unit;
use crate::record::{SampleRow, SummaryRow};

const READING: &str = "markers: single samples in the order of the rounds";

/// The samples of points by their ids.
type ByPoint<'a> = HashMap<&'a str, Vec<&'a SampleRow>>;

/// The chart of a study, if it has samples.
pub fn figure(study: &Study) -> Option<LinePanels> {
    let axes: Vec<&Axis> = study.varying.iter().collect();
    let panels = axes::panels(&study.rows, &axes);
    let by_point = study.samples_by_point();
    let last_round = by_point.values().flatten().map(|sample| sample.round).max()?;
    let lines_of = |panel: &Panel| -> Vec<Line> {
        panel.rows.iter().map(|row| line(study, &by_point, row)).collect()
    };
    let lines: Vec<Vec<Line>> = panels.iter().map(lines_of).collect();
    let (low, high) = line_panels::extent(lines.iter().flatten());
    if high == 0.0 {
        return None;
    }
    let panel = |(panel, lines): (Panel, Vec<Line>)| LinePanel {
        title: panel.title,
        x: x_axis::counted("round", 0, last_round),
        y: Scale::around(low, high),
        unit: Unit::Time("time of a sample"),
        lines,
        cuts: Vec::new(),
    };
    let last = axes.last().map_or(1, |axis| axis.values.len());
    Some(LinePanels {
        title: format!("{}: time over round", study.algorithm),
        columns: super::columns(last, panels.len()),
        panels: panels.into_iter().zip(lines).map(panel).collect(),
        has_legend: true,
        caption: caption::of_samples(study, READING),
    })
}

fn line(study: &Study, by_point: &ByPoint, row: &SummaryRow) -> Line {
    let name = study.series(row);
    let point =
        |sample: &&SampleRow| Point { x: sample.round as f64, y: sample.seconds, interval: None };
    let samples = by_point.get(row.point().id().as_str()).into_iter().flatten();
    Line {
        style: study.style(&name),
        name,
        kind: Kind::Curve,
        points: samples.map(point).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;
    use crate::record::SampleRow;

    #[test]
    fn each_sample_is_a_marker() {
        let rows = [row("a", "n=1", 1e-3)];
        let samples: Vec<_> =
            (0..7).map(|i| SampleRow::new(&rows[0].point(), "total", i, i, 1e-3)).collect();
        let (run, names) = (run(), SeriesNames::new(&rows));
        let study = Study::new(&run, "sort", &rows, &samples, &names);
        let panel = figure(&study).expect("there are samples").panels.remove(0);
        assert_eq!(panel.lines[0].points.len(), 7);
    }

    #[test]
    fn without_samples_there_is_no_chart() {
        let rows = [row("a", "n=1", 1e-3)];
        let (run, names) = (run(), SeriesNames::new(&rows));
        assert!(figure(&Study::new(&run, "sort", &rows, &[], &names)).is_none());
    }
}
