//! Reports of a long night and of twenty, points with 30 samples each; and change points of a thousand
//! points over two hundred runs.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use reports::rank::RankedBy;
use reports::record::{Point, SampleRow, SummaryRow};
use reports::report::{self, ReportInput};
use reports::store::Run;
use reports::trend::{HistoryPoint, PointHistory, ShiftLimits, trends};

const REPORT_POINTS: [usize; 2] = [500, 10_000];
const SAMPLES: usize = 30;

/// A run of many points, derived from a small one.
fn large_run(points: usize) -> Result<Run, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/sort-cpu");
    let small = Run::read(&folder)?;
    let valid: Vec<_> = small.summary.iter().filter(|row| row.median_s.is_some()).collect();
    let rows = valid.iter().cycle().take(points).enumerate();
    let summary: Vec<SummaryRow> =
        rows.map(|(i, row)| with_digis(row, 1_000_000 * (1 + i / valid.len()))).collect();
    let samples = summary.iter().flat_map(samples).collect();
    Ok(Run { folder: PathBuf::from("results/large"), summary, samples, ..small })
}

fn with_digis(row: &SummaryRow, digis: usize) -> SummaryRow {
    let mut row = row.clone();
    row.params.set("digis", digis.to_string());
    row.samples = SAMPLES;
    row
}

fn samples(row: &SummaryRow) -> impl Iterator<Item = SampleRow> + use<> {
    let point = row.point();
    let median = row.median_s.unwrap_or_default();
    let stage = row.stage.clone();
    (0..SAMPLES).map(move |i| {
        let seconds = median * (1.0 + 0.001 * (i * 7 % SAMPLES) as f64);
        SampleRow::new(&point, &stage, i, i, seconds)
    })
}

fn reports(criterion: &mut Criterion) {
    for points in REPORT_POINTS {
        reports_of(points, criterion);
    }
}

fn reports_of(points: usize, criterion: &mut Criterion) {
    let run = match large_run(points) {
        Ok(run) => run,
        Err(error) => panic!("no run to report: {error}"),
    };
    let input = ReportInput::for_run(&run);
    if let Ok(page) = report::html(&input) {
        println!("{points} points make a page of {} bytes", page.len());
    }
    let mut group = criterion.benchmark_group(format!("report of {points} points"));
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.bench_function("html", |bencher| bencher.iter(|| report::html(&input)));
    group.bench_function("markdown", |bencher| bencher.iter(|| report::markdown(&input)));
    group.finish();
}

const HISTORY_POINTS: usize = 1000;
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
        by: RankedBy::Time,
        entries: (0..RUNS).map(entry).collect(),
        gpu: None,
        moved: None,
    }
}

fn change_points(c: &mut Criterion) {
    let mut group = c.benchmark_group("1000 points over 200 runs");
    group.sample_size(10);
    for (name, step) in [("steady", 0.0), ("slower by 3 %", 0.03)] {
        let histories: Vec<PointHistory> =
            (0..HISTORY_POINTS).map(|index| history(index, step)).collect();
        group.bench_function(name, |b| {
            b.iter(|| trends(black_box(histories.clone()), &ShiftLimits::default(), &[]));
        });
    }
}

criterion_group!(benches, reports, change_points);
criterion_main!(benches);
