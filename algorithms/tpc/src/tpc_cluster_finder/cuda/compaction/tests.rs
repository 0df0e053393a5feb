//! Lists longer than those of hard inputs, on the emulator.

use std::sync::Arc;

use generators_common::random::mix;
use portable_gpu::emulator::{self, Config, Lanes, Policy, Schedule};
use portable_gpu::{DeviceBuffer, Ptr};

use super::*;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::cuda::batches::{Batch, Batches};
use crate::tpc_cluster_finder::cuda::buckets::Buckets;
use crate::tpc_cluster_finder::cuda::fill::Filled;
use crate::tpc_cluster_finder::cuda::input::Input;
use crate::tpc_cluster_finder::cuda::lists::Lists;
use crate::tpc_cluster_finder::input::Charges;
use tasks::device::Arena;

/// Enough positions for two levels of sums.
const MANY: usize = TILE * TILE + 700;

/// Many samples in one job and a few in another.
fn two_jobs() -> Batches {
    let job = |samples| Job { samples, ..Job::default() };
    let batch = Batch { jobs: 0..2, samples: MANY, time_bins: 1 };
    let second = Job { first_position: MANY as u32, ..job(5) };
    Batches { jobs: vec![job(MANY as u32), second], batches: vec![batch], positions: 2 * MANY }
}

/// Compacts the first lists to raw peaks, and these to remaining peaks, by marks for both. Returns
/// the result of each job.
fn compacted(gpu: &Arc<Gpu>, positions: &[u32], marks: [&[u8]; 2]) -> [[Vec<u32>; 2]; 2] {
    let charges = Charges::default();
    let arena = Arena::default();
    let batches = two_jobs();
    let lists = Lists::new(gpu, &batches.batches, batches.positions).expect("buffers");
    let filled = Filled::new(gpu, &batches).expect("buffers");
    let compaction =
        Compaction::new(gpu, CompactionAlgorithm::Scans, &batches.batches).expect("buffers");
    let input = Input::new(gpu, &charges, &arena).expect("buffers");
    let jobs = gpu.table(&batches.jobs).expect("buffers");
    let buckets = Buckets::new(gpu, Vec::new(), 0).expect("buffers");
    let work = BatchContext {
        gpu,
        tables: &input.tables,
        samples: filled.samples(&batches.batches[0]),
        jobs: jobs.ptr(),
        lists: &lists,
        buckets: &buckets,
        cluster_indices: Ptr::NONE,
        batch: &batches.batches[0],
    };
    gpu.upload(&filled.positions, positions).expect("a copy");
    gpu.fill(&lists.counts, 0).expect("a fill");
    for (target, marks) in [Target::Raw, Target::Kept].into_iter().zip(marks) {
        gpu.upload(&lists.predicate, marks).expect("a copy");
        compaction.run(&work, target).expect("a start");
    }
    let counts = gpu.read_back(&lists.counts, 0..2).expect("a copy");
    let of_job = |list: &DeviceBuffer<u32>, job: usize, count: u32| {
        gpu.read_back(list, job * MANY..job * MANY + count as usize).expect("a copy")
    };
    [
        [0, 1].map(|job| of_job(&lists.raw, job, counts[job].raw)),
        [0, 1].map(|job| of_job(&lists.kept, job, counts[job].kept)),
    ]
}

/// One in three is marked.
fn marks(seed: u64) -> Vec<u8> {
    (0..2 * MANY as u64).map(|i| u8::from(mix(seed ^ i).is_multiple_of(3))).collect()
}

/// The marked positions of a job.
fn marked(positions: &[u32], marks: &[u8], job: usize) -> Vec<u32> {
    let both = positions.iter().zip(&marks[job * MANY..]);
    both.filter(|(_, mark)| **mark != 0).map(|(position, _)| *position).collect()
}

fn check(gpu: &Arc<Gpu>) {
    let positions: Vec<u32> = (0..2 * MANY as u32).map(|i| i ^ 0x5555).collect();
    let marks = [marks(1), marks(2)];
    let [raw, kept] = compacted(gpu, &positions, [&marks[0], &marks[1]]);
    for (job, length) in [(0, MANY), (1, 5)] {
        let positions = &positions[job * MANY..][..length];
        let expected = marked(positions, &marks[0], job);
        assert!(raw[job] == expected, "raw peaks of {job}");
        let expected = marked(&raw[job], &marks[1], job);
        assert!(kept[job] == expected, "kept peaks of {job}");
    }
}

#[test]
fn long_lists_are_compacted() {
    for (lanes, policy) in [(Lanes::L32, Policy::InOrder), (Lanes::L64, Policy::Random)] {
        let config = Config { lanes, schedule: Schedule { seed: 3, policy }, ..Config::default() };
        let Some(gpu) = emulator::gpu_for_tests(config) else { return };
        check(&gpu);
    }
}
