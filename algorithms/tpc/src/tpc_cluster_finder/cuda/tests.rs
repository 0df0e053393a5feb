//! Tests on the emulator: overflows are reported.

use generators_tpc::PadId;
use generators_tpc::charges::{Charge, ChargeCase};
use generators_tpc::geometry::ROWS;
use portable_gpu::emulator::{self, Config};

use super::runner::{Finder, FinderBuffers};
use super::stages;
use crate::tpc_cluster_finder::input::Charges;
use tasks::algorithm::{GpuRunner, Runner};
use tasks::device::Arena;

/// `count` clusters in a row.
fn clusters_in_row(row: u8, count: u32) -> ChargeCase {
    let charge = |number| Charge { time: 10 * number, pad: PadId::new(row, 20), charge: 500 };
    let charges = (0..count).map(charge).collect();
    let fragment = 1000;
    ChargeCase { time_bins: 10 * count, fragment, charges, ..ChargeCase::default() }
}

#[test]
fn bucket_overflow_is_an_error() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    let input = &Charges::new(vec![clusters_in_row(7, 2), clusters_in_row(5, 3)]);
    let arena = &Arena::default();
    let config = Finder::new(input, &stages::NAIVE);
    let mut finder = GpuRunner::<FinderBuffers<'_>> { input, arena, gpu, threads: 1, config };
    finder.config.capacity = vec![2; 2 * ROWS];
    let mut buffers = finder.allocate().expect("buffers");
    let problem = finder.run(&mut buffers).expect_err("a bucket is too small").to_string();
    let expected = "row 5 of sector 1 of the input has 3 clusters; the capacity of its bucket is 2";
    assert!(problem.contains(expected), "{problem}");
    finder.config.capacity = vec![3; 2 * ROWS];
    let mut buffers = finder.allocate().expect("buffers");
    assert_eq!(finder.run(&mut buffers), Ok(()));
    assert_eq!(finder.output(&buffers).len(), 5);
}
