//! The bandwidth of the links to GPUs over the size of blocks.

use std::collections::BTreeSet;

use super::axes::Axis;
use super::caption;
use super::chart::Chart;
use super::line_panels::{self, Line, LinePanel, Point};
use super::lines::x_axis;
use super::palette::Palette;
use super::scale::{Scale, Spread};
use super::unit::Unit;
use crate::record::{CeilingsRecord, LinkPoint};

/// The horizontal axis, in bytes.
const AXIS: &str = "block size";
const READING: &str = "h2d: host to device, d2h: device to host, both: both directions at the same \
    time, summed · markers: best of several repetitions";

/// The chart of a machine's links, one panel per GPU; `None` without links.
pub fn figure(record: &CeilingsRecord) -> Option<Chart<LinePanel>> {
    let devices: BTreeSet<&str> = record.links.iter().map(|p| p.device.as_str()).collect();
    let palette = Palette::new(record.links.iter().map(name));
    let lines = devices.iter().map(|device| {
        let title = if devices.len() > 1 { *device } else { "" };
        (title.to_owned(), lines(record, device, &palette))
    });
    let sizes = record.links.iter().map(|point| point.block_bytes.to_string());
    let x = x_axis::with_ticks(&Axis::new(AXIS, sizes));
    let y = |low, high| Scale::new(low, high, Spread::beyond(2.0, low, high));
    let panels = line_panels::panels_over(&x, Unit::Bandwidth, y, lines.collect());
    let caption = vec![machine(record), READING.to_owned()];
    Chart::new("Link bandwidth over block size".to_owned(), panels.len(), panels, caption)
}

/// `pinned h2d`.
fn name(point: &LinkPoint) -> String {
    format!("{} {}", point.memory, point.direction)
}

fn lines(record: &CeilingsRecord, device: &str, palette: &Palette) -> Vec<Line> {
    let of_device = || record.links.iter().filter(|point| point.device == device);
    let point = |point: &LinkPoint| Point::new(point.block_bytes as f64, point.bytes_per_s);
    let names: BTreeSet<String> = of_device().map(name).collect();
    let line = |line: String| {
        let points = of_device().filter(|point| name(point) == line).map(point).collect();
        Line::curve(&line, palette.style(&line), points)
    };
    names.into_iter().map(line).collect()
}

/// `Model · cuda:0: GPU 100, 80 GB`.
fn machine(record: &CeilingsRecord) -> String {
    let gpus = record.machine.gpus.iter().enumerate();
    let gpus = gpus.map(|(i, gpu)| caption::gpu(&format!("cuda:{i}"), gpu));
    let all: Vec<String> = std::iter::once(record.machine.cpu_model.clone()).chain(gpus).collect();
    all.join(crate::shape::SEPARATOR)
}
