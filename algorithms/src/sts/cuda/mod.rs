//! The chain on a GPU.
//!
//! Digis go to the device, as they are read out or presorted by the host, and hits come back;
//! what stages leave for each other stays there. The host waits three times in between: for where sides lie, by
//! which the sort is divided; for the clusters of each side, by which buckets for hits are
//! made; and for the hits of each module, to know whether they fit.
//!
//! | module | holds |
//! |---|---|
//! | `chain` | all stages on one timeslice |
//! | `config` | in which ways they are done |
//! | `beginning` | what a chain begins with: digis or raw data |
//! | `presort`, `clusters`, `cluster_order`, `hits`, `collect` | a stage each, with its buffers |
//! | `sort` | digis in order of channel and time |
//! | `time_parts` | where a timeslice can be cut, so that parts of it overlap |
//! | `time_bins` | clusters in order of time by bins, all in shared memory |
//! | `whole_sides` | sides that a block takes from digis to clusters in order of time |
//! | `left` | what stages left, kept for the next run |
//! | `digest` | what a chain has found as a few numbers, summed on the device |
//! | `tables` | what kernels look up: charges, errors, sensors |
//!
//! Kernels are in files of their own, and what they share in `formulas/`. The stage `sort`
//! is `block-merge` or `channel-bucket` of [`sts_sort`](crate::sts_sort).

mod batch;
mod beginning;
mod chain;
mod cluster_order;
mod clusters;
mod collect;
mod config;
mod digest;
mod hits;
mod left;
mod presort;
mod sort;
mod tables;
mod time_bins;
mod time_parts;
mod whole_sides;

use crate::algorithm::Semantics;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, same_as};
use crate::kernels::sts_cuda_formulas_records_h as records;
use crate::sts::{Cluster, ClusterEntry, Hit};

pub(super) use batch::Batch;
pub(super) use beginning::{Start, UnpackWay};
pub(super) use chain::{CudaChain, Step};
pub(super) use cluster_order::ClusterSortWay;
pub(super) use clusters::ClusterWay;
pub(super) use collect::CollectWay;
pub(super) use config::ChainConfig;
pub(super) use digest::DigestSums;
pub(super) use hits::HitsWay;
pub(super) use left::Kept;
pub(super) use presort::PresortWay;
pub(super) use sort::SortWay;
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

    fn of(&self, semantics: Semantics) -> &'static Kernel<A> {
        match semantics {
            Semantics::Published => self.published,
            Semantics::Exact | Semantics::Offline => self.exact,
        }
    }
}

/// Segments, by number and length, in parts of so many: for each the segment, and the first
/// of the part.
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
    gpu.fetched(buffer, 0..buffer.len())
}
