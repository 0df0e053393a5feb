//! A published figure and its measured counterpart: a panel for each of its values; for streams,
//! over time or over the number of streams.

use std::ops::Range;

use super::bar_panels::{Bar, BarPanel};
use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point, XAxis};
use super::lines;
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread, Unit};
use super::stream::{DUE, dots, points, time_axis};
use super::study::Axis;
use crate::grouped::distinct;
use crate::published::{Figure, Measured, Quantity, Reproduction, Shows, Streams};
use crate::record::YesNo;
use crate::stream::{Rates, StreamRow, TimesliceRow, short};
use crate::throughput::{Curve, ThroughputRow};
use crate::{shape, units};

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

/// Ratio of values from which on an axis is logarithmic: published values are of larger machines.
const FAR_APART: f64 = 30.0;
/// Panels next to each other.
const ACROSS: usize = 2;
const CONTENTS: &str = "markers: content of each timeslice, at the time at which it was due";
const BYTES: &str = "markers: bytes per second of completed timeslices, dashed grey: of due ones, \
    dashed in colours: published values";
const EVENTS: &str = "markers: events per second of all streams, whiskers: 95 % confidence \
    interval, dashed in colours: published values · rates in words are those of items";
const NOTHING_PRINTED: &str = "no comparable value was published";

/// The chart of a figure; `None` if nothing of it was measured.
pub fn streams_figure(reproduction: &Reproduction, streams: &Streams) -> Option<Chart<LinePanel>> {
    let shows = &reproduction.figure.stream.as_ref()?.shows;
    let (panels, phrases) = match shows {
        Shows::Contents(quantities) => contents(streams, quantities)?,
        Shows::Bytes => bytes(reproduction, streams)?,
        Shows::Events => events(reproduction, streams)?,
    };
    let source = &reproduction.figure;
    let reading = match shows {
        Shows::Contents(_) => [CONTENTS, NOTHING_PRINTED].join(shape::SEPARATOR),
        Shows::Bytes => BYTES.to_owned(),
        Shows::Events => EVENTS.to_owned(),
    };
    let mut caption = vec![
        format!("{} · {}", source.source, source.normalised),
        format!("here: {}", reproduction.machine),
    ];
    caption.extend(phrases);
    caption.push(reading);
    let across = panels.len().min(ACROSS);
    Chart::new(format!("{}: {}", source.id, source.title), across, panels, caption)
}

/// Panels with paragraphs for the caption.
type PanelsWithNotes = (Vec<LinePanel>, Vec<String>);

/// Content of timeslices, a panel for each quantity: of the device that keeps up with the highest
/// speed, as all devices get the same data.
fn contents(streams: &Streams, quantities: &[Quantity]) -> Option<PanelsWithNotes> {
    let row = streams.best_rows().into_iter().max_by(|a, b| a.speed.total_cmp(&b.speed))?;
    let palette = Palette::new(quantities.iter().map(|quantity| quantity.name().to_owned()));
    let x = time_axis(row.duration_s);
    let panel = |quantity: &Quantity| {
        let dot = |it: &TimesliceRow| Point::new(it.due_s, quantity.count_in(it));
        let all = streams.timeslices_of(row).map(dot).collect();
        let line = dots(quantity.name(), &palette, all);
        let unit = Unit::Count(match quantity {
            Quantity::Digis => "digis per timeslice",
            Quantity::Clusters => "clusters per timeslice",
            Quantity::Hits => "hits per timeslice",
        });
        panel(String::new(), &x, unit, vec![line])
    };
    Some((quantities.iter().map(panel).collect(), vec![words(row)]))
}

