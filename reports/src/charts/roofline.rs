//! A roofline (Williams, Waterman and Patterson 2009) of kernels that are limited by memory traffic
//! rather than by arithmetic.
//!
//! Horizontally, the bytes that a variant's kernels move per item, as their launches declare; where
//! a profiler has counted those of DRAM, a line leads from there to them;
//! vertically, items per second. The measured copy bandwidth of the device is a falling line: a
//! variant that moves twice the bytes can reach half the speed. The vertical distance from the line
//! is time lost by other causes than memory traffic; markers further to the right move more bytes.
//!
//! Another chart shows the bandwidth of the links to GPUs over the size of blocks.

use std::collections::BTreeSet;

use super::chart::Chart;
use super::line_panels::{self, ChangeMarker, Line, LinePanel, Point, Tick, XAxis};
use super::palette::{Palette, Style};
use super::scale::{Scale, Spread, Unit};
use super::study::{self, Axis, Panel, Study};
use super::{caption, lines};
use crate::rank::KERNEL;
use crate::record::{CeilingsRecord, LinkPoint, SummaryRow};
use crate::run_table::DRAM;

/// The metric of kernels that holds the bytes that they move.
const MOVED: &str = "bytes_moved";
const ROOF: &str = "measured copy bandwidth";
const READING: &str = "markers: items per second of the kernels over the bytes that they move per \
    item; dashed: limit by the copy bandwidth measured in the run; vertical: minimum bytes of any \
    variant; a second marker of a variant: DRAM bytes by hardware counters";
/// Margin beyond the outermost markers.
const BEYOND: f64 = 1.6;
const TICKS: usize = 6;

/// The chart of a study, if some of its kernels declare the bytes that they move.
pub fn figure(study: &Study) -> Option<Chart<LinePanel>> {
    let panels = study::panels(&study.stages, &study.varying).into_iter();
    Chart::new(
        format!("{}: kernels under the roof of memory", study.algorithm),
        study::panels_a_row(&study.varying),
        panels.filter_map(|panel| self::panel(study, panel)).collect(),
        caption::of_samples(study, READING),
    )
}

fn panel(study: &Study, panel: Panel) -> Option<LinePanel> {
    let ceilings = &study.run.ceilings;
    // Some tasks have no known minimum of bytes.
    let has_roof = |row: &&SummaryRow| row.bytes_min > 0 && ceilings.contains_key(&row.device);
    let rows = panel.rows.into_iter().filter(has_roof);
    let markers: Vec<_> = rows.filter_map(|row| Some((row, marker(row)?))).collect();
    let first = markers.first()?.0;
    let bandwidth = ceilings.get(&first.device)?.copy_bytes_per_s;
    let min_bytes = first.bytes_min as f64 / first.items as f64;
    let all = markers.iter().flat_map(|(row, at)| std::iter::once(at.x).chain(counted(row)));
    let (left, right) = range(all.chain([min_bytes]))?;
    let ends = [left / BEYOND, right * BEYOND];
    let roof = ends.map(|x| Point::new(x, bandwidth / x));
    let speeds = markers.iter().map(|(_, at)| at.y);
    let (low, high) = range(speeds.chain(roof.map(|point| point.y)))?;
    let x = Scale { low: ends[0], high: ends[1], spread: Spread::Log };
    let mut lines = vec![Line::reference(ROOF, roof.to_vec())];
    // One marker per variant.
    lines.extend(markers.into_iter().map(|(row, at)| {
        let name = study.series(row);
        let counted = counted(row).map(|x| Point { x, ..at });
        Line::curve(&name, study.style(&name), std::iter::once(at).chain(counted).collect())
    }));
    Some(LinePanel {
        title: panel.title,
        x: XAxis {
            name: "bytes moved per item".to_owned(),
            scale: x,
            ticks: x.ticks(TICKS).into_iter().map(|at| Tick::new(at, format!("{at}"))).collect(),
        },
        y: Scale { low: low / BEYOND, high: high * BEYOND, spread: Spread::Log },
        unit: Unit::Rate("items per second"),
        lines,
        change_markers: vec![ChangeMarker {
            words: "minimum".to_owned(),
            ..ChangeMarker::new(min_bytes, Style::reference())
        }],
    })
}

/// Bytes and speed of kernels that declare the bytes that they move.
fn marker(row: &SummaryRow) -> Option<Point> {
    let moved = row.metrics.number(MOVED).filter(|moved| *moved > 0.0)?;
    let items = row.items as f64;
    let seconds = row.valid_median()?;
    let speed = items / seconds;
    let ends = row.ci95_low_s.zip(row.ci95_high_s);
    (row.stage == KERNEL && items > 0.0).then(|| Point {
        x: moved / items,
        y: speed,
        interval: ends.map(|(low, high)| (speed * seconds / high, speed * seconds / low)),
    })
}

