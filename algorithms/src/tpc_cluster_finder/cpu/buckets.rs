//! Where clusters go: a list for each row of each sector, with room for as many as it has samples,
//! of which no two are in the same place.

use std::sync::atomic::{AtomicU32, Ordering};

use generators::tpc::geometry::ROWS;

use super::labels::Flat;
use crate::device::{Arena, ArenaVec, SharedSlice, atomic, buffers};
use crate::parallel::map;
use crate::tpc_cluster_finder::cluster::Cluster;
use crate::tpc_cluster_finder::input::{Charges, RowCluster};
use crate::tpc_cluster_finder::labels::Clusters;

/// Where the list of each row begins, and where the last one ends.
pub(crate) type Starts = Vec<usize>;

/// The lists, of sector after sector.
pub(crate) struct Buckets<'a> {
    clusters: ArenaVec<'a, Cluster>,
    counts: ArenaVec<'a, u32>,
}

buffers!(Buckets<'_>: clusters, counts);

/// Where the lists of some charges begin.
pub(super) fn starts(charges: &Charges) -> Starts {
    let counts = charges.samples_of_rows();
    let ends = counts.iter().flatten().scan(0, |end, count| {
        *end += *count as usize;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

impl<'a> Buckets<'a> {
    /// For so many samples in all rows of so many sectors.
    pub(crate) fn take(arena: &'a Arena, samples: usize, sectors: usize) -> Self {
        Buckets { clusters: arena.vector(samples), counts: arena.vector(sectors * ROWS) }
    }

    /// The lists, empty, for any number of threads.
    pub(crate) fn emptied<'b>(&'b mut self, starts: &'b Starts) -> Filling<'b> {
        self.counts.fill(0);
        Filling {
            clusters: SharedSlice::new(&mut self.clusters),
            counts: atomic(&mut self.counts),
            starts,
        }
    }

    /// Clusters of each row.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// All clusters with their labels, in order.
    pub(super) fn labelled(&self, starts: &Starts, labels: &Flat) -> Clusters {
        let rows = self.counts.iter().enumerate().flat_map(|(number, &count)| {
            let list = &self.clusters[starts[number]..][..count as usize];
            let (case, row) = ((number / ROWS) as u32, (number % ROWS) as u8);
            list.iter().map(move |&cluster| RowCluster { case, row, cluster })
        });
        Clusters::labelled(rows.zip(labels.lists().map(<[u64]>::to_vec)).collect())
    }

    /// All clusters, in order.
    pub(crate) fn sorted(&self, starts: &Starts) -> Vec<RowCluster> {
        let of_row = |number: usize| {
            let of_row = |&cluster: &Cluster| RowCluster {
                case: (number / ROWS) as u32,
                row: (number % ROWS) as u8,
                cluster,
            };
            let list = &self.clusters[starts[number]..][..self.counts[number] as usize];
            let mut clusters: Vec<_> = list.iter().map(of_row).collect();
            clusters.sort_unstable();
            clusters
        };
        map(0..self.counts.len(), of_row).concat()
    }
}

/// The lists while they are filled.
pub(crate) struct Filling<'b> {
    clusters: SharedSlice<'b, Cluster>,
    counts: &'b [AtomicU32],
    starts: &'b Starts,
}

impl Filling<'_> {
    /// Adds a cluster to the list of a row of a sector, and says its place there.
    #[inline]
    pub(crate) fn add(&self, case: usize, row: usize, cluster: Cluster) -> usize {
        let list = case * ROWS + row;
        let number = self.counts[list].fetch_add(1, Ordering::Relaxed) as usize;
        let place = self.starts[list] + number;
        assert!(place < self.starts[list + 1], "a row has more clusters than samples");
        // SAFETY: whoever counts up has the place, and it is in the list.
        unsafe { self.clusters.write(place, cluster) };
        number
    }
}
