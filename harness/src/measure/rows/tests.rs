//! Rows of GPU runs.

use std::time::Duration;

use portable_gpu::{Attributes, KernelUse, Properties, Shape};
use reports::energy::EnergyParts;
use reports::record::{Bandwidth, LinkBandwidth};
use statistics::MIN_SAMPLES;
use tasks::device::Backend;

use super::*;

const WORK: Work = Work {
    items: 1000,
    item_unit: "digi",
    bytes_min: 16_000,
    input_bytes: 8000,
    to_host_bytes: None,
    has_reference: true,
    metrics: Vec::new(),
};

fn subject() -> RowBuilder {
    let task = crate::registry::task("sort").expect("a task");
    let mut subject = RowBuilder::new(Point::default(), &task.variants()[0], "code".to_owned());
    let link =
        LinkBandwidth { h2d_bytes_per_s: 50e3, d2h_bytes_per_s: 40e3, both_bytes_per_s: 80e3 };
    let ceilings = Ceilings {
        backend: Backend::Cuda,
        bandwidth: Some(Bandwidth {
            copy_bytes_per_s: 4e6,
            triad_bytes_per_s: 4e6,
            store_bytes_per_s: None,
            link: Some(link),
        }),
    };
    subject.work = WORK;
    subject.ceilings = ceilings;
    subject
}

fn stage(name: &'static str, seconds: f64, bytes: u64) -> StageTiming {
    StageTiming { name: name.into(), seconds, calls: 1, bytes, start_s: None }
}

/// Samples of a block.
fn series(samples: Vec<Sample>) -> Series<Sample> {
    let mut series = Series::default();
    series.begin_block();
    samples.into_iter().for_each(|sample| series.push(sample));
    series
}

/// Rows of a run with these stages, in order of their names.
fn rows(subject: &RowBuilder, stages: &[StageTiming]) -> Vec<SummaryRow> {
    let sample = Sample {
        seconds: 0.5,
        stages: Some(stages.to_vec()),
        within_cpu_set: true,
        ..Sample::default()
    };
    subject.summary_rows("samples", &series(vec![sample; MIN_SAMPLES]))
}

#[test]
fn each_stage_of_a_gpu_is_under_the_ceiling_that_is_its_own() {
    let stages = [
        stage("kernel", 0.01, 64_000),
        stage("h2d", 0.2, 8000),
        stage("again", 0.01, 64_000),
        stage("again/sort", 0.008, 24_000),
        stage("again/memset", 0.002, 8),
        stage("d2h", 0.25, 8000),
    ];
    let found = rows(&subject(), &stages).into_iter();
    let expected = [
        ("total", Some(16e3 / 0.5 / 80e3)),
        ("kernel", Some(16e3 / 0.01 / 4e6)),
        ("h2d", Some(8e3 / 0.2 / 50e3)),
        ("again", None),
        ("again/sort", Some(24e3 / 0.008 / 4e6)),
        ("again/memset", None),
        ("d2h", Some(8e3 / 0.25 / 40e3)),
    ];
    assert_eq!(found.len(), expected.len());
    for (row, (name, wanted)) in found.zip(expected) {
        assert_eq!(row.stage, name);
        match (row.peak_fraction, wanted) {
            (Some(share), Some(wanted)) => assert!((share - wanted).abs() < 1e-9, "{name}"),
            (share, wanted) => assert_eq!(share, wanted, "{name}"),
        }
    }
}

