//! Entries of each side by bins of time: see the kernels.

use generators::partition::Partition;

use super::cluster_order::UnsortedClusters;
use super::{Clusters, Entries, Founds, Words, parts_of};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Ptr, Shape, Table, image};
use crate::sts::ClusterEntry;

static IMAGE: Image = image!("sts-time_bins");

/// Clusters, begins, what was found; entries; extents, counts, crowds.
static FEW_CLUSTERS: Kernel<(Clusters, Words, Founds, Entries, Words, Words, Words)> =
    Kernel::new(&IMAGE, "time_bins_few");
/// Clusters, begins, what was found; entries.
static MANY_CLUSTERS: Kernel<(Clusters, Words, Founds, Entries)> =
    Kernel::new(&IMAGE, "time_bins_many");
/// Clusters, begins, what was found, parts; entries, extents.
static TIMES: Kernel<(Clusters, Words, Founds, Words, Entries, Words)> =
    Kernel::new(&IMAGE, "time_bins_times");
/// Begins, what was found, parts; entries, extents, counts.
static COUNT: Kernel<(Words, Founds, Words, Entries, Words, Words)> =
    Kernel::new(&IMAGE, "time_bins_count");
/// Begins, what was found; counts, groups of buckets; begins and places of groups.
static GROUP: Kernel<(Words, Founds, Words, Ptr<u16>, Words, Words)> =
    Kernel::new(&IMAGE, "time_bins_group");
static DISTRIBUTE: Kernel<DistributeParameters> = Kernel::new(&IMAGE, "time_bins_distribute");
static GROUPS_OF_PARTS: Kernel<GroupsParameters> = Kernel::new(&IMAGE, "time_bins_groups");
/// Crowds; entries in groups, entries.
static CROWDS: Kernel<(Words, Entries, Entries)> = Kernel::new(&IMAGE, "time_bins_crowds");

/// Begins, what was found, parts; entries, extents, groups of buckets, places of groups;
/// entries in groups.
type DistributeParameters = (
    Words,
    Founds,
    Words,
    Entries,
    Words,
    Ptr<u16>,
    Words,
    Entries,
);
/// Begins, what was found, parts; begins and places of groups; entries in groups, entries,
/// crowds.
type GroupsParameters = (Words, Founds, Words, Words, Words, Entries, Entries, Words);

// Sizes that kernels and launcher agree on: see `time_bins/*.h`.
const THREADS: u32 = 512;
const MANY_THREADS: u32 = 1024;
/// Entries of a thread.
const ITEMS: u32 = 8;
/// Clusters of a side that a block sorts at once.
const FEW: u32 = ITEMS * THREADS;
const MANY: u32 = ITEMS * MANY_THREADS;
/// Buckets of a large side, and its groups at most.
const BUCKETS: u32 = 2048;
/// Entries of a group at least, but for the last one.
const LEAST_STEP: u32 = FEW / 2;
/// Clusters of a part of a large side.
const PART: u32 = MANY;

const KEY: u32 = 8;
const WORD: u32 = 4;
/// Where shared memory ends.
const ALIGNMENT: u32 = 16;

/// What sorting takes beside clusters and entries.
pub(super) struct TimeBins {
    /// The side of each part of large sides, and the number of its first cluster.
    parts: Table,
    extents: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    group_of: DeviceBuffer<u16>,
    group_begins: DeviceBuffer<u32>,
    places: DeviceBuffer<u32>,
    /// How many there are, then where each begins and ends.
    crowds: DeviceBuffer<u32>,
}

buffers!(TimeBins: parts, extents, counts, group_of, group_begins, places, crowds);

/// What is read and written.
#[derive(Clone, Copy)]
struct Sorting<'a> {
    from: UnsortedClusters<'a>,
    entries: &'a DeviceBuffer<ClusterEntry>,
    grouped: &'a DeviceBuffer<ClusterEntry>,
}

impl TimeBins {
    pub(super) fn new(gpu: &Gpu, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        // No side is large where there are so few.
        let large = if digis > MANY as usize { sides } else { 0 };
        let groups = digis / LEAST_STEP as usize + sides + 1;
        Ok(TimeBins {
            parts: Table::new(gpu, 2 * (digis / PART as usize + large))?,
            extents: gpu.buffer(2 * large)?,
            counts: gpu.buffer(BUCKETS as usize * large)?,
            group_of: gpu.buffer(BUCKETS as usize * large)?,
            group_begins: gpu.buffer(groups)?,
            places: gpu.buffer(groups)?,
            crowds: gpu.buffer(1 + 2 * (digis / FEW as usize))?,
        })
    }

    /// Sorts the entries of all sides into `entries`; overwrites as many others.
    pub(super) fn sort(
        &mut self,
        gpu: &Gpu,
        from: UnsortedClusters<'_>,
        entries: &DeviceBuffer<ClusterEntry>,
        grouped: &DeviceBuffer<ClusterEntry>,
    ) -> Result<(), DeviceError> {
        let sorting = Sorting {
            from,
            entries,
            grouped,
        };
        let most = from.sides.lengths().max().unwrap_or(0);
        self.sort_few(gpu, sorting)?;
        if most > FEW as usize {
            sort_many(gpu, sorting)?;
        }
        let parts = parts(from.sides);
        if parts.is_empty() {
            return Ok(());
        }
        self.parts.fill(gpu, parts.iter().flatten().copied())?;
        self.distribute(gpu, parts.len() as u32, sorting)?;
        self.sort_groups(gpu, parts.len() as u32, sorting)
    }