/// DRAM bytes per item that a profiler has counted.
fn counted(row: &SummaryRow) -> Option<f64> {
    let bytes = row.metrics.number(DRAM).filter(|bytes| *bytes > 0.0)?;
    Some(bytes / row.items as f64)
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// The horizontal axis, in bytes.
const AXIS: &str = "block size";
const LINK_READING: &str = "h2d: host to device, d2h: device to host, both: both directions at the same \
    time, summed · markers: best of several repetitions";

/// The chart of a machine's links, one panel per GPU; `None` without links.
pub fn link_figure(record: &CeilingsRecord) -> Option<Chart<LinePanel>> {
    let devices: BTreeSet<&str> = record.links.iter().map(|p| p.device.as_str()).collect();
    let palette = Palette::new(record.links.iter().map(name));
    let point = |it: &LinkPoint| Some(Point::new(it.block_bytes as f64, it.bytes_per_s));
    let lines = devices.iter().map(|device| {
        let title = if devices.len() > 1 { *device } else { "" };
        let mut of_device: Vec<&LinkPoint> =
            record.links.iter().filter(|point| point.device == *device).collect();
        of_device.sort_by_key(|point| name(point));
        (title.to_owned(), line_panels::curves(of_device, name, &palette, point))
    });
    let sizes = record.links.iter().map(|point| point.block_bytes.to_string());
    let x = lines::with_ticks(&Axis::new(AXIS, sizes));
    let y = |low, high| Scale::new(low, high, Spread::beyond(2.0, low, high));
    let panels = line_panels::panels_over(&x, Unit::Bandwidth, y, lines.collect());
    let caption = vec![machine(record), LINK_READING.to_owned()];
    Chart::new("Link bandwidth over block size".to_owned(), panels.len(), panels, caption)
}

/// `pinned h2d`.
fn name(point: &LinkPoint) -> String {
    format!("{} {}", point.memory, point.direction)
}

/// `Model · cuda:0: GPU 100, 80 GB`.
fn machine(record: &CeilingsRecord) -> String {
    let gpus = record.machine.gpus.iter().enumerate();
    let gpus = gpus.map(|(i, gpu)| caption::gpu(&format!("cuda:{i}"), gpu));
    let all: Vec<String> = std::iter::once(record.machine.cpu_model.clone()).chain(gpus).collect();
    all.join(crate::shape::SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{row, run};
    use super::*;
    use crate::record::{Bandwidth, RunRecord};

    fn kernel(variant: &str, seconds: f64, moved: u64) -> SummaryRow {
        let mut row = row(variant, "n=1", seconds);
        (row.stage, row.device) = (KERNEL.to_owned(), "cuda:0".to_owned());
        (row.items, row.bytes_min) = (1000, 16_000);
        row.metrics.set(MOVED, moved.to_string());
        row
    }

    #[test]
    fn counted_bytes_have_a_second_marker() {
        let bandwidth = Bandwidth { copy_bytes_per_s: 1e6, ..Bandwidth::default() };
        let mut run = run();
        run.ceilings.insert("cuda:0".to_owned(), bandwidth);
        let mut counted = kernel("a", 0.032, 32_000);
        counted.metrics.set(DRAM, "40000");
        let rows = [whole("a"), counted];
        let figure = figure(&Study::new(&run, "sort", &rows, &[])).expect("declared bytes");
        let points = &figure.panels[0].lines[1].points;
        let [declared, counted] = [&points[0], &points[1]];
        assert_eq!((declared.x, counted.x), (32.0, 40.0));
        assert_eq!(declared.y, counted.y, "the same time");
    }

    fn whole(variant: &str) -> SummaryRow {
        SummaryRow { device: "cuda:0".to_owned(), ..row(variant, "n=1", 1.0) }
    }

    #[test]
    fn variants_limited_by_memory_are_at_the_roof() {
        let bandwidth = Bandwidth { copy_bytes_per_s: 1e6, ..Bandwidth::default() };
        let mut run = run();
        run.ceilings.insert("cuda:0".to_owned(), bandwidth);
        // 32 bytes an item at 1 MB/s are 31,250 items a second.
        let rows = [
            whole("a"),
            kernel("a", 0.032, 32_000),
            whole("b"),
            kernel("b", 0.064, 32_000),
            whole("untold"),
            kernel("untold", 0.1, 0),
        ];
        let chart = |run: &RunRecord| figure(&Study::new(run, "sort", &rows, &[]));
        let figure = chart(&run).expect("two variants have the counts");
        let lines = &figure.panels[0].lines;
        let at = |name: &str| {
            let line = lines.iter().find(|line| line.name.starts_with(name)).expect(name);
            line.points.clone()
        };
        assert_eq!(lines.len(), 3);
        let [left, right] = [at(ROOF)[0], at(ROOF)[1]];
        assert!((left.x * left.y - 1e6).abs() < 1.0 && (right.x * right.y - 1e6).abs() < 1.0);
        let x = at("a")[0].x;
        let y = at("a")[0].y;
        assert_eq!((x, y), (32.0, 31_250.0));
        assert_eq!(at("b")[0].y, y / 2.0);
        assert_eq!(figure.panels[0].change_markers[0].at, 16.0);
        assert_eq!(at("a").len(), 1, "no counters");
        assert!(chart(&super::super::fixture::run()).is_none(), "no bandwidth was measured");
    }
}
