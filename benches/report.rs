//! The reports of a long night, and of twenty: points with 30 samples each.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use reports::record::{SampleRow, SummaryRow};
use reports::report::{self, ReportInput};
use reports::store::Run;

const POINTS: [usize; 2] = [500, 10_000];
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
    for points in POINTS {
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

criterion_group!(benches, reports);
criterion_main!(benches);
