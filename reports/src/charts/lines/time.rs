//! The time over an axis.

use super::super::axes::Axis;
use super::super::caption;
use super::super::figure::Figure;
use super::super::scale::{Scale, Spread};
use super::super::study::{Study, interval, median};
use super::super::time_axis;
use super::curves::{self, Chart, Curve, Panel, Point, YAxis};
use super::grouping::{self, Grouping, Line, Lines};
use crate::record::SummaryRow;

const READING: &str = "markers: median, whiskers: 95 % confidence interval of the median";

/// The chart of a study over `axis`.
pub fn figure(study: &Study, axis: &Axis) -> Figure {
    let mut grouping = Grouping::new(study, axis);
    // A device without placements has nothing to compare in a panel of its own.
    let single = match grouping.lines {
        Lines::Variants => 0,
        Lines::Placements => grouping.take_single_panels(),
    };
    let panels: Vec<Panel> = grouping
        .panels
        .iter()
        .map(|panel| Panel {
            title: panel.title.clone(),
            curves: panel.lines.iter().map(curve).collect(),
        })
        .collect();
    let reading = format!("{READING}{}", grouping::not_shown(single));
    let chart = Chart {
        title: format!("{}: time over {}", study.algorithm, axis.name),
        axis,
        y: YAxis { name: "median time".into(), scale: scale(&panels), ruler: time_axis::ruler },
        panels,
        row: grouping.row,
        caption: caption::of_samples(study, &reading),
    };
    chart.figure()
}

fn curve(line: &Line) -> Curve {
    let point =
        |(x, row): &(f64, &SummaryRow)| Point { x: *x, y: median(row), interval: interval(row) };
    Curve {
        name: line.name.clone(),
        style: line.style,
        points: line.rows.iter().map(point).collect(),
    }
}

/// Logarithmic if the times span a decade, from zero otherwise.
fn scale(panels: &[Panel]) -> Scale {
    let (low, high) = curves::extent(panels);
    let around = Scale::around(low, high);
    match around.spread() {
        Spread::Log => around,
        Spread::Linear => Scale::from_zero(high),
    }
}
