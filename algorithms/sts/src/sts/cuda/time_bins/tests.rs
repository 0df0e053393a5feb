//! The kernels on times as no detector would have them, on the emulator.

use std::sync::Arc;

use generators_common::random::hash;
use portable_gpu::emulator::{self, Config, Lanes};
use portable_gpu::webgpu;

use super::*;
use crate::kernels::sts_cuda_formulas_records_h::Found;
use crate::sts::Cluster;
use tasks::device::Buffers;

/// The time of each cluster of a side, by its number.
type Side = (u32, fn(u32) -> u32);

const LAST: u32 = i32::MAX as u32;

/// Sides of all sizes at which something else happens.
const EVEN: [Side; 9] = [
    (0, any),
    (1, any),
    (2, any),
    (100, any),
    (FEW, any),
    (FEW + 1, any),
    (MANY, any),
    (MANY + 1, any),
    (5 * MANY + 77, any),
];

/// Times that are not spread.
const UNEVEN: [Side; 10] = [
    (500, |_| 0),
    (500, |_| LAST),
    (500, |i| i % 2 * LAST),
    (500, |i| 1000 - i),
    (MANY, |i| any(i) % 300),
    (MANY + 1, |_| 4711),
    (MANY + 2, |i| i % 2 * LAST),
    (3 * FEW, |i| i % 2 * (LAST - 5000) + any(i) % 5000),
    (3 * MANY, |i| if i % 3 == 0 { any(i) } else { 1_000_000 + any(i) % 9 }),
    (2 * MANY, |i| if i == 77 { LAST } else { i / 3 }),
];

fn any(i: u32) -> u32 {
    (hash(1, [u64::from(i)]) >> 33) as u32
}

/// The emulator, if this build has one.
fn gpu(lanes: Lanes, checked: bool) -> Option<Arc<Gpu>> {
    emulator::gpu_for_tests(Config { lanes, checked, ..Config::default() })
}

fn upload<T: bytemuck::Pod>(gpu: &Gpu, values: &[T]) -> DeviceBuffer<T> {
    gpu.table(values).expect("enough space")
}

/// The sorted entries of all sides, each in a range that is somewhat larger.
fn sorted(gpu: &Gpu, sides: &[Side]) -> Vec<Vec<ClusterEntry>> {
    let index = |&(count, _): &Side| count as usize + 3;
    let sides_partition = Partition::from_lengths(sides.iter().map(index));
    let mut clusters = vec![Cluster::default(); sides_partition.elements()];
    for (&(count, time), index) in sides.iter().zip(sides_partition.ranges()) {
        for (i, cluster) in (0..count).zip(&mut clusters[index]) {
            cluster.time = time(i);
        }
    }
    let side_offsets: Vec<_> = crate::sts_sort::cuda::segment_offsets(&sides_partition).collect();
    let found: Vec<_> =
        sides.iter().map(|&(clusters, _)| Found { clusters, latest_error: 0 }).collect();
    let clusters = upload(gpu, &clusters);
    let side_offsets = upload(gpu, &side_offsets);
    let from = UnsortedClusters {
        clusters: &clusters,
        found: &upload(gpu, &found),
        side_offsets: &side_offsets,
        sides: &sides_partition,
        expected: 0,
    };
    let entries = gpu.buffer(sides_partition.elements()).expect("enough space");
    let grouped = gpu.buffer(sides_partition.elements()).expect("enough space");
    let mut bins =
        TimeBins::new(gpu, sides_partition.elements(), sides.len()).expect("enough space");
    bins.poison().expect("no fault");
    bins.sort(gpu, from, &entries, &grouped).expect("no fault");
    let entries = super::super::downloaded(gpu, &entries).expect("no fault");
    let of_sides = sides_partition.ranges().zip(sides);
    of_sides.map(|(index, &(count, _))| entries[index][..count as usize].to_vec()).collect()
}

fn expected((count, time): Side) -> Vec<ClusterEntry> {
    let entry = |index| ClusterEntry { time: time(index), index };
    let mut entries: Vec<_> = (0..count).map(entry).collect();
    entries.sort_by_key(|entry| entry.time);
    entries
}

fn check(gpu: &Gpu, sides: &[Side]) {
    let sorted = sorted(gpu, sides);
    for (i, (&side, sorted)) in sides.iter().zip(sorted).enumerate() {
        assert!(sorted == expected(side), "side {i} of {} clusters", side.0);
    }
}

#[test]
fn sides_of_all_sizes_are_sorted() {
    for lanes in [Lanes::L32, Lanes::L64] {
        let Some(gpu) = gpu(lanes, false) else { return };
        check(&gpu, &EVEN);
        check(&gpu, &[]);
    }
}

#[test]
fn uneven_times_are_sorted() {
    for lanes in [Lanes::L32, Lanes::L64] {
        let Some(gpu) = gpu(lanes, false) else { return };
        check(&gpu, &UNEVEN);
    }
}

#[test]
fn threads_do_not_race() {
    let Some(gpu) = gpu(Lanes::L32, true) else {
        return;
    };
    let small: [Side; 4] = [(1000, any), (FEW + 1, any), UNEVEN[7], UNEVEN[9]];
    check(&gpu, &small);
}

#[test]
fn shaders_sort_them_too() {
    let Ok(gpu) = webgpu::open(0, webgpu::Checks::None) else { return };
    check(&gpu, &EVEN);
    check(&gpu, &[]);
    check(&gpu, &UNEVEN);
}

#[test]
fn parts_cover_large_sides() {
    let small = MANY as usize;
    let large = MANY as usize + 1;
    let sides = Partition::from_lengths([0, small, large, 3 * small]);
    let expected = [[2, 0], [2, PART], [3, 0], [3, PART], [3, 2 * PART]];
    let expected = expected.map(|[side, first]| Part { side, first });
    assert_eq!(parts(&sides, MANY), expected);
}
