//! Parts of sides.

use std::ops::Range;

use generators_common::partition::Partition;
use generators_sts::Digi;

use crate::sts::Cluster;
use crate::sts::chains::snapshots::{BufferParts, filled};
use crate::sts::clusters::{ClusterFormulas, FoundClusters};
use crate::sts::rules::Rules;

/// Digis of a side, and the clusters found in them.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) side: usize,
    pub(super) digis: Range<usize>,
    pub(super) found: FoundClusters,
}

/// Cuts sides into parts of at least `min_length` digis, about that length. Digis are in order of time,
/// unless no side is that large.
pub(super) fn cut<P: Rules>(
    sides: &Partition,
    digis: &[Digi],
    min_length: usize,
    formulas: &ClusterFormulas,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (side, mut rest) in sides.ranges().enumerate() {
        while !rest.is_empty() {
            let end = end_of_part::<P>(digis, &rest, min_length, formulas);
            parts.push(Part { side, digis: rest.start..end, found: FoundClusters::default() });
            rest.start = end;
        }
    }
    parts
}

/// Clusters found in all parts, which cover all digis in their order.
pub(super) fn clusters_of<'a>(
    parts: &[Part],
    clusters: &'a mut [Cluster],
) -> BufferParts<'a, Cluster> {
    let parts_of_clusters = Partition::from_lengths(parts.iter().map(|part| part.digis.len()));
    let counts: Vec<_> = parts.iter().map(|part| part.found.clusters).collect();
    filled(clusters, &parts_of_clusters, &counts)
}

/// First index after at least `max` digis that is preceded by a long enough quiet time.
fn end_of_part<P: Rules>(
    digis: &[Digi],
    rest: &Range<usize>,
    min_length: usize,
    formulas: &ClusterFormulas,
) -> usize {
    if rest.len() <= min_length {
        return rest.end;
    }
    let quiet = |&index: &usize| {
        let before = digis[index - 1].time_ns();
        let after = digis[index].time_ns();
        after - before > formulas.quiet_ns::<P>(after)
    };
    let mut indices = rest.start + min_length..rest.end;
    indices.find(quiet).unwrap_or(rest.end)
}