    fn sort_few(&self, gpu: &Gpu, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let UnsortedClusters {
            clusters,
            begins,
            found,
            ..
        } = sorting.from;
        let arguments = (
            clusters,
            begins,
            found,
            sorting.entries,
            &self.extents,
            &self.counts,
            &self.crowds,
        );
        let shape = Shape {
            shared_bytes: shared_by_sorting(gpu, FEW),
            ..sorting.shape_of_sides(THREADS)
        };
        // SAFETY: a block a side, which has room for an entry a cluster; there are tables
        // for each where one of them can be large.
        unsafe { gpu.launch(&FEW_CLUSTERS, &shape, arguments) }
    }

    /// Brings the entries of large sides into groups.
    fn distribute(&self, gpu: &Gpu, parts: u32, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let UnsortedClusters {
            clusters,
            begins,
            found,
            ..
        } = sorting.from;
        let Sorting {
            entries, grouped, ..
        } = sorting;
        let (list, extents, counts) = (self.parts.device(), &self.extents, &self.counts);
        let (group_of, places) = (&self.group_of, &self.places);
        let copying = (clusters, begins, found, list, entries, extents);
        let counting = (begins, found, list, entries, extents, counts);
        let grouping = (begins, found, counts, group_of, &self.group_begins, places);
        let distributing = (
            begins, found, list, entries, extents, group_of, places, grouped,
        );
        let times = entries.bytes() / 2;
        let shape = |bytes| Shape {
            blocks: parts,
            threads: THREADS,
            shared_bytes: 0,
            bytes,
        };
        let moving = Shape {
            shared_bytes: shared_by_distribution(gpu),
            ..shape(times + grouped.bytes())
        };
        // SAFETY: parts are those of sides, which have room for an entry a cluster; all
        // tables have room for each side, and for as many groups as sides can have.
        unsafe {
            gpu.launch(&TIMES, &shape(clusters.bytes() + times), copying)?;
            gpu.launch(&COUNT, &shape(times), counting)?;
            gpu.launch(&GROUP, &sorting.shape_of_sides(MANY_THREADS), grouping)?;
            gpu.launch(&DISTRIBUTE, &moving, distributing)
        }
    }

    fn sort_groups(&self, gpu: &Gpu, parts: u32, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let UnsortedClusters { begins, found, .. } = sorting.from;
        let Sorting {
            entries, grouped, ..
        } = sorting;
        let (list, group_begins, places) = (self.parts.device(), &self.group_begins, &self.places);
        let crowds = &self.crowds;
        let arguments = (
            begins,
            found,
            list,
            group_begins,
            places,
            grouped,
            entries,
            crowds,
        );
        let shape = Shape {
            blocks: parts * (PART / LEAST_STEP),
            threads: THREADS,
            shared_bytes: shared_by_sorting(gpu, FEW),
            bytes: 2 * entries.bytes(),
        };
        let of_crowds = Shape {
            blocks: gpu.properties().multiprocessors.min(parts),
            threads: THREADS,
            shared_bytes: 0,
            // Nobody knows how many there are.
            bytes: 0,
        };
        // SAFETY: a block for each group that sides can have; there are no more crowds than
        // fit into all rooms.
        unsafe {
            gpu.launch(&GROUPS_OF_PARTS, &shape, arguments)?;
            gpu.launch(&CROWDS, &of_crowds, (crowds, grouped, entries))
        }
    }
}

impl Sorting<'_> {
    /// A block a side, which reads clusters and writes entries.
    fn shape_of_sides(&self, threads: u32) -> Shape {
        Shape {
            blocks: self.from.sides.segments() as u32,
            threads,
            shared_bytes: 0,
            bytes: self.from.clusters.bytes() + self.entries.bytes(),
        }
    }
}

fn sort_many(gpu: &Gpu, sorting: Sorting<'_>) -> Result<(), DeviceError> {
    let UnsortedClusters {
        clusters,
        begins,
        found,
        ..
    } = sorting.from;
    let shape = Shape {
        shared_bytes: shared_by_sorting(gpu, MANY),
        ..sorting.shape_of_sides(MANY_THREADS)
    };
    // SAFETY: a block a side, which has room for an entry a cluster.
    unsafe {
        gpu.launch(
            &MANY_CLUSTERS,
            &shape,
            (clusters, begins, found, sorting.entries),
        )
    }
}

/// Dynamic shared memory of a block that sorts so many entries (`Sorting`): the entries, a
/// word a bin and one more, a sum a lane, two words.
fn shared_by_sorting(gpu: &Gpu, entries: u32) -> u32 {
    let words = entries + 1 + gpu.properties().lanes + 2;
    (entries * KEY + words * WORD).next_multiple_of(ALIGNMENT)
}

/// Dynamic shared memory of a block that distributes (`Distribution`): a tile, two words a
/// group, a sum a lane, the number of a group for each bucket.
fn shared_by_distribution(gpu: &Gpu) -> u32 {
    let words = 2 * BUCKETS + gpu.properties().lanes;
    let bytes = FEW * KEY + words * WORD + BUCKETS * WORD / 2;
    bytes.next_multiple_of(ALIGNMENT)
}

/// The parts of all sides that may be large; how many clusters these have is not known yet.
fn parts(sides: &Partition) -> Vec<[u32; 2]> {
    let large = |&(_, length): &(usize, usize)| length > MANY as usize;
    parts_of(sides.lengths().enumerate().filter(large), PART as usize).collect()
}

#[cfg(test)]
mod tests;
