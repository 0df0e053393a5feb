//! The chain on a GPU.
//!
//! Digis go to the device as they are read out, and hits come back; what stages leave for
//! each other stays there. The host waits three times in between: for where sides lie, by
//! which the sort is divided; for the clusters of each side, by which buckets for hits are
//! made; and for the hits of each module, to know whether they fit.
//!
//! | module | holds |
//! |---|---|
//! | `chain` | all stages on one timeslice |
//! | `presort`, `clusters`, `cluster_order`, `hits`, `collect` | a stage each, with its buffers |
//! | `time_bins` | clusters in order of time by bins, all in shared memory |
//! | `kept` | what stages left, kept for the next run |
//! | `tables` | what kernels look up: charges, errors, sensors |
//!
//! Kernels are in files of their own, and what they share in `formulas/`. The stage `sort`
//! is `channel-bucket` of [`sts_sort`](crate::sts_sort).

mod chain;
mod cluster_order;
mod clusters;
mod collect;
mod hits;
mod kept;
mod presort;
mod tables;
mod time_bins;

use crate::algorithm::Semantics;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Ptr, Shape};
use crate::sts::{Cluster, ClusterEntry, Hit};

pub(super) use chain::{ChainConfig, CudaChain};
pub(super) use cluster_order::ClusterSortWay;
pub(super) use clusters::ClusterWay;
pub(super) use collect::CollectWay;
pub(super) use hits::HitsWay;
pub(super) use presort::PresortWay;

/// A pointer to digis.
type Digis = Ptr<u64>;
/// A pointer to counts and places.
type Words = Ptr<u32>;
/// A pointer to clusters.
type Clusters = Ptr<Cluster>;
/// A pointer to their entries.
type Entries = Ptr<ClusterEntry>;
/// A pointer to what was found on each side.
type Founds = Ptr<Found>;
/// A pointer to hits.
type Hits = Ptr<Hit>;

/// What was found on a side: the number of clusters, and the bits of the largest error of
/// their times.
type Found = [u32; 2];

/// A kernel for each answer that the online reconstruction can give.
struct ByRules<P: 'static> {
    exact: Kernel<P>,
    published: Kernel<P>,
}

impl<P> ByRules<P> {
    const fn new(image: &'static Image, exact: &'static str, published: &'static str) -> Self {
        ByRules {
            exact: Kernel::new(image, exact),
            published: Kernel::new(image, published),
        }
    }

    fn of(&self, semantics: Semantics) -> &Kernel<P> {
        match semantics {
            Semantics::Published => &self.published,
            Semantics::Exact | Semantics::Offline => &self.exact,
        }
    }
}

/// A thread an item.
fn thread_each(items: usize, threads: u32, bytes: u64) -> Shape {
    Shape {
        blocks: items.div_ceil(threads as usize) as u32,
        threads,
        shared_bytes: 0,
        bytes,
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
