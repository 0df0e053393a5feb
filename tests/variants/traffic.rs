//! Tests that kernels read and write the bytes that launchers declare, and that a task's minimum
//! number of bytes is not above the traffic of its variants.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::tasks;
use portable_gpu::emulator::{Config, KernelTraffic, Traffic};
use portable_gpu::{Gpu, emulator};
use tasks::axis::Params;
use tasks::device::{Backend, Target, Team};
use tasks::task::{Candidate, Case, Task};

use crate::common::{refresh, variants};

/// Kernels whose declared bytes may differ, each with the reason.
const LISTED: &str = include_str!("traffic_listed.txt");

/// Minimum bytes of launches that are compared, because a few memory sectors are a large part of
/// smaller ones.
const MIN_BYTES: u64 = 16 << 10;

/// Allowed ratio of declared to counted bytes of a kernel that is not listed.
const RATIOS: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// An input of medium size, for which tables of segments and pages are small.
struct Input {
    task: &'static str,
    axes: &'static [(&'static str, &'static str)],
    /// Part of the names of the variants.
    variants: &'static str,
    /// Maximum ratio of the best variant's bytes to the minimum of the task.
    max_ratio: f64,
}

const fn input(task: &'static str, axes: &'static [(&'static str, &'static str)]) -> Input {
    Input { task, axes, variants: "", max_ratio: 1.1 }
}

const MCBM: (&str, &str) = ("preset", "mcbm-2024");
const SMALL: &[(&str, &str)] = &[MCBM, ("scale", "0.002")];
const LARGER: &[(&str, &str)] = &[MCBM, ("scale", "0.02")];
const RAW: &[(&str, &str)] = &[MCBM, ("scale", "0.002"), ("from", "raw"), ("compat", "yes")];
const PRESET: (&str, &str) = ("preset", "pp");
const SECTORS: (&str, &str) = ("sectors", "1");
const ORBITS: (&str, &str) = ("orbits", "1");
const PAGES: &[(&str, &str)] = &[PRESET, SECTORS, ORBITS];

const INPUTS: &[Input] = &[
    input("sort", &[("segments", "24"), ("digis", "100k")]),
    Input { variants: "channel-bucket", ..input("sort", &[("segments", "2"), ("digis", "200k")]) },
    Input { variants: "channel-bucket", ..input("sort", &[("segments", "6"), ("digis", "200k")]) },
    input("presort", SMALL),
    // The number of output bytes is not included in the task's minimum, as only the reference knows
    // it.
    Input { max_ratio: 4.0, ..input("cluster", SMALL) },
    Input { max_ratio: f64::INFINITY, ..input("cluster-sort", SMALL) },
    Input { max_ratio: f64::INFINITY, ..input("hits", SMALL) },
    Input { max_ratio: f64::INFINITY, ..input("collect", SMALL) },
    Input { max_ratio: 5.0, ..input("sts", SMALL) },
    Input { max_ratio: 8.0, ..input("sts", RAW) },
    Input { variants: "balanced", max_ratio: 5.0, ..input("sts", LARGER) },
    Input { variants: "whole-sides", max_ratio: 5.0, ..input("sts", LARGER) },
    input("decode", PAGES),
    input("decode", &[PRESET, SECTORS, ORBITS, ("zs", "link")]),
    input("decode", &[PRESET, SECTORS, ORBITS, ("zs", "row12")]),
    input("decode", &[PRESET, SECTORS, ORBITS, ("output", "charge-map")]),
    input("decode", &[PRESET, SECTORS, ORBITS, ("output", "charge-map"), ("zs", "link")]),
    input("decode", &[PRESET, SECTORS, ORBITS, ("output", "charge-map"), ("zs", "row12")]),
    // Each step along a chain reads and writes slice tracks.
    Input { max_ratio: 1.7, ..input("merge", &[("tracks", "10k")]) },
    input("gather", &[("scale", "0.001")]),
    input("noisy-pads", PAGES),
    input("cluster-finder", PAGES),
    // Offsets of labels are read and written, too.
    Input {
        variants: "fused",
        max_ratio: 1.5,
        ..input("cluster-finder", &[PRESET, SECTORS, ORBITS, ("truth", "made-up")])
    },
    // Tables of the geometry are as large as a third of so few pages.
    Input { max_ratio: 1.3, ..input("tpc", PAGES) },
    input("memory-kinds", &[("bytes", "1M")]),
    input("calibrate", &[("digis", "100k")]),
    input("events", &[("preset", "mcbm-2024"), ("scale", "0.01")]),
    input("unpack", SMALL),
];

