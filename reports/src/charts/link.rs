//! The bandwidth of the links to GPUs over the size of blocks.

use std::collections::BTreeSet;

use super::axes::Axis;
use super::line_panels::{self, Kind, Line, LinePanel, LinePanels, Point};
use super::lines::x_axis;
use super::palette::Palette;
use super::scale::{Scale, Spread};
use super::unit::Unit;
use crate::record::{CeilingsRecord, LinkPoint};
use crate::units;

/// The horizontal axis, in bytes.
const AXIS: &str = "block size";
const READING: &str = "h2d: host to device, d2h: device to host, both: both ways at the same time, \
    summed · markers: best of several repetitions";

/// The chart of a machine's links, if there are any; a panel a GPU.
pub fn figure(record: &CeilingsRecord) -> Option<LinePanels> {
    let devices: BTreeSet<&str> = record.links.iter().map(|p| p.device.as_str()).collect();
    let palette = Palette::new(record.links.iter().map(name));
    let all = devices.iter().map(|device| (*device, lines(record, device, &palette)));
    let all: Vec<(&str, Vec<Line>)> = all.collect();
    if all.is_empty() {
        return None;
    }
    let (low, high) = line_panels::extent(all.iter().flat_map(|(_, lines)| lines));
    let axis = axis(record);
    let panel = |(device, lines): (&str, Vec<Line>)| LinePanel {
        title: if devices.len() > 1 { device.to_owned() } else { String::new() },
        x: x_axis::of(&axis),
        y: Scale::new(low, high, Spread::beyond(2.0, low, high)),
        unit: Unit::Bandwidth,
        lines,
        cuts: Vec::new(),
    };
    Some(LinePanels {
        title: "Link bandwidth over block size".to_owned(),
        columns: super::columns(devices.len(), devices.len()),
        panels: all.into_iter().map(panel).collect(),
        has_legend: true,
        caption: vec![machine(record), READING.to_owned()],
    })
}

/// `pinned h2d`.
fn name(point: &LinkPoint) -> String {
    format!("{} {}", point.memory, point.direction)
}

fn lines(record: &CeilingsRecord, device: &str, palette: &Palette) -> Vec<Line> {
    let of_device = || record.links.iter().filter(|point| point.device == device);
    let point = |point: &LinkPoint| Point {
        x: point.block_bytes as f64,
        y: point.bytes_per_s,
        interval: None,
    };
    let names: BTreeSet<String> = of_device().map(name).collect();
    let line = |line: String| Line {
        style: palette.style(&line),
        kind: Kind::Curve,
        points: of_device().filter(|point| name(point) == line).map(point).collect(),
        name: line,
    };
    names.into_iter().map(line).collect()
}

fn axis(record: &CeilingsRecord) -> Axis {
    let sizes: BTreeSet<u64> = record.links.iter().map(|point| point.block_bytes).collect();
    Axis { name: AXIS.to_owned(), values: sizes.iter().map(u64::to_string).collect() }
}

/// `Model · cuda:0: GPU 100, 80 GB`.
fn machine(record: &CeilingsRecord) -> String {
    let gpus = record.machine.gpus.iter().enumerate().map(|(i, gpu)| {
        let memory = units::bytes(gpu.memory_bytes as f64);
        format!("cuda:{i}: {}, {memory}", gpu.model)
    });
    let all: Vec<String> = std::iter::once(record.machine.cpu_model.clone()).chain(gpus).collect();
    all.join(crate::shape::SEPARATOR)
}
