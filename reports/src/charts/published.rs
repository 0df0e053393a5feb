//! A published figure beside what was measured: a marker for each, over the same values.

use std::collections::BTreeSet;

use super::figure::{Figure, Plot, Ruler, Swatch, Tick};
use super::marks::{dashes, whisker};
use super::number_axis;
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread};
use super::scene::{At, Mark};
use crate::published::{Measured, Reproduction};

/// The series of what was measured.
const HERE: &str = "here";
const READING: &str = "markers: how many times as fast as what the figure is normalised to · \
    whiskers: 95 % confidence interval of the median time here, the range of few samples";

/// Pixels for each value, and for all of the height.
const STEP: f64 = 46.0;
const HEIGHT: f64 = 320.0;

/// A speed-up of a value on a machine.
struct Dot {
    series: String,
    label: String,
    speed_up: f64,
    interval: Option<At>,
}

/// The chart of a figure; `None` where nothing can be related to anything.
pub fn figure(reproduction: &Reproduction) -> Option<Figure> {
    let dots: Vec<Dot> = published(reproduction).chain(here(reproduction)).collect();
    let shown: BTreeSet<&str> = dots.iter().map(|dot| dot.label.as_str()).collect();
    let labels = reproduction.figure.labels().into_iter();
    let labels: Vec<&str> = labels.filter(|label| shown.contains(label)).collect();
    if labels.is_empty() {
        return None;
    }
    let palette = Palette::new(dots.iter().map(|dot| dot.series.clone()));
    let series: BTreeSet<String> = dots.iter().map(|dot| dot.series.clone()).collect();
    let styled = |name: String| (name.clone(), palette.style(&name));
    let source = &reproduction.figure;
    Some(Figure {
        title: format!("{}: {}", source.id, source.title),
        legend: series.into_iter().map(styled).collect(),
        swatch: Swatch::Line,
        columns: 1,
        plots: vec![plot(&dots, &labels, &palette)],
        caption: vec![
            format!("{} · {}", source.source, source.normalised),
            format!("{HERE}: {}", reproduction.machine),
            READING.to_owned(),
        ],
    })
}

fn published(reproduction: &Reproduction) -> impl Iterator<Item = Dot> {
    let figure = &reproduction.figure;
    figure.values.iter().filter_map(|value| {
        Some(Dot {
            series: value.hardware.clone(),
            label: value.label.clone(),
            speed_up: figure.published_speed_up(value)?,
            interval: None,
        })
    })
}

fn here(reproduction: &Reproduction) -> impl Iterator<Item = Dot> {
    let labels = reproduction.figure.labels().into_iter();
    labels.filter_map(|label| {
        let speed_up = reproduction.speed_up(label)?;
        let ends = |here: &Measured| {
            let interval = here.interval?;
            let at = |seconds: f64| speed_up * here.seconds / seconds;
            Some((at(interval.high), at(interval.low)))
        };
        Some(Dot {
            series: HERE.to_owned(),
            label: label.to_owned(),
            speed_up,
            interval: reproduction.here(label).and_then(ends),
        })
    })
}

fn plot(dots: &[Dot], labels: &[&str], palette: &Palette) -> Plot {
    // So few values would stand in a narrow corner of the page.
    let width = (labels.len() as f64 * STEP).max(420.0);
    let step = width / labels.len() as f64;
    let ends = dots.iter().map(|dot| dot.interval.unwrap_or((dot.speed_up, dot.speed_up)));
    let (low, high) =
        ends.fold((1.0f64, 1.0f64), |(low, high), end| (low.min(end.0), high.max(end.1)));
    // A narrower range may have a single power of two to label.
    let y = Scale::new(low, high, Spread::beyond(4.0, low, high));
    let at = |i: usize| step * (i as f64 + 0.5);
    let tick = |(i, label): (usize, &&str)| Tick { at: at(i), label: (*label).to_owned() };
    let base = HEIGHT * (1.0 - y.position(1.0));
    let mut marks = dashes(&[(0.0, base), (width, base)], Style::reference().color, 1);
    for (i, label) in labels.iter().enumerate() {
        let of_label = dots.iter().filter(|dot| dot.label == *label);
        let of_label: Vec<&Dot> = of_label.collect();
        for (number, dot) in of_label.iter().enumerate() {
            // Side by side, so that none hides another.
            let shift = number as f64 - (of_label.len() - 1) as f64 / 2.0;
            let x = at(i) + shift * (step / 6.0).min(9.0);
            marks.extend(dot.marks(x, &y, &palette.style(&dot.series)));
        }
    }
    Plot {
        title: String::new(),
        width,
        height: HEIGHT,
        x: Ruler {
            ticks: labels.iter().enumerate().map(tick).collect(),
            grid: true,
            ..Ruler::default()
        },
        y: number_axis::ruler(&y, HEIGHT, "times as fast"),
        marks,
    }
}

impl Dot {
    fn marks(&self, x: f64, y: &Scale, style: &Style) -> Vec<Mark> {
        let pixel = |value: f64| HEIGHT * (1.0 - y.position(value));
        let ends = self.interval.map(|(low, high)| (pixel(low), pixel(high)));
        let whisker = ends.map(|(low, high)| whisker(x, low, high, 4.0, style.color));
        let marker = style.marker((x, pixel(self.speed_up)), 5.0);
        whisker.into_iter().flatten().chain(marker).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::run;
    use crate::published::fixture::rows;
    use crate::published::{Here, figures};

    fn reproduced(id: &str) -> Reproduction {
        let figure = figures().into_iter().find(|figure| figure.id == id);
        let (record, rows) = (run(), rows());
        let here = Here { record: &record, rows: &rows };
        Reproduction::of(figure.expect(id), &here)
    }

    #[test]
    fn each_number_has_a_marker() {
        let table = reproduced("tab5.1");
        let chart = figure(&table).expect("a chart");
        let published = published(&table).count();
        let here = here(&table).count();
        assert_eq!(here, 15, "all but the bases, and but the GPU");
        let is_marker = |mark: &&Mark| matches!(mark, Mark::Disc { .. } | Mark::Polygon { .. });
        let markers = chart.plots[0].marks.iter().filter(is_marker).count();
        assert_eq!(markers, published + here);
        assert!(chart.legend.iter().any(|(name, _)| name == HERE));
        assert_eq!(chart.caption[1], "here: Model 9000, 2 threads, cuda:0: GPU 100");
    }

    #[test]
    fn what_was_published_is_drawn_alone_where_nothing_was_measured() {
        let chart = figure(&reproduced("fig3.9")).expect("a chart");
        let names: Vec<&str> = chart.legend.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["MI100", "MI50"]);
    }
}
