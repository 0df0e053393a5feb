//! Entries of each side by bins of time: see the kernels.

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::clusters::UnsortedClusters;
use super::parts_of;
use crate::kernels::sts_time_bins::{
    self as kernels, BUCKETS, FEW, MANY, MIN_STEP, PART, Part, TimeSort,
};
use crate::sts::ClusterEntry;
use tasks::device::{StagedArray, buffers};

/// Clusters that a block of a shader sorts at once, with the little workgroup memory of shaders:
/// see `time_bins/sides.wgsl`.
const SHADER_FEW: u32 = 2048;

/// Limits on a side's clusters that select the algorithm; and the smallest group of a large side.
#[derive(Clone, Copy)]
struct Sizes {
    few: u32,
    many: u32,
    min_step: u32,
}

impl Sizes {
    fn new(gpu: &Gpu) -> Self {
        if gpu.properties().has_shaders {
            Sizes { few: SHADER_FEW, many: SHADER_FEW, min_step: SHADER_FEW / 2 }
        } else {
            Sizes { few: FEW, many: MANY, min_step: MIN_STEP }
        }
    }
}

/// Buffers for sorting, except clusters and entries.
pub(super) struct TimeBins {
    sizes: Sizes,
    /// Parts of large sides.
    parts: StagedArray<Part>,
    extents: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    group_of: DeviceBuffer<u16>,
    group_offsets: DeviceBuffer<u32>,
    next_offsets: DeviceBuffer<u32>,
    /// Number of overfull groups, then the begin and end of each.
    overfull: DeviceBuffer<u32>,
}

buffers!(TimeBins: parts, extents, counts, group_of, group_offsets, next_offsets, overfull);

impl TimeBins {
    pub(super) fn new(gpu: &Gpu, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        let sizes = Sizes::new(gpu);
        // No side is large where there are so few.
        let large = if digis > sizes.many as usize { sides } else { 0 };
        let groups = digis / sizes.min_step as usize + sides + 1;
        Ok(TimeBins {
            sizes,
            parts: StagedArray::new(gpu, digis / PART as usize + large)?,
            extents: gpu.buffer(2 * large)?,
            counts: gpu.buffer(BUCKETS as usize * large)?,
            group_of: gpu.buffer(BUCKETS as usize * large)?,
            group_offsets: gpu.buffer(groups)?,
            next_offsets: gpu.buffer(groups)?,
            overfull: gpu.buffer(1 + 2 * (digis / sizes.few as usize))?,
        })
    }

    /// Sorts the entries of all sides into `entries`; overwrites the same number in `scratch`.
    pub(super) fn sort(
        &mut self,
        gpu: &Gpu,
        from: UnsortedClusters<'_>,
        entries: &DeviceBuffer<ClusterEntry>,
        grouped: &DeviceBuffer<ClusterEntry>,
    ) -> Result<(), DeviceError> {
        let arguments = self.arguments(from, entries, grouped);
        let Sizes { few, many, .. } = self.sizes;
        let max = from.sides.lengths().max().unwrap_or(0);
        let sides = LaunchConfig::blocks(from.sides.segments() as u32);
        // The number of clusters in larger sides is only known on the device.
        let has_larger = max > few as usize;
        let bytes = if has_larger { 0 } else { from.cluster_bytes() + from.entry_bytes() };
        // SAFETY: there is a block for each side, with capacity for one entry per cluster; there
        // are tables for each side if one of them can be large.
        unsafe { gpu.launch(&kernels::TIME_BINS_FEW, sides.with_traffic(bytes), arguments) }?;
        if many > few && has_larger {
            // SAFETY: there is a block for each side, with capacity for one entry per cluster.
            unsafe { gpu.launch(&kernels::TIME_BINS_MANY, sides, arguments) }?;
        }
        let parts = parts(from.sides, many);
        if parts.is_empty() {
            return Ok(());
        }
        let count = parts.len() as u32;
        self.parts.fill(gpu, parts)?;
        self.sort_large(gpu, sides, count, arguments)
    }

    /// Brings the entries of large sides into groups, and sorts these.
    fn sort_large(
        &self,
        gpu: &Gpu,
        sides: LaunchConfig,
        parts: u32,
        arguments: TimeSort,
    ) -> Result<(), DeviceError> {
        let groups = LaunchConfig::blocks(parts * (PART / self.sizes.min_step));
        let some = LaunchConfig::blocks(gpu.properties().multiprocessors.min(parts));
        // The number of clusters in large sides is only known on the device.
        let parts = LaunchConfig::blocks(parts);
        // SAFETY: parts are those of sides, which have capacity for one entry per cluster; all
        // tables have elements for each side, and for the largest number of groups of sides. There
        // is a block for each group that sides can have, and there are no more overfull bins than
        // fit into all sides.
        unsafe {
            gpu.launch(&kernels::TIME_BINS_TIMES, parts, arguments)?;
            gpu.launch(&kernels::TIME_BINS_COUNT, parts, arguments)?;
            gpu.launch(&kernels::TIME_BINS_GROUP, sides, arguments)?;
            gpu.launch(&kernels::TIME_BINS_DISTRIBUTE, parts, arguments)?;
            gpu.launch(&kernels::TIME_BINS_GROUPS, groups, arguments)?;
            gpu.launch(&kernels::TIME_BINS_OVERFULL, some, arguments)
        }
    }

    fn arguments(
        &self,
        from: UnsortedClusters<'_>,
        entries: &DeviceBuffer<ClusterEntry>,
        grouped: &DeviceBuffer<ClusterEntry>,
    ) -> TimeSort {
        TimeSort {
            clusters: from.clusters.ptr(),
            side_offsets: from.side_offsets.ptr(),
            found: from.found.ptr(),
            parts: self.parts.ptr(),
            entries: entries.ptr(),
            grouped: grouped.ptr(),
            extents: self.extents.ptr(),
            counts: self.counts.ptr(),
            group_of: self.group_of.ptr(),
            group_offsets: self.group_offsets.ptr(),
            next_offsets: self.next_offsets.ptr(),
            overfull: self.overfull.ptr::<u32>().cast(),
        }
    }
}

/// The parts of all sides that may have more than `many` clusters, by digis because the number of
/// clusters is not known yet.
fn parts(sides: &Partition, many: u32) -> Vec<Part> {
    let large = |&(_, length): &(usize, usize)| length > many as usize;
    let parts = parts_of(sides.lengths().enumerate().filter(large), PART as usize);
    parts.map(|[side, first]| Part { side, first }).collect()
}

#[cfg(test)]
mod tests;
