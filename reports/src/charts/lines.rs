//! Time over the numeric axis with the most values, a line a variant.

use std::collections::BTreeMap;

use super::axes::{self, Axis, Panel};
use super::caption::caption;
use super::figure::{Figure, Plot, Ruler, Swatch, Tick};
use super::marks::{polyline, whisker};
use super::scale::{Scale, Spread};
use super::scene::Mark;
use super::study::{Study, extent_of_all, interval, median};
use super::time_axis;
use crate::record::SummaryRow;
use crate::shape;

const READING: &str = "markers: median, whiskers: 95 % confidence interval of the median";

/// Axes with more decades are labelled by decade.
const DECADES_WITH_VALUES: f64 = 2.9;

/// The axis that the chart runs over, if a numeric one varies.
pub fn axis<'a>(study: &'a Study) -> Option<&'a Axis> {
    let numeric = study.varying.iter().filter(|axis| axis.numbers().is_some());
    numeric.rev().max_by_key(|axis| axis.values.len())
}

/// The chart of a study over `axis`.
pub fn figure(study: &Study, axis: &Axis) -> Figure {
    let others: Vec<&Axis> = study
        .varying
        .iter()
        .filter(|other| *other != axis)
        .collect();
    let panels = axes::panels(&study.rows, &others);
    let size = super::panel_size(panels.len());
    let x = x_scale(axis);
    let y = y_scale(&study.rows);
    let plot = |panel: &Panel| Plot {
        title: panel.title.clone(),
        width: size.0,
        height: size.1,
        x: x_ruler(axis, &x, size.0),
        y: time_axis::ruler(&y, size.1, "median time"),
        marks: marks(study, panel, axis, (&x, &y), size),
    };
    let last = others.last().map_or(1, |axis| axis.values.len());
    Figure {
        title: format!("{}: time over {}", study.algorithm, axis.name),
        legend: study.legend(),
        swatch: Swatch::Line,
        columns: super::columns(last, panels.len()),
        plots: panels.iter().map(plot).collect(),
        caption: caption(study, READING),
    }
}

fn x_scale(axis: &Axis) -> Scale {
    let numbers = axis.numbers().unwrap_or_default();
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Scale::around(low, high)
}

/// Logarithmic if the times span a decade, from zero otherwise.
fn y_scale(rows: &[&SummaryRow]) -> Scale {
    let (low, high) = extent_of_all(rows);
    let around = Scale::around(low, high);
    match around.spread() {
        Spread::Log => around,
        Spread::Linear => Scale::from_zero(high),
    }
}

/// Ticks at the measured values where there is room, at round ones otherwise.
fn x_ruler(axis: &Axis, scale: &Scale, width: f64) -> Ruler {
    let label = |value: &f64| shape::short_value(&axis.name, &value.to_string());
    let ruler = |values: Vec<f64>, labels: Vec<String>| Ruler {
        label: axis.name.clone(),
        ticks: std::iter::zip(&values, labels)
            .map(|(value, label)| Tick {
                at: width * scale.position(*value),
                label,
            })
            .collect(),
        minor: Vec::new(),
        grid: true,
    };
    let measured = ruler(axis.numbers().unwrap_or_default(), axis.labels());
    let by_decade = scale.spread() == Spread::Log && scale.decades() > DECADES_WITH_VALUES;
    if measured.fits() && !by_decade {
        return measured;
    }
    let round = |count: usize| {
        let values = scale.ticks(count);
        let labels = values.iter().map(label).collect();
        ruler(values, labels)
    };
    let fitting = [10, 7, 5, 3].into_iter().map(round).find(Ruler::fits);
    let minor = scale
        .minor_ticks()
        .into_iter()
        .map(|value| width * scale.position(value));
    let minor = minor.collect();
    Ruler {
        minor,
        ..fitting.unwrap_or_else(|| round(2))
    }
}

fn marks(
    study: &Study,
    panel: &Panel,
    axis: &Axis,
    (x, y): (&Scale, &Scale),
    (width, height): (f64, f64),
) -> Vec<Mark> {
    let mut series: BTreeMap<String, Vec<(f64, &SummaryRow)>> = BTreeMap::new();
    for row in &panel.rows {
        if let Ok(value) = axes::value_of(row, &axis.name).parse() {
            series
                .entry(study.series(row))
                .or_default()
                .push((value, row));
        }
    }
    let pixel_x = |value: f64| width * x.position(value);
    let pixel_y = |seconds: f64| height * (1.0 - y.position(seconds));
    let mut marks = Vec::new();
    for (name, mut rows) in series {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let style = study.style(&name);
        let points: Vec<_> = rows
            .iter()
            .map(|(value, row)| (pixel_x(*value), pixel_y(median(row))))
            .collect();
        marks.extend(polyline(&points, style.color, 2));
        for ((_, row), point) in rows.iter().zip(&points) {
            if let Some((low, high)) = interval(row) {
                marks.extend(whisker(
                    point.0,
                    pixel_y(low),
                    pixel_y(high),
                    4.0,
                    style.color,
                ));
            }
            marks.extend(style.marker(*point, 4.5));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;

    fn of(rows: &[SummaryRow]) -> Option<Figure> {
        let (run, names) = (run(), SeriesNames::new(rows));
        let study = Study::new(&run, "sort", rows, &[], &names);
        axis(&study).map(|axis| figure(&study, axis))
    }

    #[test]
    fn words_are_no_axis_for_a_line() {
        let rows = [
            row("a", "order=random", 1e-3),
            row("a", "order=sorted", 1e-3),
        ];
        assert!(of(&rows).is_none());
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart_and_named_briefly() {
        let rows: Vec<_> = [1000, 10_000, 100_000, 1_000_000]
            .map(|n| row("a", &format!("digis={n}"), n as f64 * 1e-9))
            .to_vec();
        let ruler = &of(&rows).expect("digis vary").plots[0].x;
        let labels: Vec<_> = ruler.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["1 k", "10 k", "100 k", "1 M"]);
        let steps: Vec<f64> = ruler.ticks.windows(2).map(|t| t[1].at - t[0].at).collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-6));
    }

    #[test]
    fn few_values_are_ticks_themselves() {
        let rows: Vec<_> = [24, 240, 1792]
            .map(|n| row("a", &format!("segments={n}"), 1e-3))
            .to_vec();
        let ruler = &of(&rows).expect("segments vary").plots[0].x;
        let labels: Vec<_> = ruler.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["24", "240", "1792"]);
    }
}