/// Bytes per second over time, a panel for each device.
fn bytes(reproduction: &Reproduction, streams: &Streams) -> Option<PanelsWithNotes> {
    let shown = streams.best_rows();
    let printed = printed(reproduction);
    let names = shown.iter().map(|row| name(row)).chain(printed.iter().map(|it| it.0.clone()));
    let palette = Palette::new(names);
    let panels = shown.iter().map(|row| {
        let rates = Rates::new(row, streams.timeslices_of(row), |it| it.bytes as f64);
        let x = time_axis(row.duration_s);
        let own = name(row);
        let mut lines = levels(&printed, &palette, 0.0..row.duration_s);
        lines.push(Line::reference(DUE, points(rates.due)));
        lines.push(Line::curve(&own, palette.style(&own), points(rates.done)));
        let title = if shown.len() > 1 { own } else { String::new() };
        panel(title, &x, Unit::Bytes("raw data per second"), lines)
    });
    let panels: Vec<LinePanel> = panels.collect();
    (!panels.is_empty()).then(|| (panels, shown.into_iter().map(words).collect()))
}

/// Events per second over streams, all curves in one panel.
fn events(reproduction: &Reproduction, streams: &Streams) -> Option<PanelsWithNotes> {
    let curves = streams.curves();
    let rows = || curves.iter().flat_map(|curve| &curve.rows);
    let x = lines::with_ticks(&Axis::new(
        "streams",
        distinct(rows().map(|row| row.streams.to_string())),
    ));
    let (low, high) = x.ticks.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), tick| {
        (low.min(tick.value), high.max(tick.value))
    });
    rows().next()?;
    let printed = printed(reproduction);
    let names = curves.iter().map(curve_name).chain(printed.iter().map(|it| it.0.clone()));
    let palette = Palette::new(names);
    let mut lines = levels(&printed, &palette, low..high);
    lines.extend(curves.iter().map(|curve| {
        let name = curve_name(curve);
        let points = curve.rows.iter().filter_map(|row| event_point(row)).collect();
        Line::curve(&name, palette.style(&name), points)
    }));
    let phrases = curves.iter().map(|curve| format!("{}: {}", curve_name(curve), curve.words()));
    let unit = Unit::Rate("events per second");
    Some((vec![panel(String::new(), &x, unit, lines)], phrases.collect()))
}

/// Published values that are measured here too, without repeats.
fn printed(reproduction: &Reproduction) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    for value in reproduction.figure.values.iter().filter(|value| !value.task.is_empty()) {
        // CPU and GPU have the same value.
        let what = value.label.trim_end_matches(", CPU").trim_end_matches(", GPU");
        let name = format!("{what} ({})", value.hardware);
        let level = value.number().map(|published| (name, published));
        all.extend(level.filter(|level| !all.contains(level)));
    }
    all
}

/// Dashed lines from one end of the axis to the other.
fn levels(printed: &[(String, f64)], palette: &Palette, span: Range<f64>) -> Vec<Line> {
    let level = |(name, value): &(String, f64)| {
        let ends = [span.start, span.end].map(|x| Point::new(x, *value));
        Line::dashed(name, palette.style(name), ends.to_vec())
    };
    printed.iter().map(level).collect()
}

/// A panel with a suitable vertical axis: zeros are removed if it is logarithmic.
fn panel(title: String, x: &XAxis, unit: Unit, mut lines: Vec<Line>) -> LinePanel {
    let (_, high) = line_panels::extent(&lines);
    let smallest = lines.iter().flat_map(|line| &line.points).map(|point| point.y);
    let smallest = smallest.filter(|&value| value > 0.0).fold(high, f64::min);
    let y = match (unit, Spread::beyond(FAR_APART, smallest, high)) {
        (Unit::Bytes(_) | Unit::Rate(_), Spread::Log) => {
            for line in &mut lines {
                line.points.retain(|point| point.y > 0.0);
            }
            Scale::new(smallest, high, Spread::Log)
        }
        _ => Scale::from_zero(high),
    };
    LinePanel::new(title, x, (unit, y), lines)
}

fn event_point(row: &ThroughputRow) -> Option<Point> {
    let in_events = |items: f64| items / row.items_per_event();
    let interval = row.rate_interval().map(|(low, high)| (in_events(low), in_events(high)));
    Some(Point { x: row.streams as f64, y: in_events(row.rate()?), interval })
}