#[test]
fn kernel_rows_have_resources_and_total_rows_energy() {
    let mut subject = subject();
    subject.energy = Some(RunEnergy {
        windows: vec![1.9, 2.0, 2.1],
        parts: EnergyParts { gpu: Some(1.5), cpu: Some(0.5), command: None },
        source: "cpu+gpu".into(),
        covered_s: 1.5,
    });
    let attributes = Attributes {
        registers: Some(64),
        shared_bytes: 1024,
        local_bytes: Some(0),
        max_threads: 512,
        resident_blocks: 2,
    };
    let shape = Shape {
        blocks: 8,
        threads: 512,
        grid: [8, 1, 1],
        block: [512, 1, 1],
        shared_bytes: 4096,
        bytes: 0,
    };
    subject.device_use = DeviceUse {
        kernels: vec![KernelUse { kernel: "sort", shape, attributes }],
        properties: Some(Properties {
            device: "cuda:0".into(),
            multiprocessor_threads: 2048,
            ..Properties::default()
        }),
        allocated_bytes: Some(16_000),
        note: Some("other users".into()),
    };
    let rows = rows(&subject, &[stage("kernel", 0.1, 5), stage("sort", 0.1, 5)]);
    let metrics: Vec<_> = rows.iter().map(|row| row.metrics.to_string()).collect();
    let energies = "cpu_j_per_item=5.000e-4;device_bytes=16000;gpu_j_per_item=1.500e-3;\
        j_per_item=2.000e-3";
    assert_eq!(metrics[0], energies);
    assert_eq!((rows[0].j_per_item, rows[0].energy_s), (Some(2e-3), Some(1.5)));
    assert_eq!((rows[0].energy_source.as_str(), rows[0].j_per_item_low), ("cpu+gpu", None));
    assert_eq!(rows[0].joules_of_windows().len(), 3);
    assert!(rows[1..].iter().all(|row| row.joules_per_item().is_none()), "of whole runs only");
    assert_eq!(metrics[1], "bytes_moved=5;calls=1");
    let sort = "calls=1;local_bytes=0;occupancy=0.500;registers=64;shared_bytes=5120";
    assert_eq!(metrics[2], sort);
    assert_eq!(rows[0].note, "other users");
    assert_eq!(rows[1].bytes_min, WORK.bytes_min);
}

#[test]
fn the_cost_of_profiling_is_a_ratio_of_medians() {
    let sample = |profiled: Option<f64>| Sample {
        seconds: 0.5,
        profiled_seconds: profiled,
        within_cpu_set: true,
        ..Sample::default()
    };
    let samples = [Some(0.5), None, Some(0.6), Some(0.9), None].map(sample);
    let rows = subject().summary_rows("samples", &series(samples.to_vec()));
    assert_eq!(rows[0].metrics.get("profiled"), Some("1.20"));
    let rows = subject().summary_rows("samples", &series(vec![sample(None); 5]));
    assert_eq!(rows[0].metrics.get("profiled"), None);
}

#[test]
fn a_subsample_is_not_a_total() {
    let mut subject = subject();
    subject.set_subsampled(Work { items: 10, bytes_min: 160, ..WORK });
    let rows = rows(&subject, &[stage("kernel", 0.0, 0), stage("d2h", 0.25, 80)]);
    let stages: Vec<_> = rows.iter().map(|row| row.stage.as_str()).collect();
    assert_eq!(stages, ["sample", "sample/kernel", "sample/d2h"]);
    assert_eq!((rows[0].items, rows[0].bytes_min), (10, 160));
    assert_eq!(rows[0].peak_fraction, Some(160.0 / 0.5 / 80e3));
    assert_eq!(rows[2].peak_fraction, Some(80.0 / 0.25 / 40e3));
}

#[test]
fn what_is_on_the_gpu_before_must_cross_the_link_once() {
    let mut subject = subject();
    let work = Work { to_host_bytes: Some(8000), ..WORK };
    subject.work = work;
    let rows = rows(&subject, &[stage("kernel", 0.01, 64_000)]);
    assert_eq!(rows[0].peak_fraction, Some(8e3 / 0.5 / 40e3));
    assert_eq!(rows[1].peak_fraction, Some(16e3 / 0.01 / 4e6));
}

/// Rows of `samples` samples, the last `with_stages` of which have stages.
fn rows_of(samples: usize, with_stages: usize) -> Vec<SummaryRow> {
    let sample = |number| Sample {
        seconds: 0.5 + 0.1 * number as f64,
        stages: (number < with_stages).then(|| vec![stage("kernel", 0.1, 5)]),
        within_cpu_set: true,
        ..Sample::default()
    };
    let samples = (0..samples).map(sample).collect();
    subject().summary_rows("time", &series(samples))
}

