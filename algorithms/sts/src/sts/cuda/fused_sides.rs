//! Sides that fit into shared memory, from digis to clusters in order of time: see the kernels.

use std::cmp::Reverse;

use generators_common::partition::Partition;
use portable_gpu::{DeviceError, Gpu, LaunchConfig};

use super::ByRules;
use super::cluster_order::ClusterOrder;
use super::clusters::{Clusters, LargerTiles, SortedDigis};
use crate::kernels::sts_cuda_formulas_clusters_h::ClusterFinding;
use crate::kernels::sts_links::TILE;
use crate::kernels::sts_whole_sides::{
    LONGEST, MAX_ORDERED, WHOLE_SIDES_EXACT, WHOLE_SIDES_PUBLISHED, WHOLE_SIDES_WIDE_EXACT,
    WHOLE_SIDES_WIDE_PUBLISHED,
};
use crate::sts::{Cluster, ClusterEntry};
use crate::sts_sort::cuda::ChannelBucket;
use tasks::device::{StagedArray, buffers};

static NARROW: ByRules<ClusterFinding> = ByRules::new(&WHOLE_SIDES_EXACT, &WHOLE_SIDES_PUBLISHED);
static WIDE: ByRules<ClusterFinding> =
    ByRules::new(&WHOLE_SIDES_WIDE_EXACT, &WHOLE_SIDES_WIDE_PUBLISHED);

buffers! {
    /// Sides that a single block processes, and the partition of the others.
    pub(super) struct FusedSides(gpu, digis: usize, sides: usize) {
        /// Sides of blocks that have a multiprocessor to themselves and of others, then tiles of
        /// larger ones.
        listed: StagedArray<u32> = StagedArray::new(gpu, sides + digis / TILE as usize + 1)?,
        /// All sides, those that a block takes without a digi.
        larger: Partition = Partition::from_lengths([]),
        ;
        sizes: Sizes = Sizes::new(gpu),
        wide: Listed = Listed::default(),
        narrow: Listed = Listed::default(),
        tiles: usize = 0,
    }
}

/// Limits on a side's digis and clusters that select the algorithm.
#[derive(Clone, Copy)]
struct Sizes {
    /// Digis that a block sorts.
    narrow: usize,
    /// Digis of which a block with a multiprocessor to itself makes clusters; more than it can sort
    /// are sorted before.
    max: usize,
    /// Clusters that a block sorts.
    clusters: usize,
}

/// Sides processed by the same kernel.
#[derive(Clone, Copy, Default)]
struct Listed {
    sides: usize,
    /// Digis of all of them.
    digis: usize,
}

impl Sizes {
    fn new(gpu: &Gpu) -> Self {
        let [narrow, wide] = ChannelBucket::block_capacities(gpu);
        if wide > narrow {
            Sizes { narrow, max: LONGEST as usize, clusters: MAX_ORDERED as usize }
        } else {
            Sizes { narrow, max: narrow, clusters: narrow }
        }
    }
}

impl FusedSides {
    /// Sets the sides to process.
    pub(super) fn fill(&mut self, gpu: &Gpu, sides: &Partition) -> Result<(), DeviceError> {
        let Sizes { narrow, max, .. } = self.sizes;
        let is_wide = |digis| digis > narrow && digis <= max;
        let is_narrow = |digis| digis > 0 && digis <= narrow;
        let of_wide = longest_first(sides, is_wide);
        let of_narrow = longest_first(sides, is_narrow);
        let tiles = tiles_of(sides, max);
        let digis_of = |is_listed: &dyn Fn(usize) -> bool| {
            sides.lengths().filter(|&digis| is_listed(digis)).sum()
        };
        self.wide = Listed { sides: of_wide.len(), digis: digis_of(&is_wide) };
        self.narrow = Listed { sides: of_narrow.len(), digis: digis_of(&is_narrow) };
        self.tiles = tiles.len();
        let larger = sides.lengths().map(|digis| if digis > max { digis } else { 0 });
        self.larger = Partition::from_lengths(larger);
        self.listed.fill(gpu, of_wide.into_iter().chain(of_narrow).chain(tiles))
    }

