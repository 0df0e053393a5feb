//! Overhead of the harness: in the time that it reports for a sample, and in the elapsed time.

use std::error::Error;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use harness::measure::{CandidateSampler, Sampler};
use portable_gpu::DeviceError;
use tasks::device::Team;
use tasks::task::Candidate;

/// Does nothing, so that only the harness is measured.
struct Nothing;

impl Candidate for Nothing {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}

fn overhead(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("overhead");
    group.sample_size(30).measurement_time(Duration::from_secs(2));
    for threads in [1, 2] {
        let Ok(team) = Team::new(threads) else {
            continue;
        };
        let mut sampler = CandidateSampler::new(Box::new(Nothing), &team);
        group.bench_function(format!("in the reported time, {threads} threads"), |bencher| {
            bencher.iter_custom(|iterations| {
                let samples = (0..iterations).filter_map(|_| sampler.sample().ok());
                Duration::from_secs_f64(samples.map(|sample| sample.seconds).sum())
            });
        });
        group.bench_function(format!("around a sample, {threads} threads"), |bencher| {
            bencher.iter(|| sampler.sample());
        });
    }
    group.finish();
}

criterion_group!(benches, overhead);
criterion_main!(benches);
