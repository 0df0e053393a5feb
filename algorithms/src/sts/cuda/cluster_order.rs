//! Clusters of each side in order of time: see the kernels.

use generators::partition::Partition;

use super::clusters::Clusters;
use super::time_bins::TimeBins;
use super::{Clusters as ClusterPtr, Entries, Found, Founds, Words, parts_of};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, Table, image};
use crate::sts::{Cluster, ClusterEntry};

static IMAGE: Image = image!("sts-cluster_sort");

/// Clusters, begins, what was found; tiles; entries.
static SORT: Kernel<(ClusterPtr, Words, Founds, Words, Entries)> =
    Kernel::new(&IMAGE, "entries_sort");
/// Entries before and after; begins, what was found; tiles, the length of a run.
static MERGE: Kernel<(Entries, Entries, Words, Founds, Words, u32)> =
    Kernel::new(&IMAGE, "entries_merge");

const THREADS: u32 = 256;
/// Entries that a block sorts.
const TILE: usize = 2048;

/// How clusters are brought into order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum ClusterSortWay {
    /// Tiles in shared memory, then merged.
    BlockMerge,
    /// A block a side, by bins of time; large sides are distributed before.
    TimeBins,
}

/// Clusters of all sides, in any order.
#[derive(Clone, Copy)]
pub(super) struct UnsortedClusters<'a> {
    pub(super) clusters: &'a DeviceBuffer<Cluster>,
    pub(super) found: &'a DeviceBuffer<Found>,
    /// Where the rooms of sides begin, and where the last one ends; on the device and here.
    pub(super) begins: &'a DeviceBuffer<u32>,
    pub(super) sides: &'a Partition,
}

/// Entries in order of time, and what sorting them takes.
pub(super) struct ClusterOrder {
    entries: DeviceBuffer<ClusterEntry>,
    /// As many, of which none is needed later.
    scratch: DeviceBuffer<ClusterEntry>,
    tables: Tables,
}

enum Tables {
    /// The side of each tile, and the number of its first entry.
    BlockMerge(Table),
    TimeBins(Box<TimeBins>),
}

buffers!(enum Tables: BlockMerge, TimeBins);
buffers!(ClusterOrder: entries, scratch, tables);

impl Tables {
    fn new(
        gpu: &Gpu,
        digis: usize,
        sides: usize,
        way: ClusterSortWay,
    ) -> Result<Self, DeviceError> {
        Ok(match way {
            ClusterSortWay::BlockMerge => {
                Tables::BlockMerge(Table::new(gpu, 2 * (digis / TILE + sides))?)
            }
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

    /// Sorts the clusters of all sides, which lie where their digis do.
    pub(super) fn sort(
        &mut self,
        gpu: &Gpu,
        clusters: &Clusters,
        sides: &Partition,
        begins: &DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        let (clusters, found) = (clusters.clusters(), clusters.found());
        let from = UnsortedClusters {
            clusters,
            found,
            begins,
            sides,
        };
        self.sort_all(gpu, from)
    }

    fn sort_all(&mut self, gpu: &Gpu, from: UnsortedClusters<'_>) -> Result<(), DeviceError> {
        let (entries, scratch) = (&mut self.entries, &mut self.scratch);
        match &mut self.tables {
            Tables::BlockMerge(tiles) => sort_and_merge(gpu, from, tiles, entries, scratch),
            Tables::TimeBins(bins) => bins.sort(gpu, from, entries, scratch),
        }
    }

    /// The entries in order of time.
    pub(super) fn entries(&self) -> &DeviceBuffer<ClusterEntry> {
        &self.entries
    }
}

/// Sorts tiles, and merges them by turns to `merged` and back; `entries` is where they are
/// at last.
fn sort_and_merge(
    gpu: &Gpu,
    from: UnsortedClusters<'_>,
    table: &mut Table,
    entries: &mut DeviceBuffer<ClusterEntry>,
    merged: &mut DeviceBuffer<ClusterEntry>,
) -> Result<(), DeviceError> {
    let UnsortedClusters {
        clusters,
        found,
        begins,
        sides,
    } = from;
    let tiles = tiles(sides);
    table.fill(gpu, tiles.iter().flatten().copied())?;
    let shape = Shape {
        blocks: tiles.len() as u32,
        threads: THREADS,
        shared_bytes: 0,
        bytes: 2 * entries.bytes(),
    };
    let sorting = (clusters, begins, found, table.device(), &*entries);
    // SAFETY: tiles are parts of sides, which have room for an entry a cluster.
    unsafe { gpu.launch(&SORT, &shape, sorting)? };
    for run in runs(sides.lengths().max().unwrap_or(0)) {
        let merging = (&*entries, &*merged, begins, found, table.device(), run);
        // SAFETY: as above.
        unsafe { gpu.launch(&MERGE, &shape, merging)? };
        std::mem::swap(entries, merged);
    }
    Ok(())
}

/// The tiles of all sides; how many clusters these have is not known yet.
fn tiles(sides: &Partition) -> Vec<[u32; 2]> {
    parts_of(sides.lengths().enumerate(), TILE).collect()
}

/// The lengths of the runs that are merged, until there is one of so many entries.
fn runs(most: usize) -> impl Iterator<Item = u32> {
    let runs = std::iter::successors(Some(TILE), |run| Some(2 * run));
    runs.take_while(move |&run| run < most)
        .map(|run| run as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_their_sides() {
        let sides = Partition::from_lengths([0, 1, TILE, TILE + 1]);
        let expected = [[1, 0], [2, 0], [3, 0], [3, TILE as u32]];
        assert_eq!(tiles(&sides), expected);
    }

    #[test]
    fn runs_are_merged_until_one_is_left() {
        let tile = TILE as u32;
        assert_eq!(runs(TILE).count(), 0);
        assert!(runs(TILE + 1).eq([tile]));
        assert!(runs(5 * TILE).eq([tile, 2 * tile, 4 * tile]));
    }
}
