//! Common code of the benches.
//!
//! They are for developers of a variant or of the harness: quick, and comparable from one commit to
//! the next with criterion's own baselines. Results to be published come from `bench`.

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use generators_sts::{DigiShape, Order, Skew};
use tasks::axis::Params;
use tasks::device::{Backend, Target, Team};
use tasks::task::{Case, Task};

/// A uniform shape with the full range of times.
pub fn shape(segments: usize, digis: u64, order: Order) -> DigiShape {
    DigiShape {
        segments,
        digis,
        order,
        skew: Skew::Ratio(1.0),
        duplicates: 0.0,
        timeslice_ns: 1 << 31,
    }
}

/// Benches every CPU variant of a task on one thread, on the input of these parameters:
/// `group/variant/point`. Skipped if there is no such input.
pub fn cpu_variants(
    criterion: &mut Criterion,
    group: &str,
    name: &str,
    params: Params,
    point: &str,
) {
    let (Ok(team), Some(task)) = (Team::new(1), task(name)) else { return };
    let case = task.plan(params).and_then(|plan| task.generate(&plan.params, 1));
    let Ok(case) = case else { return };
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(case.work().items));
    group.sample_size(20).measurement_time(Duration::from_secs(1));
    for (index, info) in task.variants().iter().enumerate() {
        if info.backend == Backend::Cpu {
            let id = BenchmarkId::new(info.name, point);
            bench_variant(&mut group, id, case.as_ref(), index, &team);
        }
    }
    group.finish();
}

fn bench_variant(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    case: &dyn Case,
    variant: usize,
    team: &Team,
) {
    let Ok(mut candidate) = case.prepare(variant, &Target::host(team)) else { return };
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

/// The task with this name.
fn task(name: &str) -> Option<&'static dyn Task> {
    let mut tasks = recobench::TASKS.iter().flat_map(|set| set.tasks).copied();
    tasks.find(|task| task.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_make_sense() {
        assert!(shape(24, 1000, Order::Time).validate().is_ok());
    }
}
