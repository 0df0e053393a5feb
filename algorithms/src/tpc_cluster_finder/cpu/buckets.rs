//! Lists of clusters: one for each row of each sector, with capacity for a cluster of each sample
//! of the row, because no two samples are in the same cell.

use std::sync::atomic::{AtomicU32, Ordering};

use generators::tpc::geometry::ROWS;

use super::labels::Flat;
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::map;
use crate::shared::{SharedSlice, atomic};
use crate::tpc_cluster_finder::cluster::Cluster;
use crate::tpc_cluster_finder::cluster::RowCluster;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;

/// The offsets of the lists of rows, with the end of the last one.
pub(crate) type Starts = Vec<usize>;

/// The lists, sector after sector.
pub(crate) struct Buckets<'a> {
    clusters: ArenaVec<'a, Cluster>,
    counts: ArenaVec<'a, u32>,
}

buffers!(Buckets<'_>: clusters, counts);

/// Offsets of the lists for some charges.
pub(super) fn starts(charges: &Charges) -> Starts {
    let counts = charges.samples_of_rows();
    let ends = counts.iter().flatten().scan(0, |end, count| {
        *end += *count as usize;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

impl<'a> Buckets<'a> {
    /// Allocates lists for `samples` samples in all rows of `sectors` sectors.
    pub(crate) fn take(arena: &'a Arena, samples: usize, sectors: usize) -> Self {
        Buckets { clusters: arena.vector(samples), counts: arena.vector(sectors * ROWS) }
    }

    /// The cleared lists, to be filled by any number of threads.
    pub(crate) fn emptied<'b>(&'b mut self, starts: &'b Starts) -> Filling<'b> {
        self.counts.fill(0);
        Filling {
            clusters: SharedSlice::new(&mut self.clusters),
            counts: atomic(&mut self.counts),
            starts,
        }
    }

    /// Number of clusters of each row.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// All clusters with their labels, in order.
    pub(super) fn labelled(&self, starts: &Starts, labels: &Flat) -> Clusters {
        let rows = self.counts.iter().enumerate().flat_map(|(index, &count)| {
            let list = &self.clusters[starts[index]..][..count as usize];
            let case = (index / ROWS) as u32;
            let row = (index % ROWS) as u8;
            list.iter().map(move |&cluster| RowCluster { case, row, cluster })
        });
        Clusters::labelled(rows.zip(labels.lists().map(<[u64]>::to_vec)).collect())
    }

    /// All clusters, in order.
    pub(crate) fn sorted(&self, starts: &Starts) -> Vec<RowCluster> {
        let of_row = |index: usize| {
            let of_row = |&cluster: &Cluster| RowCluster {
                case: (index / ROWS) as u32,
                row: (index % ROWS) as u8,
                cluster,
            };
            let list = &self.clusters[starts[index]..][..self.counts[index] as usize];
            let mut clusters: Vec<_> = list.iter().map(of_row).collect();
            clusters.sort_unstable();
            clusters
        };
        map(0..self.counts.len(), of_row).concat()
    }
}

/// The lists while they are filled in parallel.
pub(crate) struct Filling<'b> {
    clusters: SharedSlice<'b, Cluster>,
    counts: &'b [AtomicU32],
    starts: &'b Starts,
}

impl Filling<'_> {
    /// Adds a cluster to the list of a row of a sector, and returns its index there.
    #[inline]
    pub(crate) fn add(&self, case: usize, row: usize, cluster: Cluster) -> usize {
        let list = case * ROWS + row;
        let index = self.counts[list].fetch_add(1, Ordering::Relaxed) as usize;
        let offset = self.starts[list] + index;
        assert!(offset < self.starts[list + 1], "a row has more clusters than samples");
        // SAFETY: the index was claimed by an atomic increment, and is within the list's capacity.
        unsafe { self.clusters.write(offset, cluster) };
        index
    }
}