#[test]
fn few_samples_have_their_range_with_its_level() {
    let whole = &rows_of(4, 0)[0];
    let ends = whole.ci95_low_s.zip(whole.ci95_high_s);
    let (low, high) = ends.expect("an interval");
    assert!((low - 0.5).abs() < 1e-12 && (high - 0.8).abs() < 1e-12);
    assert_eq!(whole.metrics.get("interval_level"), Some("0.88"));
    let single = &rows_of(1, 0)[0];
    assert_eq!(single.ci95_low_s, single.median_s);
    assert_eq!(single.ci95_high_s, single.median_s);
    assert_eq!(single.metrics.get("interval_level"), Some("0.00"));
    assert!(single.note.contains("a single sample"), "{}", single.note);
    assert_eq!(rows_of(6, 0)[0].metrics.get("interval_level"), None);
}

#[test]
fn stages_are_of_the_samples_that_have_them() {
    let rows = rows_of(8, 3);
    let [whole, kernel] = &rows[..] else {
        panic!("{} rows", rows.len());
    };
    assert_eq!((whole.samples, kernel.samples), (8, 3));
    assert_eq!(kernel.median_s, Some(0.1));
    assert_eq!(kernel.metrics.get("interval_level"), Some("0.75"));
}

#[test]
fn counters_are_in_total_rows() {
    use crate::platform::counters::{Counting, Reading, fake::Script};
    let script = Script::from_cycles(&[0, 3000, 8000]);
    let [a, b, c] = [0; 3].map(|_| script.read().expect("a reading"));
    let sample = |before: &Reading, after: &Reading| Sample {
        seconds: 1.0,
        stages: Some(vec![stage("kernel", 0.5, 0)]),
        within_cpu_set: true,
        counters: Some(Reading::between(before, after)),
        ..Sample::default()
    };
    let samples = vec![sample(&a, &b), sample(&b, &c)];
    let at = SampleIndex { candidate: 0, round: 0, index: 0, fresh: true };
    let rows = subject().sample_rows(at, &samples[0], Instant::now());
    let columns: Vec<_> = rows.iter().map(|row| row.counters.to_string()).collect();
    assert_eq!(columns, ["cycles=3000", ""]);
    let rows = subject().summary_rows("samples", &series(samples));
    let metrics = rows.iter().map(|row| row.metrics.get("cycles_per_item"));
    assert_eq!(metrics.collect::<Vec<_>>(), [Some("4.000"), None]);
}

#[test]
fn starts_are_relative_to_the_run() {
    let origin = Instant::now();
    let after = |ms: u64| Some(origin + Duration::from_millis(ms));
    let stage =
        |name: &'static str, start_s: Option<f64>| StageTiming { start_s, ..stage(name, 0.001, 0) };
    let sample = Sample {
        seconds: 0.005,
        start: after(2),
        staged_start: after(20),
        stages: Some(vec![stage("fill", Some(0.003)), stage("sum over workers", None)]),
        ..Sample::default()
    };
    let at = SampleIndex { candidate: 0, round: 0, index: 0, fresh: true };
    let rows = subject().sample_rows(at, &sample, origin);
    let starts: Vec<_> = rows.iter().map(|row| row.start_s).collect();
    assert_eq!(starts, [Some(0.002), Some(0.023), None]);
}

#[test]
fn stages_have_their_preconditions() {
    let task = crate::registry::task("sts").expect("a task");
    let mut params = tasks::axis::Params::default();
    params.set("preset", "mcbm-2024");
    params.set("scale", "0.0005");
    let params = task.plan(params).expect("sensible").params;
    let case = task.generate(&params, 5).expect("made");
    let of = |name: &str| {
        let number = task.variants().iter().position(|info| info.name == name).expect(name);
        let team = tasks::device::Team::new(1).expect("a thread");
        let candidate = case.prepare(number, &tasks::device::Target::host(&team));
        let subject = RowBuilder { given: candidate.expect(name).given(), ..subject() };
        let stages = [stage("sort", 0.1, 0), stage("cluster", 0.2, 0)];
        let rows = rows(&subject, &stages).into_iter();
        rows.map(|row| (row.stage, row.given)).collect::<Vec<_>>()
    };
    let row = |stage: &str, given: &str| (stage.to_owned(), given.to_owned());
    let whole = row("total", "");
    let sort = row("sort", "digis by time");
    assert_eq!(of("per-side"), [whole.clone(), sort, row("cluster", "digis by channel")]);
    let sort = row("sort", "digis by time, which stay so");
    assert_eq!(of("time-sweep"), [whole, sort, row("cluster", "digis by time")]);
}
