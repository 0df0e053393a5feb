//! A published figure beside what was measured: a panel for each of its values.

use super::bar_panels::{Bar, BarPanel, BarPanels};
use super::palette::Palette;
use super::unit::Unit;
use crate::published::{Measured, Reproduction};
use crate::units;

/// The series of what was measured.
const HERE: &str = "here";
const READING: &str = "bars: how many times as fast as what the figure is normalised to, which is \
    dashed · whiskers: 95 % confidence interval of the median time here, the range of few samples";

/// A speed-up of a value on a machine.
struct Dot {
    series: String,
    label: String,
    speed_up: f64,
    interval: Option<(f64, f64)>,
}

/// The chart of a figure; `None` where nothing can be related to anything.
pub fn figure(reproduction: &Reproduction) -> Option<BarPanels> {
    let dots: Vec<Dot> = published(reproduction).chain(here(reproduction)).collect();
    let palette = Palette::new(dots.iter().map(|dot| dot.series.clone()));
    let labels = reproduction.figure.labels().into_iter();
    let panels = labels.filter_map(|label| panel(label, &dots, &palette));
    let panels: Vec<BarPanel> = panels.collect();
    let source = &reproduction.figure;
    (!panels.is_empty()).then(|| BarPanels {
        title: format!("{}: {}", source.id, source.title),
        columns: super::columns(3, panels.len()),
        panels,
        caption: vec![
            format!("{} · {}", source.source, source.normalised),
            format!("{HERE}: {}", reproduction.machine),
            READING.to_owned(),
        ],
    })
}

fn panel(label: &str, dots: &[Dot], palette: &Palette) -> Option<BarPanel> {
    let bar = |dot: &Dot| Bar {
        name: dot.series.clone(),
        value: dot.speed_up,
        interval: dot.interval,
        dots: Vec::new(),
        is_unsure: false,
        words: units::times(dot.speed_up),
        style: palette.style(&dot.series),
    };
    let bars = dots.iter().filter(|dot| dot.label == label).map(bar);
    let bars: Vec<Bar> = bars.collect();
    (!bars.is_empty()).then(|| BarPanel {
        title: label.to_owned(),
        unit: Unit::Factor("times as fast"),
        bars,
        refused: Vec::new(),
        reference: Some(1.0),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
    fn each_number_has_a_bar() {
        let table = reproduced("tab5.1");
        let chart = figure(&table).expect("a chart");
        let published = published(&table).count();
        let here = here(&table).count();
        assert_eq!(here, 15, "all but the bases, and but the GPU");
        let bars: Vec<&Bar> = chart.panels.iter().flat_map(|panel| &panel.bars).collect();
        assert_eq!(bars.len(), published + here);
        assert!(bars.iter().any(|bar| bar.name == HERE));
        assert_eq!(chart.caption[1], "here: Model 9000, 2 threads, cuda:0: GPU 100");
    }

    #[test]
    fn what_was_published_is_drawn_alone_where_nothing_was_measured() {
        let chart = figure(&reproduced("fig3.9")).expect("a chart");
        let bars = chart.panels.iter().flat_map(|panel| &panel.bars);
        let names: BTreeSet<&str> = bars.map(|bar| bar.name.as_str()).collect();
        assert_eq!(names, BTreeSet::from(["MI100", "MI50"]));
    }
}
