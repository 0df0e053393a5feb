//! The samples over the rounds they were taken in: drift of the machine shows.

use std::collections::HashMap;

use super::axes::{self, Axis, Panel};
use super::caption;
use super::figure::{Figure, Plot, Ruler, Swatch, Tick};
use super::scale::Scale;
use super::scene::Mark;
use super::study::Study;
use super::time_axis;
use crate::record::{SampleRow, SummaryRow};

const READING: &str = "markers: single samples in the order of the rounds";

/// A row's samples: round and seconds.
type Samples<'a> = (&'a SummaryRow, Vec<(usize, f64)>);

/// The samples of points by their ids.
type ByPoint<'a> = HashMap<&'a str, Vec<&'a SampleRow>>;

/// The chart of a study, if it has samples.
pub fn figure(study: &Study) -> Option<Figure> {
    let axes: Vec<&Axis> = study.varying.iter().collect();
    let panels = axes::panels(&study.rows, &axes);
    let by_point = study.samples_by_point();
    let of_panel = |panel| of_panel(&by_point, panel);
    let samples: Vec<Vec<Samples>> = panels.iter().map(of_panel).collect();
    let all = || samples.iter().flatten().flat_map(|(_, samples)| samples);
    let last_round = all().map(|(round, _)| *round).max()?;
    let (low, high) =
        all().fold((f64::INFINITY, 0.0f64), |(low, high), (_, s)| (s.min(low), s.max(high)));

    let size = super::panel_size(panels.len());
    let x = Scale::around(0.0, last_round as f64);
    let y = Scale::around(low, high);
    let plot = |(panel, samples): (&Panel, &Vec<Samples>)| Plot {
        title: panel.title.clone(),
        width: size.0,
        height: size.1,
        x: x_ruler(&x, last_round, size.0),
        y: time_axis::ruler(&y, size.1, "time of a sample"),
        marks: samples.iter().flat_map(|(row, s)| marks(study, row, s, (&x, &y), size)).collect(),
    };
    let last = axes.last().map_or(1, |axis| axis.values.len());
    Some(Figure {
        title: format!("{}: time over round", study.algorithm),
        legend: study.legend(),
        swatch: Swatch::Line,
        columns: super::columns(last, panels.len()),
        plots: panels.iter().zip(&samples).map(plot).collect(),
        caption: caption::of_samples(study, READING),
    })
}

fn of_panel<'a>(by_point: &ByPoint, panel: &Panel<'a>) -> Vec<Samples<'a>> {
    let pair = |sample: &&SampleRow| (sample.round, sample.seconds);
    let of_row = |row: &&'a SummaryRow| {
        let samples = by_point.get(row.point().id().as_str());
        let samples = samples.map_or_else(Vec::new, |samples| samples.iter().map(pair).collect());
        (*row, samples)
    };
    panel.rows.iter().map(of_row).collect()
}

/// Rounds are whole: ticks between them would mean nothing.
fn x_ruler(scale: &Scale, last: usize, width: f64) -> Ruler {
    let is_round = |value: &f64| value.fract() == 0.0 && (0.0..=last as f64).contains(value);
    let whole = scale.ticks(10).into_iter().filter(is_round);
    let tick = |value: f64| Tick { at: width * scale.position(value), label: value.to_string() };
    Ruler { label: "round".into(), ticks: whole.map(tick).collect(), minor: Vec::new(), grid: true }
}

fn marks(
    study: &Study,
    row: &SummaryRow,
    samples: &[(usize, f64)],
    (x, y): (&Scale, &Scale),
    (width, height): (f64, f64),
) -> Vec<Mark> {
    let style = study.style(&study.series(row));
    let pixel = |(round, seconds): &(usize, f64)| {
        (width * x.position(*round as f64), height * (1.0 - y.position(*seconds)))
    };
    let points: Vec<_> = samples.iter().map(pixel).collect();
    let line = style.line(&points, 1);
    let markers = points.iter().flat_map(|point| style.marker(*point, 4.0));
    line.into_iter().chain(markers).collect()
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
        let plot = figure(&study).expect("there are samples").plots.remove(0);
        let markers = plot.marks.iter().filter(|mark| matches!(mark, Mark::Disc { .. }));
        assert_eq!(markers.count(), 7);
        assert!(plot.x.ticks.iter().all(|tick| !tick.label.contains('.')));
    }

    #[test]
    fn without_samples_there_is_no_chart() {
        let rows = [row("a", "n=1", 1e-3)];
        let (run, names) = (run(), SeriesNames::new(&rows));
        assert!(figure(&Study::new(&run, "sort", &rows, &[], &names)).is_none());
    }
}