fn case(task: &dyn Task, axes: &[(&'static str, &str)]) -> Box<dyn Case> {
    let mut params = Params::default();
    for (name, value) in axes {
        let axis = task.axes().iter().find(|axis| axis.name == *name).expect("an axis");
        params.set(name, axis.parse(value).expect("a value"));
    }
    let plan = task.plan(params).expect("a plan");
    task.generate(&plan.params, 3).expect("data")
}

fn run_right(candidate: &mut dyn Candidate, after_run: impl FnOnce()) {
    assert_eq!(candidate.run(), Ok(()));
    after_run();
    let checked = candidate.check().map_err(|error| error.to_string());
    assert_eq!(checked, Ok(()));
}

/// Traffic of the second run, because launchers may declare results of the first one.
fn traffic(candidate: &mut dyn Candidate, gpu: &Gpu) -> Traffic {
    let emulator = gpu.emulator_queues().expect("an emulator").emulator();
    refresh(candidate);
    run_right(candidate, || ());
    refresh(candidate);
    emulator.count_traffic();
    run_right(candidate, || emulator.end_of_work());
    emulator.traffic()
}

fn ratio(kernel: &KernelTraffic) -> f64 {
    kernel.declared_bytes as f64 / (kernel.read_bytes + kernel.written_bytes) as f64
}

/// Listed kernels with their limits.
fn listed() -> Vec<(&'static str, f64)> {
    let lines = LISTED.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.map(|line| {
        let (entry, reason) = line.split_once(": ").expect("a reason");
        assert!(!reason.is_empty());
        let (kernel, limit) = entry.split_once(' ').expect("a limit");
        (kernel, limit.parse().expect("a number"))
    });
    entries.collect()
}

fn is_in_limit(ratio: f64, limit: f64) -> bool {
    if limit < 1.0 { ratio >= limit && ratio <= 1.1 } else { ratio <= limit && ratio >= 0.9 }
}

/// Wrong declarations, and the listed kernels that are needed.
#[derive(Default)]
struct Findings {
    wrong: Vec<String>,
    differing: BTreeSet<&'static str>,
    judged: BTreeSet<&'static str>,
}

impl Findings {
    fn kernel(&mut self, variant: &str, kernel: &KernelTraffic, listed: &[(&'static str, f64)]) {
        let counted = kernel.read_bytes + kernel.written_bytes;
        if kernel.declared_bytes == 0 || counted.max(kernel.declared_bytes) < MIN_BYTES {
            return;
        }
        self.judged.insert(kernel.kernel);
        let ratio = ratio(kernel);
        if RATIOS.contains(&ratio) {
            return;
        }
        self.differing.insert(kernel.kernel);
        let limit = listed.iter().find(|(name, _)| *name == kernel.kernel);
        if !limit.is_some_and(|&(_, limit)| is_in_limit(ratio, limit)) {
            self.wrong.push(format!("{variant}: {ratio:.3} of what is counted: {kernel:?}"));
        }
    }

    /// Checks all variants on an input.
    fn input(&mut self, input: &Input, gpu: &Arc<Gpu>, listed: &[(&'static str, f64)]) {
        let task = *tasks().iter().find(|task| task.name() == input.task).expect("a task");
        let case = case(task, input.axes);
        let team = Team::new(1).expect("a thread");
        let target = Target::emulated(Arc::clone(gpu), &team);
        let min = case.work().bytes_min as f64;
        let mut best = f64::INFINITY;
        let all = variants(task, Backend::Cuda).into_iter();
        for (index, variant) in all.filter(|(_, name)| name.contains(input.variants)) {
            let Ok(mut candidate) = case.prepare(index, &target) else { continue };
            let traffic = traffic(candidate.as_mut(), gpu);
            let variant = format!("{} {variant} {:?}", input.task, input.axes);
            // Other variants work on the host, or copy packed data there.
            if traffic.kernels.is_empty() {
                continue;
            }
            let moved = (traffic.input_bytes + traffic.output_bytes) as f64;
            if moved < 0.9 * min {
                self.wrong.push(format!("{variant}: moves {moved} bytes, fewer than {min}"));
            }
            best = best.min(moved);
            for kernel in &traffic.kernels {
                self.kernel(&variant, kernel, listed);
            }
        }
        assert!(best.is_finite(), "{} {:?}: no variant", input.task, input.axes);
        if best > input.max_ratio * min {
            let name = (input.task, input.axes);
            self.wrong.push(format!("{name:?}: {best} bytes are moved, not {min}"));
        }
    }
}

fn declared_is_counted(inputs: impl Fn(&Input) -> bool) -> Option<Findings> {
    let config = Config { checked: true, ..Config::default() };
    let gpu = emulator::gpu_for_tests(config)?;
    let listed = listed();
    let mut findings = Findings::default();
    for input in INPUTS.iter().filter(|input| inputs(input)) {
        findings.input(input, &gpu, &listed);
    }
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    Some(findings)
}

/// Tasks whose variants take seconds.
const QUICK: [&str; 6] = ["presort", "cluster", "merge", "events", "unpack", "calibrate"];

#[test]
fn quick_kernels_move_what_is_declared() {
    let findings = declared_is_counted(|input| QUICK.contains(&input.task));
    assert!(findings.is_none_or(|findings| findings.judged.len() > 10));
}

#[test]
#[ignore = "takes minutes: for the night"]
fn all_kernels_move_what_is_declared() {
    let Some(findings) = declared_is_counted(|_| true) else { return };
    assert!(findings.judged.len() > 50, "{:?}", findings.judged);
    let listed: BTreeSet<_> = listed().into_iter().map(|(kernel, _)| kernel).collect();
    assert_eq!(findings.differing, listed, "kernels that differ, found and listed");
}
