//! A mix for tests: two closed loops that use most of four CPUs each, and an open loop.

use super::{BACKGROUND, LoadRow, LoadWindowRow, MixedResult, NodeCpus};
use crate::record::YesNo;

pub const NODE: NodeCpus = NodeCpus { cpus: 4, cores: 4 };
pub const BLOCKS: usize = 5;

/// A closed loop of one stream.
pub fn load(name: &str, threads: usize) -> LoadRow {
    LoadRow {
        load: name.into(),
        algorithm: name.into(),
        variant: "quick".into(),
        backend: "cpu".into(),
        device: "cpu".into(),
        threads,
        streams: 1,
        batch: 2,
        weight: Some(1.0),
        items: 1000.0,
        item_unit: "digi".into(),
        valid: YesNo::Yes,
        ..LoadRow::default()
    }
}

/// Figures of a load in a configuration.
struct Figures {
    configuration: &'static str,
    load: &'static str,
    rate: f64,
    p50: f64,
    /// Shares of the CPUs and of the bandwidth of memory.
    cores: f64,
    copy: f64,
}

const fn figures(
    configuration: &'static str,
    load: &'static str,
    [rate, p50, cores, copy]: [f64; 4],
) -> Figures {
    Figures { configuration, load, rate, p50, cores, copy }
}

const FIGURES: [Figures; 17] = [
    figures("sts", "sts", [100.0, 10e-3, 0.9, 0.3]),
    figures("velo", "velo", [300.0, 3e-3, 0.9, 0.2]),
    figures("online", "online", [200.0, 1e-3, 0.05, 0.01]),
    figures("background-memory", "background-memory", [50.0, 20e-3, 0.05, 0.9]),
    figures("sts+velo", "sts", [50.0, 20e-3, 0.95, 0.2]),
    figures("sts+velo", "velo", [150.0, 6e-3, 0.95, 0.2]),
    figures("sts+online", "sts", [97.0, 10e-3, 0.95, 0.3]),
    figures("sts+online", "online", [200.0, 3e-3, 0.95, 0.01]),
    figures("velo+online", "velo", [300.0, 3e-3, 0.95, 0.2]),
    figures("velo+online", "online", [200.0, 1e-3, 0.95, 0.01]),
    figures("sts+velo+online", "sts", [40.0, 25e-3, 1.0, 0.1]),
    figures("sts+velo+online", "velo", [120.0, 8e-3, 1.0, 0.1]),
    figures("sts+velo+online", "online", [200.0, 4e-3, 1.0, 0.01]),
    figures("sts+background-memory", "sts", [80.0, 12e-3, 0.95, 0.2]),
    figures("sts+background-memory", "background-memory", [50.0, 20e-3, 0.95, 0.8]),
    figures("velo+background-memory", "velo", [295.0, 3e-3, 0.95, 0.2]),
    figures("online+background-memory", "online", [200.0, 1e-3, 0.95, 0.01]),
];

/// Windows of all configurations; rates drift by half from block to block, and a window deviates by
/// less than one per cent from its block.
pub fn windows() -> Vec<LoadWindowRow> {
    let mut rows = Vec::new();
    for block in 0..BLOCKS {
        for (order, figures) in FIGURES.into_iter().enumerate() {
            let Figures { configuration, load, rate, p50, cores, copy } = figures;
            let noise = 1.0 + 0.004 * (((block * 7 + order * 3) % 5) as f64 - 2.0);
            let is_open = load == "online";
            let drift = if is_open { 1.0 } else { 1.0 + 0.1 * (block as f64 - 2.0) };
            let items = if load.starts_with(BACKGROUND) { 1e8 } else { 1000.0 };
            rows.push(LoadWindowRow {
                block,
                order,
                configuration: configuration.into(),
                load: load.into(),
                window_s: Some(1.0),
                events: 100,
                events_per_s: Some(rate * drift * noise),
                items_per_s: Some(items * rate * drift * noise),
                p50_s: Some(p50 / drift * noise),
                p99_s: Some(2.0 * p50 / drift),
                due: is_open.then_some(200),
                backlog_growth: is_open.then_some(0.0),
                cores_share: Some(cores),
                others_share: Some(0.0),
                copy_share: Some(copy),
                ..LoadWindowRow::default()
            });
        }
    }
    rows
}

/// The evaluated mix.
pub fn mix() -> MixedResult {
    let velo = LoadRow { weight: Some(4.0), ..load("velo", 2) };
    let online = LoadRow { due_per_s: Some(200.0), weight: None, ..load("online", 1) };
    let background = LoadRow { weight: None, ..load("background-memory", 2) };
    MixedResult::new(vec![load("sts", 2), velo, online, background], &windows(), NODE)
}
