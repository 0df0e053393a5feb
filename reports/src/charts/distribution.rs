//! All samples of the variants: what a median and its interval leave out.

use std::collections::HashMap;

use super::axes::{self, Axis, Panel};
use super::bar_panels::{Bar, BarPanel, BarPanels};
use super::bars::{self, Quantity};
use super::caption;
use super::study::Study;
use crate::record::SampleRow;
use crate::units::{self, counted};

const READING: &str = "dots: single samples, of more than 60 as many quantiles; lines: their \
    median, the fastest first";
/// More hide each other, and make pages large.
const MOST_DOTS: usize = 60;

/// The chart of a study, if it has samples.
pub fn figure(study: &Study) -> Option<BarPanels> {
    let axes: Vec<&Axis> = study.varying.iter().collect();
    let by_point = study.samples_by_point();
    let panels = axes::panels(&study.rows, &axes).into_iter();
    let panels = panels.map(|panel| self::panel(study, &by_point, panel));
    let panels: Vec<BarPanel> = panels.filter(|panel| !panel.bars.is_empty()).collect();
    (!panels.is_empty()).then(|| BarPanels {
        title: format!("{}: samples by variant", study.algorithm),
        columns: super::columns(axes.last().map_or(1, |axis| axis.values.len()), panels.len()),
        panels,
        caption: caption::of_samples(study, READING),
    })
}

fn panel(study: &Study, by_point: &HashMap<&str, Vec<&SampleRow>>, panel: Panel) -> BarPanel {
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
        let (time, count) = (units::seconds(bar.value, 3), counted(dots.len(), "sample"));
        let words = format!("{time} · {count}");
        let dots = thinned(dots);
        Some(Bar { interval: None, is_unsure: false, words, dots, ..bar })
    };
    BarPanel { bars: panel.bars.into_iter().filter_map(dotted).collect(), ..panel }
}

/// At most so many, from the smallest to the largest, at equal steps of the order.
fn thinned(mut values: Vec<f64>) -> Vec<f64> {
    if values.len() <= MOST_DOTS {
        return values;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    (0..MOST_DOTS).map(|i| values[i * last / (MOST_DOTS - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::super::study::SeriesNames;
    use super::*;

    #[test]
    fn each_sample_is_a_dot() {
        let rows = [row("a", "n=1", 2e-3), row("b", "n=1", 1e-3)];
        let sample = |i: usize| SampleRow::new(&rows[0].point(), "total", i, i, 1e-3 * i as f64);
        let samples: Vec<SampleRow> = (1..8).map(sample).collect();
        let (run, names) = (run(), SeriesNames::new(&rows));
        let chart = figure(&Study::new(&run, "sort", &rows, &samples, &names)).expect("samples");
        let [bar] = &chart.panels[0].bars[..] else { panic!("only a has samples") };
        assert_eq!((bar.dots.len(), bar.words.as_str()), (7, "2.00 ms · 7 samples"));
        assert!(figure(&Study::new(&run, "sort", &rows, &[], &names)).is_none());
    }

    #[test]
    fn many_samples_keep_their_ends() {
        let dots = thinned((0..1000).rev().map(f64::from).collect());
        assert_eq!((dots.len(), dots[0], dots[MOST_DOTS - 1]), (MOST_DOTS, 0.0, 999.0));
        assert_eq!(thinned(vec![2.0, 1.0]), [2.0, 1.0], "in the order of the rounds");
    }
}
