//! Every CPU variant of `decode` on a sector of each format, on one thread.

use std::time::{Duration, Instant};

use algorithms::axis::Params;
use algorithms::device::{Backend, Target, Team};
use algorithms::registry::task;
use algorithms::task::{Case, Task};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generators::tpc::ZsFormat;
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const OUTPUTS: [&str; 2] = ["digits", "charge-map"];

fn variants(criterion: &mut Criterion) {
    let (Ok(team), Some(task)) = (Team::new(1), task("decode")) else {
        return;
    };
    for output in OUTPUTS {
        for format in ZsFormat::ALL {
            bench_format(criterion, task, output, format, &team);
        }
    }
}

fn bench_format(
    criterion: &mut Criterion,
    task: &dyn Task,
    output: &str,
    format: ZsFormat,
    team: &Team,
) {
    let mut params = Params::default();
    params.set("zs", format.name());
    params.set("sectors", "1");
    params.set("orbits", "1");
    params.set("output", output);
    let case = task.plan(params).and_then(|plan| task.generate(&plan.params, 1));
    let Ok(case) = case else {
        return;
    };
    let mut group = criterion.benchmark_group(format!("decode-{output}"));
    group.throughput(Throughput::Elements(case.work().items));
    group.sample_size(20).measurement_time(Duration::from_secs(1));
    for (number, info) in task.variants().iter().enumerate() {
        if info.backend == Backend::Cpu {
            let id = BenchmarkId::new(info.name, format.name());
            bench_variant(&mut group, id, case.as_ref(), number, team);
        }
    }
    group.finish();
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn bench_variant(
    group: &mut Group<'_>,
    id: BenchmarkId,
    case: &dyn Case,
    number: usize,
    team: &Team,
) {
    let Ok(mut candidate) = case.prepare(number, &Target::host(team)) else {
        return;
    };
    group.bench_function(id, |bencher| {
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

criterion_group!(benches, variants);
criterion_main!(benches);
