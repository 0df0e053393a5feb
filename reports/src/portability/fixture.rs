//! A run of kernels with known times, noise and a common drift.

use statistics::synthetic::Noise;

use super::Pair;
use crate::charts::fixture::row;
use crate::record::{Params, Point, SampleRow, SummaryRow, flags};

const BLOCKS: usize = 12;
const ROUNDS: usize = 5;

/// Shaders of `native`, and a replacement idiom.
pub(crate) const PAIRS: [Pair; 2] = [
    Pair {
        task: "sort",
        native: "native",
        variant: "native",
        backend: "wgpu",
        written_as: "shaders",
        differs: "blocks are smaller",
    },
    Pair {
        task: "sort",
        native: "native",
        variant: "native-by-shifts",
        backend: "cuda",
        written_as: "ballots as sums of shifted ones",
        differs: "",
    },
];

/// A point of `sort`.
pub(crate) fn point(variant: &str, device: &str) -> Point {
    let row = row(variant, "digis=1000000;order=random;segments=24", 1.0);
    Point { device: device.into(), ..row.point() }
}

/// Five rounds in each of twelve blocks, during which all times drift by a tenth.
pub(crate) fn samples(point: &Point, seconds: f64) -> Vec<SampleRow> {
    let mut random = Noise::new(point.device.len() as u64 + seconds.to_bits());
    let mut rows = Vec::new();
    for round in 0..BLOCKS * ROUNDS {
        let drift = 1.0 + 0.1 * round as f64 / (BLOCKS * ROUNDS) as f64;
        let time = drift * seconds * (1.0 + 5e-4 * random.normal());
        let is_fresh = round % ROUNDS == 0;
        let flags = if is_fresh { flags::FRESH } else { "" };
        for (stage, time) in [("total", 3.0 * time), ("kernel", time)] {
            let row = SampleRow::new(point, stage, round, round, time);
            rows.push(SampleRow { flags: flags.to_owned(), ..row });
        }
    }
    rows
}

/// The rows of a point: the total, all kernels, and two of them.
pub(crate) fn rows(point: &Point, seconds: f64) -> Vec<SummaryRow> {
    let stage = |stage: &str, seconds: f64, metrics: &str| SummaryRow {
        stage: stage.into(),
        device: point.device.clone(),
        backend: point.device.split(':').next().unwrap_or_default().into(),
        metrics: metrics.parse::<Params>().expect("well formed"),
        ..row(&point.variant, &point.params.to_string(), seconds)
    };
    let long = match stage("", 0.0, "").backend.as_str() {
        "cuda" => "local_bytes=8;occupancy=0.500;registers=40;shared_bytes=4096",
        _ => "occupancy=0.500;shared_bytes=4096",
    };
    let short = "local_bytes=0;occupancy=1.000;registers=16;shared_bytes=0";
    vec![
        stage("total", 3.0 * seconds, ""),
        stage("kernel", seconds, ""),
        stage("long", 0.9 * seconds, long),
        stage("short", 0.1 * seconds, short),
    ]
}

/// Native kernels of a millisecond, twice; shaders, checked shaders and an idiom.
pub(crate) fn run() -> (Vec<SummaryRow>, Vec<SampleRow>) {
    let points = [
        (point("native", "cuda:0"), 1e-3),
        (point("native", "cuda:0+again"), 1.00001e-3),
        (point("native", "wgpu:0"), 1.5e-3),
        (point("native", "wgpu:0+checked"), 2.1e-3),
        (point("native-by-shifts", "cuda:0"), 1.0004e-3),
    ];
    let rows = points.iter().flat_map(|(point, seconds)| rows(point, *seconds)).collect();
    (rows, points.iter().flat_map(|(point, seconds)| samples(point, *seconds)).collect())
}
