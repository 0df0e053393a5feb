//! The clusters of both sides of all modules, as hits are found in them.

use generators_common::partition::Partition;

use crate::sts::{Cluster, ClusterEntry};

/// The clusters of all sides with their entries in order of time. Each side has a range of the
/// arrays of clusters and entries, of which the first `counts[side]` are used.
#[derive(Clone, Copy)]
pub(in crate::sts) struct SortedClusters<'a> {
    pub(in crate::sts) clusters: &'a [Cluster],
    pub(in crate::sts) entries: &'a [ClusterEntry],
    pub(in crate::sts) sides: &'a Partition,
    pub(in crate::sts) counts: &'a [usize],
}

impl<'a> SortedClusters<'a> {
    /// The entries of a side.
    #[inline]
    pub(in crate::sts) fn entries(&self, side: usize) -> &'a [ClusterEntry] {
        &self.entries[self.sides.range(side)][..self.counts[side]]
    }

    /// The clusters of a side, as entries count them.
    #[inline]
    pub(in crate::sts) fn clusters(&self, side: usize) -> &'a [Cluster] {
        &self.clusters[self.sides.range(side)]
    }

    /// A cluster by its number in order of time.
    #[inline]
    pub(in crate::sts) fn cluster(&self, side: usize, index: usize) -> &'a Cluster {
        &self.clusters(side)[self.entries(side)[index].index as usize]
    }
}
