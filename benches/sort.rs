//! Every CPU sort at small sizes, on one thread.

use std::time::{Duration, Instant};

use algorithms::axis::Params;
use algorithms::device::{Backend, Target, Team};
use algorithms::registry::task;
use algorithms::task::Task;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const DIGIS: [u64; 3] = [1_000, 30_000, 1_000_000];

fn variants(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let Some(task) = task("sort") else {
        return;
    };
    for digis in DIGIS {
        bench_task(criterion, task, digis, &team);
    }
}

fn bench_task(criterion: &mut Criterion, task: &dyn Task, digis: u64, team: &Team) {
    let mut params = Params::default();
    params.set("segments", "24");
    params.set("digis", digis.to_string());
    let case = task.plan(params).and_then(|plan| task.generate(&plan.params, 1));
    let Ok(case) = case else {
        return;
    };
    let place = Target::host(team);
    let mut group = criterion.benchmark_group(task.name());
    group.throughput(Throughput::Elements(digis));
    group.sample_size(20).measurement_time(Duration::from_secs(1));
    for (number, info) in task.variants().iter().enumerate() {
        if info.backend != Backend::Cpu {
            continue;
        }
        let Ok(mut candidate) = case.prepare(number, &place) else {
            continue;
        };
        group.bench_function(BenchmarkId::new(info.name, digis), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut total = Duration::ZERO;
                for _ in 0..iterations {
                    candidate.reset().expect("there is memory");
                    total += team.run(|| {
                        let start = Instant::now();
                        candidate.run().expect("CPUs don't fail");
                        start.elapsed()
                    });
                }
                total
            });
        });
        candidate.release();
    }
    group.finish();
}

criterion_group!(benches, variants);
criterion_main!(benches);
