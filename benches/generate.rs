//! The generator of digis, on one thread: the time a digi.

use std::time::Duration;

use algorithms::device::Team;
use benches::shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generators::sts::{Order, generate};
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const DIGIS: u64 = 5_000_000;

fn digis(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let mut group = criterion.benchmark_group("generate-sts");
    group.throughput(Throughput::Elements(DIGIS));
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for order in [Order::Random, Order::Time, Order::Jitter(64)] {
        let shape = shape(24, DIGIS, order);
        group.bench_function(order.to_string(), |bencher| {
            bencher.iter_with_large_drop(|| team.run(|| generate(&shape, 1)));
        });
    }
    group.finish();
}

criterion_group!(benches, digis);
criterion_main!(benches);