    /// The larger sides; others are there without a digi.
    pub(super) fn larger(&self) -> &Partition {
        &self.larger
    }

    /// Their tiles, if there are any.
    pub(super) fn larger_tiles(&self) -> Option<LargerTiles> {
        let tiles = self.listed.ptr().skipping(self.wide.sides + self.narrow.sides);
        let larger = LargerTiles { tiles, count: self.tiles, min: self.sizes.max + 1 };
        (self.tiles > 0).then_some(larger)
    }

    /// True if a side of the given numbers of digis and clusters had too many clusters for its
    /// block to sort.
    pub(super) fn has_overflow(&self, mut sides: impl Iterator<Item = (usize, usize)>) -> bool {
        let Sizes { max, clusters: fit, .. } = self.sizes;
        sides.any(|(digis, clusters)| digis <= max && clusters > fit)
    }

    /// Starts to find the clusters of all others, and to write their entries.
    pub(super) fn start(
        &self,
        gpu: &Gpu,
        sorted: SortedDigis<'_>,
        clusters: &Clusters,
        order: &ClusterOrder,
    ) -> Result<(), DeviceError> {
        let arguments = |first: usize| ClusterFinding {
            entries: order.entries().ptr(),
            listed: self.listed.ptr().skipping(first),
            ..clusters.arguments(sorted)
        };
        let semantics = clusters.semantics();
        let found = clusters.expected() * (size_of::<Cluster>() + size_of::<ClusterEntry>()) as u64;
        let all_bytes = (sorted.digis.bytes() + found) as f64;
        // The longest first.
        let lists = [(&WIDE, 0, self.wide), (&NARROW, self.wide.sides, self.narrow)];
        for (kernel, first, listed) in lists.into_iter().filter(|(_, _, listed)| listed.sides > 0) {
            // Assumes the same number of clusters per digi as in all sides.
            let bytes = all_bytes * listed.digis as f64 / sorted.digis.len().max(1) as f64;
            let grid = LaunchConfig::blocks(listed.sides as u32).with_traffic(bytes as u64);
            // SAFETY: listed sides have no more digis than a block of the kernel takes, and
            // capacity for that many clusters and entries.
            unsafe { gpu.launch(kernel.for_semantics(semantics), grid, arguments(first))? };
        }
        Ok(())
    }
}

/// The sides whose numbers of digis are accepted by `is_listed`, by descending number, so that no
/// block starts a long one at the end.
fn longest_first(sides: &Partition, is_listed: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut listed: Vec<_> =
        (0..).zip(sides.lengths()).filter(|&(_, digis)| is_listed(digis)).collect();
    listed.sort_unstable_by_key(|&(side, digis)| (Reverse(digis), side));
    listed.into_iter().map(|(side, _)| side).collect()
}

/// The tiles that contain digis of sides with more than `more_than` digis.
fn tiles_of(sides: &Partition, more_than: usize) -> Vec<u32> {
    let larger = sides.ranges().filter(|range| range.len() > more_than);
    let mut tiles: Vec<_> = larger
        .flat_map(|range| range.start as u32 / TILE..=(range.end - 1) as u32 / TILE)
        .collect();
    tiles.dedup();
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sides_come_first() {
        let sides = Partition::from_lengths([0, 3, 5, 9, 5]);
        assert_eq!(longest_first(&sides, |digis| digis > 0 && digis < 9), [2, 4, 1]);
    }

    #[test]
    fn tiles_of_larger_sides_are_listed_once() {
        let tile = TILE as usize;
        let sides = Partition::from_lengths([tile / 2, tile, tile, 1, 2 * tile]);
        assert_eq!(tiles_of(&sides, tile), [2, 3, 4]);
        assert_eq!(tiles_of(&sides, tile - 1), [0, 1, 2, 3, 4]);
        assert_eq!(tiles_of(&sides, 2 * tile), [0; 0]);
    }
}
