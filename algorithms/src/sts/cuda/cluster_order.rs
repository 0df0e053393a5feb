//! Clusters of each side in order of time: see the kernels.

use generators::partition::Partition;

use super::clusters::UnsortedClusters;
use super::parts_of;
use super::time_bins::TimeBins;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid, Table};
use crate::kernels::sts_cluster_block_merge::{ENTRIES_BLOCK_MERGE, EntriesBlockMerge};
use crate::kernels::sts_cluster_tiles::{
    ENTRIES_MERGE, ENTRIES_SORT, EntriesMerge, EntriesSort, TILE as TILE_OF_ENTRIES, Tile,
};
use crate::sts::ClusterEntry;

/// Entries that a block sorts.
const TILE: usize = TILE_OF_ENTRIES as usize;

/// Algorithm that sorts clusters by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum ClusterSortWay {
    /// A block per side, as published: the sort of digis.
    BlockMerge,
    /// Tiles in shared memory, then merged by all blocks.
    Tiles,
    /// A block per side, by bins of time; large sides are distributed before.
    TimeBins,
}

/// Entries in order of time, and the buffers for sorting them.
pub(super) struct ClusterOrder {
    entries: DeviceBuffer<ClusterEntry>,
    /// Scratch entries, overwritten by each sort.
    scratch: DeviceBuffer<ClusterEntry>,
    tables: Tables,
}

enum Tables {
    BlockMerge(()),
    Tiles(Table<Tile>),
    TimeBins(Box<TimeBins>),
}

buffers!(enum Tables: BlockMerge, Tiles, TimeBins);
buffers!(ClusterOrder: entries, scratch, tables);

impl Tables {
    fn new(
        gpu: &Gpu,
        digis: usize,
        sides: usize,
        way: ClusterSortWay,
    ) -> Result<Self, DeviceError> {
        Ok(match way {
            ClusterSortWay::BlockMerge => Tables::BlockMerge(()),
            ClusterSortWay::Tiles => Tables::Tiles(Table::new(gpu, digis / TILE + sides)?),
            ClusterSortWay::TimeBins => {
                Tables::TimeBins(Box::new(TimeBins::new(gpu, digis, sides)?))
            }
        })
    }
}

impl ClusterOrder {
    pub(super) fn new(
        gpu: &Gpu,
        digis: usize,
        sides: usize,
        way: ClusterSortWay,
    ) -> Result<Self, DeviceError> {
        Ok(ClusterOrder {
            entries: gpu.buffer(digis)?,
            scratch: gpu.buffer(digis)?,
            tables: Tables::new(gpu, digis, sides, way)?,
        })
    }

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
            Tables::Tiles(tiles) => sort_and_merge(gpu, from, tiles, entries, scratch),
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
    let grid = Grid::blocks(from.sides.segments() as u32).moving(bytes);
    let arguments = EntriesBlockMerge {
        clusters: from.clusters.ptr(),
        begins: from.begins.ptr(),
        found: from.found.ptr(),
        entries: entries.ptr(),
        scratch: scratch.ptr(),
    };
    // SAFETY: each side has capacity for one entry per cluster, in both arrays.
    unsafe { gpu.launch(&ENTRIES_BLOCK_MERGE, grid, arguments) }
}

/// Sorts tiles, and merges them back and forth between `entries` and `merged`; the result is in
/// `entries`.
fn sort_and_merge(
    gpu: &Gpu,
    from: UnsortedClusters<'_>,
    table: &mut Table<Tile>,
    entries: &mut DeviceBuffer<ClusterEntry>,
    merged: &mut DeviceBuffer<ClusterEntry>,
) -> Result<(), DeviceError> {
    let all = tiles(from.sides);
    let grid = Grid::blocks(all.len() as u32);
    table.fill(gpu, all)?;
    let begins = from.begins.ptr();
    let found = from.found.ptr();
    let tiles = table.ptr();
    let sorting =
        EntriesSort { clusters: from.clusters.ptr(), begins, found, tiles, entries: entries.ptr() };
    // SAFETY: tiles are parts of sides, which have capacity for one entry per cluster.
    unsafe {
        gpu.launch(&ENTRIES_SORT, grid.moving(from.cluster_bytes() + from.entry_bytes()), sorting)?
    };
    for run in runs(from.sides.lengths().max().unwrap_or(0)) {
        let merging =
            EntriesMerge { from: entries.ptr(), to: merged.ptr(), begins, found, tiles, run };
        // SAFETY: tiles are parts of sides, which have capacity for one entry per cluster in both
        // arrays.
        unsafe { gpu.launch(&ENTRIES_MERGE, grid.moving(2 * from.entry_bytes()), merging)? };
        std::mem::swap(entries, merged);
    }
    Ok(())
}

/// The tiles of all sides, by digis because the number of clusters is not known yet.
fn tiles(sides: &Partition) -> Vec<Tile> {
    let tiles = parts_of(sides.lengths().enumerate(), TILE);
    tiles.map(|[side, first]| Tile { side, first }).collect()
}

/// The lengths of the runs that are merged, until one has `max` entries.
fn runs(max: usize) -> impl Iterator<Item = u32> {
    let runs = std::iter::successors(Some(TILE), |run| Some(2 * run));
    runs.take_while(move |&run| run < max).map(|run| run as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_their_sides() {
        let sides = Partition::from_lengths([0, 1, TILE, TILE + 1]);
        let expected = [(1, 0), (2, 0), (3, 0), (3, TILE as u32)];
        let expected = expected.map(|(side, first)| Tile { side, first });
        assert_eq!(tiles(&sides), expected);
    }

    #[test]
    fn runs_are_merged_to_one() {
        let tile = TILE as u32;
        assert_eq!(runs(TILE).count(), 0);
        assert!(runs(TILE + 1).eq([tile]));
        assert!(runs(5 * TILE).eq([tile, 2 * tile, 4 * tile]));
    }
}
