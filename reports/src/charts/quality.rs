//! Quality of the output of variants, next to their time.
//!
//! The chart makes visible when a variant is faster but worse. Metrics in which variants don't
//! differ have no bars: values that are equal for all rows are in the caption, and differences
//! between settings are drawn as lines ([`over_axis`]). Only if nothing differs, all metrics have
//! bars.
//!
//! Over an axis of the data each metric has a panel. Variants with equal results would hide each
//! other's lines: where all agree there is one line.

use std::collections::BTreeMap;

use super::bar_panels::BarPanel;
use super::bars::{self, Quantity};
use super::caption;
use super::chart::{Chart, columns};
use super::line_panels::{self, Line, LinePanel, Point};
use super::lines::{self, Grouping, longest, scale};
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread, Unit};
use super::study::{self, Axis, Study};
use crate::grouped::grouped;
use crate::quality::{Quality, is_known};
use crate::record::SummaryRow;
use crate::winners::is_of_data;
use crate::{shape, units};

const READING: &str = "dashed: ideal value; time: median";
const FIGURES: &str = "figures: of the first input";
/// Values within this factor count as equal.
const SAME: f64 = 1.001;

/// The chart of a study with metrics of quality, if variants differ in them, or if no other chart
/// shows them.
pub fn figure(study: &Study) -> Option<Chart<BarPanel>> {
    let (study, threads) = with_quality(study)?;
    let axes = &study.varying;
    let of = |quantity, what: &str| {
        let panels = bars::chart(&study, axes, quantity, READING).panels.into_iter();
        panels.map(|panel| panel.showing(what)).collect::<Vec<_>>()
    };
    let mut panels = of(Quantity::Time, &format!("time, {threads}"));
    let mut shown = Vec::new();
    let mut same = Vec::new();
    let differs = |quality: &Quality| the_only_value(&study.rows, *quality).is_none();
    let known = Quality::known(study.rows.iter().copied());
    let shows_all = axes.is_empty() && !known.iter().any(differs);
    for quality in known {
        match the_only_value(&study.rows, quality) {
            Some(_) if shows_all => {
                panels.extend(of(Quantity::Quality(quality), quality.name));
                shown.push(quality);
            }
            Some(value) => same.push(format!("{} {}", quality.name, quality.words(value))),
            None if variants_agree(&study, quality) => {}
            None => {
                panels.extend(of(Quantity::Quality(quality), quality.name));
                shown.push(quality);
            }
        }
    }
    let same = match same.is_empty() {
        true => String::new(),
        false => format!("; the same for all: {}", same.join(", ")),
    };
    let reading = format!("{}; {READING}{same}", reading(&shown));
    (!shown.is_empty()).then(|| Chart {
        headline: None,
        title: format!("{}: quality and time", study.algorithm),
        columns: 2,
        panels,
        caption: caption::caption(&study, &reading),
    })
}

/// Explanation of the metrics of a chart, once for those with the same meaning.
pub fn reading(shown: &[Quality]) -> String {
    let defined = shown.iter().filter(|quality| !quality.meaning.is_empty());
    let meanings = grouped(defined, |quality| quality.meaning).into_iter();
    let phrase = |(meaning, metrics): (&str, Vec<&Quality>)| {
        let names: Vec<_> = metrics.iter().map(|quality| quality.name).collect();
        format!("{}: {meaning}", names.join(", "))
    };
    std::iter::once(FIGURES.to_owned()).chain(meanings.map(phrase)).collect::<Vec<_>>().join("; ")
}

/// True if the variants have the same value of a metric at each setting.
fn variants_agree(study: &Study, quality: Quality) -> bool {
    let settings = study::panels(&study.rows, &study.varying);
    let is_known = |row: &SummaryRow| quality.value(row).is_some();
    settings
        .iter()
        .filter(|setting| setting.rows.iter().any(|row| is_known(row)))
        .all(|setting| the_only_value(&setting.rows, quality).is_some())
}

/// The value of a metric if all rows have the same one.
fn the_only_value(rows: &[&SummaryRow], quality: Quality) -> Option<f64> {
    let values = rows.iter().filter_map(|row| quality.value(row));
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    (low <= high && high - low <= (SAME - 1.0) * high.abs()).then_some(high)
}

/// The rows with metrics of quality whose times compare best, and a description of their threads.
/// Results do not depend on the number or the placement of threads: these axes don't vary.
fn with_quality<'a>(study: &Study<'a>) -> Option<(Study<'a>, String)> {
    let mut study = study.clone();
    study.rows.retain(|row| is_known(row));
    let fewest = study.rows.iter().map(|row| row.threads).min()?;
    study.rows.retain(|row| row.threads == fewest);
    study.varying.retain(|axis| is_of_data(&axis.name));
    Some((study, units::counted(fewest, "thread")))
}

/// Name of the line of all variants, where they agree.
const ALL: &str = "all variants";

