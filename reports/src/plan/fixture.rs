//! A need, a machine and a run for tests, with numbers that are easy to calculate with.

use super::{Concurrency, KeptRun, Load, Machine, Need, Spares, TaskShare};
use crate::record::{Params, RunRecord};
use crate::store::ThroughputRun;
use crate::throughput::ThroughputRow;
use crate::throughput::fixture::row;

/// 10 M items per second, with half of each node free.
pub fn need() -> Need {
    Need {
        file: "need.toml".into(),
        name: "test farm".into(),
        tasks: vec![TaskShare { name: "sts".into(), share: 1.0 }],
        load: Load::Items(10e6),
        preset: None,
        bytes_per_item: None,
        latency_p99_s: None,
        headroom: 0.5,
        spares: Spares::Nodes(0),
        years: 5.0,
        electricity_eur_per_kwh: 0.25,
        pue: 1.25,
    }
}

/// A node of 10 000 €, with 100 W idle and 300 W at 1 M items per second.
pub fn machine(name: &str) -> Machine {
    Machine {
        file: "machines.toml".into(),
        name: name.into(),
        price_eur: 10_000.0,
        idle_w: 100.0,
        peak_w: 300.0,
        rack_units: 2.0,
        network_gbit_s: 10.0,
        availability: None,
        gpus: None,
        runs: vec![kept(vec![measured("sts", 1e6)])],
        stream: None,
    }
}

/// A row of a task with events of 1000 items of 16 bytes each, and ± 20 % of the rate.
pub fn measured(task: &str, rate: f64) -> ThroughputRow {
    ThroughputRow {
        algorithm: task.into(),
        items: 1000.0,
        bytes_min: 16_000.0,
        items_per_s_low: Some(0.8 * rate),
        items_per_s_high: Some(1.2 * rate),
        p99_s: Some(0.01),
        cores_share: Some(0.95),
        others_share: Some(0.0),
        params: "preset=cbm-auau;scale=0.1".parse::<Params>().expect("well formed"),
        ..row(1, rate)
    }
}

/// A row of one GPU whose link is almost fully used.
pub fn on_gpu(device: &str, rate: f64) -> ThroughputRow {
    ThroughputRow {
        backend: "cuda".into(),
        device: device.into(),
        link_share: Some(0.9),
        kernels_share: Some(0.6),
        copy_share: Some(0.1),
        ..measured("sts", rate)
    }
}

/// A run of these rows.
pub fn kept(rows: Vec<ThroughputRow>) -> KeptRun {
    let run = ThroughputRun { record: RunRecord::default(), rows };
    KeptRun { folder: "runs/today".into(), run, concurrency: Concurrency::Isolated }
}
