//! The bandwidth of the links to GPUs over the size of blocks.

use std::collections::BTreeSet;

use super::axes::Axis;
use super::figure::{Figure, Ruler, Tick};
use super::lines::curves::{self, Chart, Curve, Panel, Point, YAxis};
use super::palette::Palette;
use super::scale::{Scale, Spread};
use crate::record::{CeilingsRecord, LinkPoint};
use crate::units;

/// The horizontal axis, in bytes.
const AXIS: &str = "block size";
const READING: &str = "h2d: host to device, d2h: device to host, both: both ways at the same time, \
    summed · markers: best of several repetitions";

/// The chart of a machine's links, if there are any; a panel a GPU.
pub fn figure(record: &CeilingsRecord) -> Option<Figure> {
    let devices: BTreeSet<&str> = record.links.iter().map(|p| p.device.as_str()).collect();
    let palette = Palette::new(record.links.iter().map(name));
    let panels: Vec<Panel> =
        devices.iter().map(|device| panel(record, device, devices.len(), &palette)).collect();
    if panels.is_empty() {
        return None;
    }
    let (low, high) = curves::extent(&panels);
    let axis = axis(record);
    let chart = Chart {
        title: "Link bandwidth over block size".to_owned(),
        axis: &axis,
        y: YAxis {
            name: "bandwidth".to_owned(),
            scale: Scale::new(low, high, Spread::beyond(2.0, low, high)),
            ruler,
        },
        row: panels.len(),
        panels,
        caption: vec![machine(record), READING.to_owned()],
    };
    Some(chart.figure())
}

/// `pinned h2d`.
fn name(point: &LinkPoint) -> String {
    format!("{} {}", point.memory, point.direction)
}

fn panel(record: &CeilingsRecord, device: &str, devices: usize, palette: &Palette) -> Panel {
    let of_device = || record.links.iter().filter(|point| point.device == device);
    let names: BTreeSet<String> = of_device().map(name).collect();
    let curve = |name_of_curve: String| Curve {
        style: palette.style(&name_of_curve),
        points: of_device()
            .filter(|point| name(point) == name_of_curve)
            .map(|point| Point {
                x: point.block_bytes as f64,
                y: point.bytes_per_s,
                interval: None,
            })
            .collect(),
        name: name_of_curve,
    };
    Panel {
        title: if devices > 1 { device.to_owned() } else { String::new() },
        curves: names.into_iter().map(curve).collect(),
    }
}

fn axis(record: &CeilingsRecord) -> Axis {
    let sizes: BTreeSet<u64> = record.links.iter().map(|point| point.block_bytes).collect();
    Axis { name: AXIS.to_owned(), values: sizes.iter().map(u64::to_string).collect() }
}

fn ruler(scale: &Scale, height: f64, what: &str) -> Ruler {
    let pixel = |value: f64| height * (1.0 - scale.position(value));
    let tick = |value: f64| Tick { at: pixel(value), label: units::bytes_per_second(value) };
    Ruler {
        label: what.to_owned(),
        ticks: scale.ticks((height / 36.0) as usize).into_iter().map(tick).collect(),
        minor: scale.minor_ticks().into_iter().map(pixel).collect(),
        grid: true,
    }
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