/// The chart of a study with metrics of quality, and its axis, if there is an axis of the data that
/// changes them.
pub fn over_axis(study: &Study) -> Option<(String, Chart<LinePanel>)> {
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
        let title = shape::joined([quality.name, &panel.title]);
        (title, if agree { vec![of_all(&lines)] } else { lines })
    });
    let y = if quality.should_be_one() { near_one } else { scale };
    line_panels::panels_over(
        &lines::with_ticks(axis),
        Unit::Number(quality.name),
        y,
        lines.collect(),
    )
}

fn chart_line(line: &lines::Line, quality: Quality) -> Line {
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
    use super::super::fixture::{of_study, row};
    use super::*;
    use crate::record::SummaryRow;

    const FIGURES: [&str; 4] = ["efficiency", "ghosts", "x_pull", "x_residual_um"];

    fn good(variant: &str, threads: usize, efficiency: &str) -> SummaryRow {
        let mut row = SummaryRow { threads, ..row(variant, "n=1", 1e-3) };
        for metric in FIGURES {
            row.metrics.set(metric, "0.5");
        }
        row.metrics.set("efficiency", efficiency);
        row
    }

    #[test]
    fn without_differences_all_metrics_or_none_are_shown() {
        let rows = ["a", "b"].map(|variant| good(variant, 1, "0.5"));
        let chart = of_study(&rows, &[], figure).expect("a chart");
        assert_eq!(chart.panels.len(), 1 + FIGURES.len());
        let others = rows
            .clone()
            .map(|row| SummaryRow { params: "n=2".parse().expect("well formed"), ..row });
        assert!(of_study(&[rows, others].concat(), &[], figure).is_none());
    }

    #[test]
    fn captions_define_the_metrics_of_the_task_only() {
        let shares = ["a", "b"].map(|variant| with_efficiency(variant, "n=1", "0.5"));
        let chart = of_study(&shares, &[], figure).expect("a chart");
        let text = chart.caption.join(" ");
        assert!(text.contains("efficiency: of what happened"), "{text}");
        assert!(!text.contains("residual") && !text.contains("standard deviation"), "{text}");
        let all = ["a", "b"].map(|variant| good(variant, 1, "0.5"));
        let chart = of_study(&all, &[], figure).expect("a chart");
        let text = chart.caption.join(" ");
        assert!(text.contains("x residual [µm]: standard deviation"), "{text}");
        assert!(text.contains("x pull: standard deviation over the error"), "{text}");
    }

    #[test]
    fn metrics_of_one_meaning_share_a_definition() {
        let residual = |name| Quality {
            metric: name,
            name,
            meaning: "standard deviation",
            is_share: false,
            ideal: None,
            better: crate::record::Better::Lower,
        };
        let reading = reading(&[residual("x"), residual("y")]);
        assert_eq!(reading, "figures: of the first input; x, y: standard deviation");
    }

    #[test]
    fn quality_independent_of_threads_is_shown_once() {
        let rows = [("a", "0.97"), ("b", "0.95")]
            .map(|(variant, value)| [1, 2].map(|threads| good(variant, threads, value)));
        let chart = of_study(&rows.concat(), &[], figure).expect("known");
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["time, 1 thread", "efficiency"]);
        let values: Vec<f64> = chart.panels[1].bars.iter().map(|bar| bar.value).collect();
        assert_eq!(values, [0.95, 0.97]);
        assert!(chart.caption[2].contains("the same for all: ghosts 0.5"), "{:?}", chart.caption);
    }

    #[test]
    fn variants_that_agree_have_no_bars() {
        let at = |params: &str, efficiency: &str| {
            ["a", "b"].map(|variant| SummaryRow {
                params: params.parse().expect("well formed"),
                ..good(variant, 1, efficiency)
            })
        };
        let rows = [at("n=1", "0.97"), at("n=2", "0.95")].concat();
        assert!(of_study(&rows, &[], figure).is_none());
    }

    #[test]
    fn rows_of_unknown_quality_have_no_such_chart() {
        assert!(of_study(&[row("a", "n=1", 1e-3)], &[], figure).is_none());
    }

    fn with_efficiency(variant: &str, params: &str, efficiency: &str) -> SummaryRow {
        let mut row = row(variant, params, 1e-3);
        row.metrics.set("efficiency", efficiency);
        row.metrics.set("ghosts", "0.1");
        row
    }

    fn drawn(rows: &[SummaryRow]) -> Option<(String, Chart<LinePanel>)> {
        of_study(rows, &[], over_axis)
    }

    #[test]
    fn variants_that_agree_have_one_line_over_the_data_only() {
        let at = |n: &str, threads: usize, efficiency: &str| {
            ["a", "b"]
                .map(|variant| SummaryRow { threads, ..with_efficiency(variant, n, efficiency) })
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
                    with_efficiency(variant, &format!("n={n};order={order}"), efficiency)
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
        let threads =
            [1, 2].map(|threads| SummaryRow { threads, ..with_efficiency("a", "n=1", "0.9") });
        assert!(drawn(&threads).is_none());
        assert!(drawn(&[row("a", "n=1", 1.0), row("a", "n=2", 1.0)]).is_none());
        let same = ["n=1", "n=2"].map(|n| with_efficiency("a", n, "0.9"));
        assert!(drawn(&same).is_none());
    }
}
