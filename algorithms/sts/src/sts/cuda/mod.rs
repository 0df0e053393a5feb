//! The chain on a GPU.
//!
//! Digis are copied to the device in the order of readout, or presorted by the host, and hits are
//! copied back; intermediate results stay on the device. The host waits three times in between: for
//! the offsets of sides, by which the sort is divided; for the clusters of each side, from which
//! capacities of buckets follow; and for the hits of each module, to check that they fit.
//!
//! | module | holds |
//! |---|---|
//! | `chain` | all stages on one timeslice |
//! | `config` | the algorithm of each stage |
//! | `input` | the input of a chain: digis or raw data |
//! | `presort`, `clusters`, `cluster_order`, `hits`, `collect` | a stage each, with its buffers |
//! | `sort` | digis in order of channel and time |
//! | `time_parts` | splitting a timeslice into parts that overlap in the pipeline |
//! | `time_bins` | sort of clusters by bins of time in shared memory |
//! | `fused_sides` | sides that a block processes from digis to sorted clusters |
//! | `snapshots` | outputs of stages, saved for the next run |
//! | `digest` | checksums of the output, summed on the device |
//! | `tables` | lookup tables of kernels: charges, errors, sensors |
//!
//! Kernels are in files of their own, and shared code in `formulas/`. The stage `sort` is
//! `block-merge` or `channel-bucket` of [`sts_sort`](crate::sts_sort).

mod batch;
mod chain;
mod cluster_order;
mod clusters;
mod collect;
mod config;
mod digest;
mod fused_sides;
mod hits;
mod input;
mod presort;
mod snapshots;
mod sort;
mod tables;
mod time_bins;
mod time_parts;

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, same_as};

use crate::kernels::sts_cuda_formulas_records_h as records;
use crate::sts::{Cluster, ClusterEntry, Hit};
use tasks::algorithm::Semantics;

pub(super) use batch::Batch;
pub(super) use chain::{ChainOptions, CudaChain, HitCapacities, Step};
pub(super) use cluster_order::ClusterSortAlgorithm;
pub(super) use clusters::ClusterAlgorithm;
pub(super) use collect::CollectAlgorithm;
pub(super) use config::{ChainConfig, UnpackAlgorithm};
pub(super) use digest::DigestSums;
pub(super) use hits::HitsAlgorithm;
pub(super) use input::InputKind;
pub(super) use presort::PresortAlgorithm;
pub(super) use sort::SortAlgorithm;
pub(super) use time_parts::TimeParts;

same_as!(Cluster { charge, size, position, position_error, time, time_error } => records::Cluster);
same_as!(ClusterEntry { time, index } => records::Entry);
same_as!(Hit { x, y, z, time, dx, dy, dz, dxy, time_error, du, dv, address } => records::Hit);

/// A kernel for each answer that the online reconstruction can give.
struct ByRules<A: 'static> {
    exact: &'static Kernel<A>,
    published: &'static Kernel<A>,
}

impl<A> ByRules<A> {
    const fn new(exact: &'static Kernel<A>, published: &'static Kernel<A>) -> Self {
        ByRules { exact, published }
    }

    fn for_semantics(&self, semantics: Semantics) -> &'static Kernel<A> {
        match semantics {
            Semantics::Published => self.published,
            Semantics::Exact | Semantics::Offline => self.exact,
        }
    }
}

/// Segments, given with their indices and lengths, in parts of at most `of_part` items: the segment
/// and first item of each part.
fn parts_of(
    segments: impl Iterator<Item = (usize, usize)>,
    of_part: usize,
) -> impl Iterator<Item = [u32; 2]> {
    segments.flat_map(move |(segment, length)| {
        let firsts = (0..length).step_by(of_part);
        firsts.map(move |first| [segment as u32, first as u32])
    })
}

/// The values of a buffer.
fn downloaded<T: bytemuck::Pod + Default + Send + Sync>(
    gpu: &Gpu,
    buffer: &DeviceBuffer<T>,
) -> Result<Vec<T>, DeviceError> {
    gpu.read_back(buffer, 0..buffer.len())
}
