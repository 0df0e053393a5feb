//! Change points of a thousand points over two hundred runs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use reports::record::Point;
use reports::trend::{HistoryPoint, PointHistory, ShiftLimits, trends};

const POINTS: usize = 1000;
const RUNS: usize = 200;

/// A pseudo-random number between -1 and 1, from its name (SplitMix64).
fn noise(name: u64) -> f64 {
    let mut bits = name.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits >> 11) as f64 / (1_u64 << 52) as f64) - 1.0
}

/// A history that scatters by 1 %, and is slower by `step` from some run on.
fn history(number: usize, step: f64) -> PointHistory {
    let from = 20 + number * 7 % (RUNS - 40);
    let entry = |run: usize| {
        let step = if run >= from { step } else { 0.0 };
        HistoryPoint {
            run: String::new(),
            started: String::new(),
            git_commit: None,
            median_s: 1.0 + step + 0.017 * noise((number * RUNS + run) as u64),
            interval: None,
            fingerprint: String::new(),
        }
    };
    PointHistory {
        machine_key: String::new(),
        point: Point {
            algorithm: "sort".into(),
            variant: number.to_string(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: reports::record::Params::default(),
        },
        entries: (0..RUNS).map(entry).collect(),
        gpu: None,
        moved: None,
    }
}

fn change_points(c: &mut Criterion) {
    let mut group = c.benchmark_group("1000 points over 200 runs");
    group.sample_size(10);
    for (name, step) in [("steady", 0.0), ("slower by 3 %", 0.03)] {
        let histories: Vec<PointHistory> = (0..POINTS).map(|index| history(index, step)).collect();
        group.bench_function(name, |b| {
            b.iter(|| trends(black_box(histories.clone()), &ShiftLimits::default(), &[]));
        });
    }
}

criterion_group!(benches, change_points);
criterion_main!(benches);
