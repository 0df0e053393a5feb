//! Sums of clusters by row, from which digests of outputs follow.

use generators_tpc::geometry::{ROWS, SECTORS};

use super::{Cluster, RowCluster};
use tasks::algorithm::{ItemWords, SegmentSums, Segments, segment_sums};

/// Rows of all sectors, and a segment for clusters that are in none.
const SEGMENTS: usize = SECTORS * ROWS + 1;
/// The kind of items that there is.
const CLUSTERS: usize = 0;

impl ItemWords for Cluster {
    #[inline]
    fn sum(&self, salt: u64) -> u64 {
        let [time, pad, charges] = bytemuck::cast::<Cluster, [u32; 3]>(*self);
        [time, pad, charges, 0].sum(salt)
    }
}

/// Sums of the rows that are covered, without gaps between them.
pub(crate) fn sums_of(clusters: &[RowCluster], covered: Segments) -> SegmentSums {
    let mut offsets = vec![0_usize; SEGMENTS + 1];
    for cluster in clusters {
        offsets[segment(cluster) + 1] += 1;
    }
    for segment in 0..SEGMENTS {
        offsets[segment + 1] += offsets[segment];
    }
    let mut by_segment = vec![Cluster::default(); clusters.len()];
    let mut next = offsets.clone();
    for cluster in clusters {
        let index = &mut next[segment(cluster)];
        by_segment[*index] = cluster.cluster;
        *index += 1;
    }
    let of_segment = |segment: usize| &by_segment[offsets[segment]..offsets[segment + 1]];
    let mut sums = SegmentSums::default();
    let covered = covered.indices(SEGMENTS);
    sums.add(CLUSTERS, clusters.len(), segment_sums(CLUSTERS, covered, of_segment));
    sums
}

/// Index of a cluster's segment.
fn segment(cluster: &RowCluster) -> usize {
    let sector = cluster.case as usize;
    let row = usize::from(cluster.row);
    if sector < SECTORS && row < ROWS { sector * ROWS + row } else { SEGMENTS - 1 }
}
