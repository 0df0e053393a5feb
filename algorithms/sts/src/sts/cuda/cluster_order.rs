//! Clusters of each side in order of time: see the kernels.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::clusters::UnsortedClusters;
use super::time_bins::TimeBins;
use crate::kernels::sts_cluster_block_merge::{ENTRIES_BLOCK_MERGE, EntriesBlockMerge};
use crate::sts::ClusterEntry;
use tasks::device::buffers;

/// Algorithm that sorts clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum ClusterSortAlgorithm {
    /// A block per side, as published: the sort of digis.
    BlockMerge,
    /// A block a side, by bins of time; large sides are distributed before.
    TimeBins,
}

buffers! {
    /// Entries in order of time, and the buffers for sorting them.
    pub(super) struct ClusterOrder(
        gpu, digis: usize, sides: usize, algorithm: ClusterSortAlgorithm
    ) {
        entries: DeviceBuffer<ClusterEntry> = gpu.buffer(digis)?,
        /// Scratch entries, overwritten by each sort.
        scratch: DeviceBuffer<ClusterEntry> = gpu.buffer(digis)?,
        tables: Tables = Tables::new(gpu, digis, sides, algorithm)?,
    }
}

enum Tables {
    BlockMerge(()),
    TimeBins(Box<TimeBins>),
}

buffers!(enum Tables: BlockMerge, TimeBins);
impl Tables {
    fn new(
        gpu: &Gpu,
        digis: usize,
        sides: usize,
        algorithm: ClusterSortAlgorithm,
    ) -> Result<Self, DeviceError> {
        Ok(match algorithm {
            ClusterSortAlgorithm::BlockMerge => Tables::BlockMerge(()),
            ClusterSortAlgorithm::TimeBins => {
                Tables::TimeBins(Box::new(TimeBins::new(gpu, digis, sides)?))
            }
        })
    }
}

impl ClusterOrder {
    /// Sorts the clusters of all sides, which start at the offsets of their digis.
    pub(super) fn sort(
        &mut self,
        gpu: &Gpu,
        from: UnsortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        let entries = &mut self.entries;
        let scratch = &mut self.scratch;
        match &mut self.tables {
            Tables::BlockMerge(()) => sort_by_side(gpu, from, entries, scratch),
            Tables::TimeBins(bins) => bins.sort(gpu, from, entries, scratch),
        }
    }

    /// The entries in order of time.
    pub(super) fn entries(&self) -> &DeviceBuffer<ClusterEntry> {
        &self.entries
    }
}

/// Sorts the entries of each side by a block.
fn sort_by_side(
    gpu: &Gpu,
    from: UnsortedClusters<'_>,
    entries: &DeviceBuffer<ClusterEntry>,
    scratch: &DeviceBuffer<ClusterEntry>,
) -> Result<(), DeviceError> {
    // Entries are written, and read again to be merged.
    let bytes = from.cluster_bytes() + 2 * from.entry_bytes();
    let grid = LaunchConfig::blocks(from.sides.segments() as u32).with_traffic(bytes);
    let arguments = EntriesBlockMerge {
        clusters: from.clusters.ptr(),
        side_offsets: from.side_offsets.ptr(),
        found: from.found.ptr(),
        entries: entries.ptr(),
        scratch: scratch.ptr(),
    };
    // SAFETY: each side has capacity for one entry per cluster, in both arrays.
    unsafe { gpu.launch(&ENTRIES_BLOCK_MERGE, grid, arguments) }
}
