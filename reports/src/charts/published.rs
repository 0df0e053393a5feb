//! A published figure and its measured counterpart: a panel for each of its values.

use super::bar_panels::{Bar, BarPanel};
use super::chart::Chart;
use super::palette::{Palette, Style};
use super::unit::Unit;
use crate::published::{Figure, Measured, Reproduction};
use crate::units;

/// Name of the measured series.
const HERE: &str = "here";
const READING: &str = "bars: speed-up over the reference of the figure, which is dashed · \
    whiskers: 95 % confidence interval of the median time here, the range of few samples";

/// The chart of a figure; `None` if no value has a measured counterpart.
pub fn figure(reproduction: &Reproduction) -> Option<Chart<BarPanel>> {
    let source = &reproduction.figure;
    let bars: Vec<(&str, Bar)> = published(source).chain(here(reproduction)).collect();
    let palette = Palette::new(bars.iter().map(|(_, bar)| bar.name.clone()));
    let panels = source.labels().into_iter().filter_map(|label| {
        let bars = bars.iter().filter(|(of, _)| *of == label).map(|(_, bar)| bar.clone());
        let bars = bars.map(|bar| Bar { style: palette.style(&bar.name), ..bar }).collect();
        let unit = Unit::Factor("times as fast");
        let panel = BarPanel::new(label.to_owned(), unit, bars);
        (!panel.bars.is_empty()).then_some(BarPanel { reference: Some(1.0), ..panel })
    });
    let caption = vec![
        format!("{} · {}", source.source, source.normalised),
        format!("{HERE}: {}", reproduction.machine),
        READING.to_owned(),
    ];
    Chart::new(format!("{}: {}", source.id, source.title), 3, panels.collect(), caption)
}

/// Bars of the published values, with their labels.
fn published(figure: &Figure) -> impl Iterator<Item = (&str, Bar)> {
    figure.values.iter().filter_map(|value| {
        let speed_up = figure.published_speed_up(value)?;
        Some((value.label.as_str(), bar(&value.hardware, speed_up)))
    })
}

/// Bars of the measured values.
fn here(reproduction: &Reproduction) -> impl Iterator<Item = (&str, Bar)> {
    let labels = reproduction.figure.labels().into_iter();
    labels.filter_map(|label| {
        let speed_up = reproduction.speed_up(label)?;
        let ends = |here: &Measured| {
            let interval = here.interval?;
            let at = |seconds: f64| speed_up * here.amount / seconds;
            Some((at(interval.high), at(interval.low)))
        };
        let interval = reproduction.here(label).and_then(ends);
        Some((label, Bar { interval, ..bar(HERE, speed_up) }))
    })
}

/// A bar whose style is set later.
fn bar(series: &str, speed_up: f64) -> Bar {
    Bar::new(series, speed_up, units::times(speed_up), Style::reference())
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
        let record = run();
        let rows = rows();
        let here = Here { record: &record, rows: &rows, streams: &[] };
        Reproduction::new(figure.expect(id), &here)
    }

    #[test]
    fn each_number_has_a_bar() {
        let table = reproduced("tab5.1");
        let chart = figure(&table).expect("a chart");
        let published = published(&table.figure).count();
        let here = here(&table).count();
        assert_eq!(here, 15, "all but the bases, and but the GPU");
        let bars: Vec<&Bar> = chart.panels.iter().flat_map(|panel| &panel.bars).collect();
        assert_eq!(bars.len(), published + here);
        assert!(bars.iter().any(|bar| bar.name == HERE));
        assert_eq!(chart.caption[1], "here: Model 9000, 2 threads, cuda:0: GPU 100");
    }

    #[test]
    fn published_values_are_drawn_without_measured_ones() {
        let chart = figure(&reproduced("fig3.9")).expect("a chart");
        let bars = chart.panels.iter().flat_map(|panel| &panel.bars);
        let names: BTreeSet<&str> = bars.map(|bar| bar.name.as_str()).collect();
        assert_eq!(names, BTreeSet::from(["MI100", "MI50"]));
    }
}
