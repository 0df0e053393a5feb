//! All samples of the variants, which a median and its interval leave out: next to each other, and
//! over the rounds in which they were taken, where drift of the machine shows.

use std::collections::HashMap;

use super::bar_panels::{Bar, BarPanel};
use super::bars::{self, Quantity};
use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point};
use super::scale::{Scale, Unit};
use super::study::{self, Panel, Study};
use super::{caption, lines};
use crate::record::{SampleRow, SummaryRow};
use crate::units::{self, counted};

const OF_DISTRIBUTION: &str = "dots: single samples (60 quantiles if there are more); lines: \
    their median, the fastest first";
const OF_ROUNDS: &str = "markers: single samples in the order of the rounds";
/// Maximum number of dots: more would hide each other and make pages large.
const MAX_DOTS: usize = 60;

/// The samples of points by their ids.
type ByPoint<'a> = HashMap<&'a str, Vec<&'a SampleRow>>;

/// The chart of the distributions of samples, if the study has any.
pub fn distribution(study: &Study) -> Option<Chart<BarPanel>> {
    let by_point = study.samples_by_point();
    let panels = study::panels(&study.rows, &study.varying).into_iter();
    let panels = panels.map(|panel| dotted(study, &by_point, panel));
    Chart::new(
        format!("{}: samples by variant", study.algorithm),
        study::panels_a_row(&study.varying),
        panels.filter(|panel| !panel.bars.is_empty()).collect(),
        caption::of_samples(study, OF_DISTRIBUTION),
    )
}

fn dotted(study: &Study, by_point: &ByPoint, panel: Panel) -> BarPanel {
    let rows = panel.rows.iter();
    let seconds = rows.filter_map(|row| {
        let samples = by_point.get(row.point().id().as_str())?;
        let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
        Some((study.series(row), seconds))
    });
    let mut seconds: HashMap<String, Vec<f64>> = seconds.collect();
    let panel = bars::panel(study, Quantity::Time, panel);
    let dotted = |bar: Bar| {
        let dots = seconds.remove(&bar.name)?;
        let time = units::seconds(bar.value, 3);
        let count = counted(dots.len(), "sample");
        let words = format!("{time} · {count}");
        Some(Bar { dots: thinned(dots), ..Bar::new(&bar.name, bar.value, words, bar.style) })
    };
    BarPanel { bars: panel.bars.into_iter().filter_map(dotted).collect(), ..panel }
}

/// At most [`MAX_DOTS`] values, from the smallest to the largest, at equal steps of the order.
fn thinned(mut values: Vec<f64>) -> Vec<f64> {
    if values.len() <= MAX_DOTS {
        return values;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    (0..MAX_DOTS).map(|i| values[i * last / (MAX_DOTS - 1)]).collect()
}

/// The chart of the samples over their rounds, if the study has any.
pub fn over_rounds(study: &Study) -> Option<Chart<LinePanel>> {
    let by_point = study.samples_by_point();
    let last_round = by_point.values().flatten().map(|sample| sample.round).max()?;
    let x = lines::count_axis("round", 0, last_round);
    let panels = study::panels(&study.rows, &study.varying).into_iter();
    let lines: Vec<(String, Vec<Line>)> = panels
        .map(|panel| {
            let lines = panel.rows.iter().map(|row| line(study, &by_point, row));
            (panel.title, lines.collect())
        })
        .collect();
    let mut points = lines.iter().flat_map(|(_, lines)| lines).flat_map(|line| &line.points);
    if points.all(|point| point.y == 0.0) {
        return None;
    }
    Chart::new(
        format!("{}: time over round", study.algorithm),
        study::panels_a_row(&study.varying),
        line_panels::panels_over(&x, Unit::Time("time of a sample"), Scale::around, lines),
        caption::of_samples(study, OF_ROUNDS),
    )
}

fn line(study: &Study, by_point: &ByPoint, row: &SummaryRow) -> Line {
    let name = study.series(row);
    let samples = by_point.get(row.point().id().as_str()).into_iter().flatten();
    let points = samples.map(|sample| Point::new(sample.round as f64, sample.seconds));
    Line::curve(&name, study.style(&name), points.collect())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    #[test]
    fn each_sample_is_a_dot_and_a_marker() {
        let rows = [row("a", "n=1", 2e-3), row("b", "n=1", 1e-3)];
        let sample = |i: usize| SampleRow::new(&rows[0].point(), "total", i, i, 1e-3 * i as f64);
        let samples: Vec<SampleRow> = (1..8).map(sample).collect();
        let chart = of_study(&rows, &samples, distribution).expect("samples");
        let [bar] = &chart.panels[0].bars[..] else { panic!("only a has samples") };
        assert_eq!((bar.dots.len(), bar.words.as_str()), (7, "2.00 ms · 7 samples"));
        let chart = of_study(&rows, &samples, over_rounds).expect("samples");
        assert_eq!(chart.panels[0].lines[0].points.len(), 7);
        assert!(of_study(&rows, &[], distribution).is_none());
        assert!(of_study(&rows, &[], over_rounds).is_none());
    }

    #[test]
    fn many_samples_keep_their_ends() {
        let dots = thinned((0..1000).rev().map(f64::from).collect());
        assert_eq!((dots.len(), dots[0], dots[MAX_DOTS - 1]), (MAX_DOTS, 0.0, 999.0));
        assert_eq!(thinned(vec![2.0, 1.0]), [2.0, 1.0], "in the order of the rounds");
    }
}
