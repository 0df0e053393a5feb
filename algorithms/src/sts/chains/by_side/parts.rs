//! Parts of sides.

use std::ops::Range;

use generators::partition::Partition;
use generators::sts::Digi;

use crate::sts::Cluster;
use crate::sts::chains::left::{Places, filled};
use crate::sts::clusters::{ClusterFormulas, Found};
use crate::sts::rules::Rules;

/// Digis of a side, and what was found in them.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) side: usize,
    pub(super) digis: Range<usize>,
    pub(super) found: Found,
}

/// Sides that are cut into parts of about so many digis, or more. Digis are in order of
/// time, unless no side is that large.
pub(super) fn cut<P: Rules>(
    sides: &Partition,
    digis: &[Digi],
    most: usize,
    formulas: &ClusterFormulas,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (side, mut rest) in sides.ranges().enumerate() {
        while !rest.is_empty() {
            let end = end_of_part::<P>(digis, &rest, most, formulas);
            parts.push(Part { side, digis: rest.start..end, found: Found::default() });
            rest.start = end;
        }
    }
    parts
}

/// What was found in all parts, which cover all digis in their order.
pub(super) fn clusters_of<'a>(parts: &[Part], clusters: &'a mut [Cluster]) -> Places<'a, Cluster> {
    let places = Partition::from_lengths(parts.iter().map(|part| part.digis.len()));
    let counts: Vec<_> = parts.iter().map(|part| part.found.clusters).collect();
    filled(clusters, &places, &counts)
}

/// The first place behind so many digis where nothing happens for long enough.
fn end_of_part<P: Rules>(
    digis: &[Digi],
    rest: &Range<usize>,
    most: usize,
    formulas: &ClusterFormulas,
) -> usize {
    if rest.len() <= most {
        return rest.end;
    }
    let quiet = |&place: &usize| {
        let (before, after) = (digis[place - 1].time_ns(), digis[place].time_ns());
        after - before > formulas.quiet_ns::<P>(after)
    };
    let mut places = rest.start + most..rest.end;
    places.find(quiet).unwrap_or(rest.end)
}
