//! Tests of single chains on an emulated GPU: sides of all sizes, and hits beyond the capacity.

use std::sync::Arc;

use generators_sts::setup::Setup;
use generators_sts::{Address, Digi, DigiShape, Order, SegmentedDigis, Skew, generate};
use portable_gpu::Gpu;
use portable_gpu::emulator::{self, Config};

use super::cuda_variants::*;
use super::{StsTask, Timeslices, check, hard_inputs};
use crate::sts::cuda::{Batch, ChainOptions, CudaChain, HitCapacities, InputKind, Step};
use crate::sts::{ChainStage, Timeslice, digest_of};
use tasks::algorithm::{Algorithm, Segments, Semantics};
use tasks::device::{Arena, Buffers, Execution};

/// Compares the clusters in order of time, if single blocks process small sides.
fn check_fused_sides(gpu: &Arc<Gpu>, digis: &SegmentedDigis, steps: &[Step]) {
    for online in [Semantics::Exact, Semantics::Published] {
        let setup = Setup::regular(digis.partition().segments() / 2).expect("sensible");
        let timeslice = Timeslice::new(digis.clone(), Arc::new(setup), online);
        let stage = ChainStage::ClusterSort;
        let arena = Arena::default();
        let execution = Execution { gpu, arena: &arena, threads: 2 };
        let options = ChainOptions { config: WHOLE_SIDES, input: InputKind::Digis };
        let batch = Batch::single(&timeslice);
        let chain = CudaChain::new(execution, batch, options, HitCapacities::default());
        let mut chain = chain.expect("enough space");
        chain.poison().expect("no fault");
        steps.iter().try_for_each(|&step| chain.step(gpu, step)).expect("no fault");
        gpu.finish().expect("an end");
        let found = chain.product(gpu, stage).expect("a copy");
        let input = Timeslices(vec![timeslice.clone()]);
        let expected = StsTask::for_stage(stage).reference(&input, online).expect("one");
        assert_eq!(check::check(Some(stage), false, &expected[0], &found), Ok(()), "{online:?}");
    }
}

#[test]
fn hits_beyond_the_capacity_are_counted_and_found_again() {
    let Some(gpu) = emulator::gpu_for_tests(Config { checked: true, ..Config::default() }) else {
        return;
    };
    let stage = ChainStage::Hits;
    let arena = Arena::default();
    let inputs = hard_inputs::all(Some(stage), 5).into_iter().map(|(_, input)| input);
    let inputs = inputs.filter(|input| (50..6_000).contains(&input.digis()));
    let with_hits = inputs.filter_map(|input| {
        let expected = StsTask::for_stage(stage).reference(&input, input.online())?;
        let hits: u64 = digest_of(&expected, Segments::ALL).counts.iter().sum();
        (hits > 10).then_some((input, expected))
    });
    let mut tried = 0;
    for (input, expected) in with_hits.take(2) {
        for config in [ONLINE, BALANCED] {
            let execution = Execution { gpu: &gpu, arena: &arena, threads: 1 };
            let batch = Batch::single(&input.0[0]);
            let options = ChainOptions { config, input: InputKind::Digis };
            let chain = CudaChain::new(execution, batch, options, HitCapacities::default());
            let mut chain = chain.expect("buffers");
            let steps = Step::ALL.iter().try_for_each(|&step| chain.step(&gpu, step));
            assert_eq!(steps, Ok(()));
            assert_eq!(chain.find_hits_with_smaller_buckets(&gpu), Ok(()));
            let found = chain.product(&gpu, stage).expect("a copy");
            assert_eq!(check::check(Some(stage), false, &expected[0], &found), Ok(()));
            tried += 1;
        }
    }
    assert_eq!(tried, 4);
}

/// Sides that fit into a block's shared memory with one or several blocks per multiprocessor,
/// sides whose digis or clusters a block cannot sort, and sides that do not fit.
fn sides_of_all_sizes(timeslice_ns: u64) -> SegmentedDigis {
    let shape = DigiShape {
        segments: 16,
        digis: 250_000,
        order: Order::Random,
        skew: Skew::Ratio(30.0),
        duplicates: 0.1,
        timeslice_ns,
    };
    let digis = generate(&shape, 7).expect("sensible");
    let has = |min, below| {
        let mut lengths = digis.partition().lengths();
        lengths.any(|length| (min..below).contains(&length))
    };
    assert!(has(1, 8192) && has(8193, 16_384) && has(16_385, 40_961) && has(40_961, 1 << 20));
    digis
}

#[test]
fn fused_kernels_take_sides_of_all_sizes() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    let [distribute, find_clusters, find_hits, _] = Step::ALL;
    let chains = sides_of_all_sizes(1_500);
    check_fused_sides(&gpu, &chains, &[distribute, find_clusters]);
    let single_digis = sides_of_all_sizes(20_000_000);
    check_fused_sides(&gpu, &single_digis, &[distribute, find_clusters, find_hits]);
}

/// Many digis of nearly the same time, for which bins of time do not help.
#[test]
fn fused_kernels_take_crowded_sides() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    let digi = |i: u32| Digi::new(Address::of_module(0), (i % 20) as u16, i / 20 % 7, i as u8 % 32);
    let [front, back] = [6_000, 9_000].map(|count| (0..count).map(digi).collect::<Vec<_>>());
    let digis = SegmentedDigis::from_segments(&[front, back]);
    let [distribute, find_clusters, ..] = Step::ALL;
    check_fused_sides(&gpu, &digis, &[distribute, find_clusters]);
}
