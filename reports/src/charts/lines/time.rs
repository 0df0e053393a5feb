//! Time over an axis; time per item if the axis changes the number of items.

use super::super::axes::Axis;
use super::super::caption;
use super::super::chart::{Chart, columns};
use super::super::line_panels::{self, Line, LinePanel};
use super::super::study::Study;
use super::super::unit::Unit;
use super::grouping::{self, Grouping, Lines};
use super::{point, scale, x_axis};
use crate::record::SummaryRow;

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
    let panels = line_panels::panels_over(&x_axis::with_ticks(axis), unit, scale, lines.collect());
    let reading = format!("{READING}{}", grouping::not_shown(single));
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
    let varies = |line: &grouping::Line| {
        let items = || line.rows.iter().map(|(_, row)| row.items as f64);
        items().fold(0.0, f64::max) >= SIZES_VARY * items().fold(f64::INFINITY, f64::min)
    };
    grouping.panels.iter().flat_map(|panel| &panel.lines).any(varies)
}

fn chart_line(line: &grouping::Line, an_item: bool) -> Line {
    let point = |(x, row): &(f64, &SummaryRow)| {
        point(*x, row, if an_item { row.items.max(1) as f64 } else { 1.0 })
    };
    Line::curve(&line.name, line.style, line.rows.iter().map(point).collect())
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
}
