//! Rows and a run for the tests of the charts.

use super::study::Study;
use crate::record::{
    Environment, Gpu, Machine, RunRecord, SCHEMA_VERSION, SampleRow, Software, SummaryRow, YesNo,
};

/// Result of `of` for a study of `sort` with these rows and samples.
pub fn of_study<T>(rows: &[SummaryRow], samples: &[SampleRow], of: impl FnOnce(&Study) -> T) -> T {
    of(&Study::new(&run(), "sort", rows, samples))
}

/// A valid row of `sort` on two threads.
pub fn row(variant: &str, params: &str, median: f64) -> SummaryRow {
    SummaryRow {
        algorithm: "sort".into(),
        variant: variant.into(),
        stage: "total".into(),
        backend: "cpu".into(),
        device: "cpu".into(),
        threads: 2,
        cpu_sets: "none".into(),
        bind: "false".into(),
        cache: "hot".into(),
        params: params.parse().expect("well formed"),
        items: 1_000_000,
        item_unit: "digi".into(),
        bytes_min: 16_000_000,
        samples: 10,
        stopped_by: "interval".into(),
        median_s: Some(median),
        mean_s: Some(median),
        stddev_s: Some(median * 0.02),
        min_s: Some(median * 0.95),
        p95_s: Some(median * 1.1),
        p99_s: Some(median * 1.2),
        max_s: Some(median * 1.3),
        ci95_low_s: Some(median * 0.97),
        ci95_high_s: Some(median * 1.04),
        items_per_s: Some(1e6 / median),
        bytes_per_s: Some(16e6 / median),
        peak_fraction: Some(0.5),
        memory_bytes: Some(32_000_000),
        memory_ratio: Some(2.0),
        stable: YesNo::Yes,
        valid: YesNo::Yes,
        ..SummaryRow::default()
    }
}

/// Two CPU variants and one for a GPU with its kernels, at 1 k to 10 M digis: the GPU is faster
/// from somewhat more than 10 k on, and its kernels from 2 k on.
pub fn break_even_rows(orders: &[&str]) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for order in orders {
        for digis in [3, 4, 5, 6, 7].map(|power| 10u64.pow(power)) {
            // Fixed time in microseconds, and nanoseconds per digi.
            let timed = |variant: &str, start: f64, digi: f64| SummaryRow {
                items: digis,
                ..row(
                    variant,
                    &format!("digis={digis};order={order}"),
                    1e-6 * start + 1e-9 * digi * digis as f64,
                )
            };
            let on_gpu = |stage: &str, row: SummaryRow| SummaryRow {
                stage: stage.into(),
                backend: "cuda".into(),
                device: "cuda:0".into(),
                ..row
            };
            rows.extend([
                timed("small", 1.0, 4.0),
                timed("large", 30.0, 2.0),
                on_gpu("total", timed("gpu", 40.0, 0.3)),
                on_gpu("kernel", timed("gpu", 8.0, 0.05)),
            ]);
        }
    }
    rows
}

/// A run on a machine with one GPU.
pub fn run() -> RunRecord {
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: vec!["bench".into(), "sort".into()],
        started: "2026-01-01T00:00:00Z".into(),
        seed: 1,
        software: Software {
            version: "0.1.0".into(),
            compiler: "rustc".into(),
            build_profile: "release".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            ..Software::default()
        },
        machine_key: "key".into(),
        machine: Machine {
            cpu_model: "Model 9000".into(),
            architecture: "x86_64".into(),
            packages: 1,
            cores: 2,
            hardware_threads: 2,
            numa_nodes: 1,
            memory_bytes: 25_000_000_000,
            gpus: vec![Gpu {
                model: "GPU 100".into(),
                driver: "1".into(),
                memory_bytes: 80_000_000_000,
                ..Gpu::default()
            }],
            ..Machine::default()
        },
        environment: Environment {
            kernel: "Linux".into(),
            load_1min: Some(0.0),
            available_memory_bytes: 20_000_000_000,
            usable_threads: 2,
            ..Environment::default()
        },
        ..RunRecord::default()
    }
}