fn curve_name(curve: &Curve<'_>) -> String {
    let row = curve.rows.first();
    row.map_or_else(String::new, |row| shape::on_device(row.variant.clone(), &row.device))
}

/// `time-sweep, speed 4`, `balanced on cuda:0, speed 12`.
fn name(row: &StreamRow) -> String {
    let on_device = shape::on_device(row.variant.clone(), &row.device);
    format!("{on_device}, speed {}", short(row.speed))
}

/// `time-sweep, speed 4: 2 workers, timeslices of 50 ms, 400 of 400 done`.
fn words(row: &StreamRow) -> String {
    let timeslice = units::seconds(row.timeslice_s, 3);
    let workers = units::counted(row.processes, "worker");
    let done = row.done;
    let due = row.due;
    let kept = if row.kept_up == YesNo::Yes { "" } else { ": not kept up with" };
    let name = name(row);
    format!("{name}: {workers}, timeslices of {timeslice}, {done} of {due} done{kept}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fixture::run;
    use super::*;
    use crate::published::Here;
    use crate::published::fixture::figures;
    use crate::published::fixture::rows;
    use crate::stream::fixture::{row, timeslice};
    use crate::throughput::fixture;

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

    fn drawn(id: &str, streams: Streams) -> Option<Chart<LinePanel>> {
        let figure = figures().into_iter().find(|figure| figure.id == id).expect(id);
        let streams = [streams];
        let here = Here { record: &run(), rows: &[], streams: &streams };
        let reproduction = Reproduction::new(figure, &here);
        streams_figure(&reproduction, reproduction.streams.as_ref()?)
    }

    fn names(panel: &LinePanel) -> Vec<&str> {
        panel.lines.iter().map(|line| line.name.as_str()).collect()
    }

    fn of_timeslices(name: &str) -> Streams {
        let timeslices = (0..400).map(|index| timeslice(index, 0.03)).collect();
        Streams { rows: vec![row(1.0)], timeslices, ..Streams::new(name.to_owned()) }
    }

    #[test]
    fn contents_have_a_panel_each_and_nothing_beside_them() {
        let chart = drawn("fig5.11", of_timeslices("data-challenge")).expect("measured");
        let all: Vec<&str> = chart.panels.iter().flat_map(names).collect();
        assert_eq!(all, ["digis", "clusters", "hits"]);
        assert_eq!(chart.panels[2].lines[0].points[0].y, 28_000.0);
        assert!(chart.caption[2].ends_with("400 of 400 done"), "{:?}", chart.caption);
        assert!(drawn("fig5.11", Streams::new("data-challenge".to_owned())).is_none());
    }

    #[test]
    fn rates_stand_beside_what_was_printed() {
        let chart = drawn("fig5.13", of_timeslices("beam-time")).expect("measured");
        let [panel] = &chart.panels[..] else { panic!("{}", chart.panels.len()) };
        let printed = ["STS, mean (mCBM, May 2024)", "STS, at most (mCBM, May 2024)"];
        assert_eq!(names(panel), [printed[0], printed[1], DUE, "time-sweep, speed 1"]);
        assert_eq!(panel.lines[1].points[0].y, 900e6);
        assert_ne!(panel.lines[0].style, panel.lines[1].style);
    }

    #[test]
    fn events_over_streams_stand_beside_the_published_plateau() {
        let points = [(1, 10e6), (2, 19e6), (4, 19.2e6)];
        let points = points.map(|(streams, rate)| fixture::row(streams, rate)).to_vec();
        let streams = Streams { points, ..Streams::new("velo-events".to_owned()) };
        let chart = drawn("allen.plateau", streams).expect("measured");
        let panel = &chart.panels[0];
        let plateau = "plateau (LHCb, a maximum of SYCL)";
        assert_eq!(names(panel), [plateau, "time-sweep"]);
        assert_eq!((panel.lines[0].points[0].y, panel.lines[1].points[0].y), (8820.0, 10.0));
        assert_eq!(panel.y.spread, Spread::Log);
        assert!(chart.caption.iter().any(|it| it.contains("plateau of 19.1 M/s")));
    }
}
