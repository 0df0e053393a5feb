//! The generators, on one thread: digis, samples, bytes of pages and events per second.

use std::time::Duration;

use benches::shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generators_common::random;
use generators_lhcb::BankKind;
use generators_lhcb::simulate::{EventShape, Preset as CollisionPreset, simulate};
use generators_sts::{Order, generate, physics};
use generators_tpc::simulate::{Preset, TimeFrameGenerator, TimeFrameShape};
use generators_tpc::{PadMapping, ZsFormat};
use rand::distr::Distribution;
use rand_distr::{Exp1, StandardNormal};
use tasks::device::Team;

const DIGIS: u64 = 5_000_000;
const ORBITS: u32 = 16;
const EVENTS: u64 = 100;
const NUMBERS: u64 = 1_000_000;

fn digis(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let mut group = criterion.benchmark_group("generate-sts");
    group.throughput(Throughput::Elements(DIGIS));
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for order in [Order::Random, Order::Time, Order::Jitter(64)] {
        let shape = shape(24, DIGIS, order);
        group.bench_function(order.to_string(), |bencher| {
            bencher.iter_with_large_drop(|| team.run(|| generate(&shape, 1)));
        });
    }
    group.finish();
}

/// Timeslices of particles and of noise.
fn simulated(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let mut group = criterion.benchmark_group("generate-sts-physics");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for (preset, scale) in [(physics::Preset::CbmAuAu, 0.1), (physics::Preset::Mcbm2024, 0.02)] {
        let scenario = preset.scenario().scaled(scale);
        let Ok(simulation) = physics::Simulation::new(&scenario, 1) else {
            return;
        };
        let digis = simulation.timeslice(0).digis.digis().len();
        group.throughput(Throughput::Elements(digis as u64));
        group.bench_function(preset.name(), |bencher| {
            bencher.iter_with_large_drop(|| team.run(|| simulation.timeslice(0)));
        });
    }
    group.finish();
}

/// One sector of lead on lead at 50 kHz.
fn pages(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let mut group = criterion.benchmark_group("generate-tpc");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for format in ZsFormat::ALL {
        let shape =
            TimeFrameShape { orbits: ORBITS, ..TimeFrameShape::for_preset(Preset::PbPb, format) };
        let Ok(generator) = TimeFrameGenerator::new(&shape, &PadMapping::regular(), 1) else {
            return;
        };
        let bytes = generator.sector(0).pages().as_flattened().len() as u64;
        let elements = generator.digits(0).len() as u64;
        group.throughput(Throughput::ElementsAndBytes { elements, bytes });
        group.bench_function(format.name(), |bencher| {
            bencher.iter_with_large_drop(|| team.run(|| generator.sector(0)));
        });
    }
    group.finish();
}

/// Events of the VELO, of either kind of banks.
fn events(criterion: &mut Criterion) {
    let Ok(team) = Team::new(1) else {
        return;
    };
    let mut group = criterion.benchmark_group("generate-velo");
    group.throughput(Throughput::Elements(EVENTS));
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for preset in CollisionPreset::ALL {
        for kind in BankKind::ALL {
            let shape = EventShape::for_preset(preset, kind, EVENTS);
            group.bench_function(format!("{preset}-{kind}"), |bencher| {
                bencher.iter_with_large_drop(|| team.run(|| simulate(&shape, 1)));
            });
        }
    }
    group.finish();
}

/// A million numbers of a distribution: by recobench's tables, and by `rand_distr`.
fn distributions(criterion: &mut Criterion) {
    fn sum<T: Into<f64>>(of: &impl Distribution<T>) -> f64 {
        let mut random = random::stream(1, [1]);
        let numbers = (0..NUMBERS).map(|_| of.sample(&mut random).into());
        numbers.sum()
    }
    let mut group = criterion.benchmark_group("generate-distributions");
    group.throughput(Throughput::Elements(NUMBERS));
    let normal = random::Normal::new();
    let gaps = random::Exponential::new();
    group.bench_function("normal", |bencher| bencher.iter(|| sum::<f32>(&normal)));
    group.bench_function("normal-rand-distr", |bencher| {
        bencher.iter(|| sum::<f32>(&StandardNormal));
    });
    group.bench_function("exponential", |bencher| bencher.iter(|| sum(&gaps)));
    group.bench_function("exponential-rand-distr", |bencher| {
        bencher.iter(|| sum::<f32>(&Exp1));
    });
    group.finish();
}

criterion_group!(benches, digis, simulated, pages, events, distributions);
criterion_main!(benches);
