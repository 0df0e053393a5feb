//! Correctness: the same digis, clusters or hits as the reference, to the last bit, in each
//! segment. Their order is checked only after a stage that establishes it.

use std::fmt::Debug;

use generators_sts::SegmentedDigis;
use parallel::{first_error, first_where};

use crate::sts::{
    ChainStage, Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned, Product,
};

/// Difference of a product from the reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The product is of another kind than the stage's.
    #[error("the output is not what the stage should leave")]
    Kind,
    /// Too many or too few segments.
    #[error("there are {found} segments of {what} instead of {expected}")]
    Segments {
        /// Kind of the items.
        what: &'static str,
        /// In the reference.
        expected: usize,
        /// In the output.
        found: usize,
    },
    /// The number of items in a segment is wrong.
    #[error("{what}, segment {segment}: {found} instead of {expected}")]
    Count {
        /// Kind of the items.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// In the reference.
        expected: usize,
        /// In the output.
        found: usize,
    },
    /// An item differs from the reference's.
    #[error("{what}, segment {segment}, number {index}: {found} instead of {expected}")]
    Thing {
        /// Kind of the expected product.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// Its number in an order in which equal ones only are interchangeable.
        index: usize,
        /// The reference's.
        expected: String,
        /// The output's.
        found: String,
    },
    /// Not in the order that the stage is there to make.
    #[error("{what}, segment {segment}, number {index}: not in order of time")]
    Order {
        /// Kind of the items.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// Index of the first item that is out of order.
        index: usize,
    },
}

/// Checks the product of a stage, or of the whole chain if there is none, against the reference.
/// Digis must be in the order of the stream if the variant promises that: `stable`.
pub(super) fn check(
    stage: Option<ChainStage>,
    stable: bool,
    expected: &Product,
    found: &Product,
) -> Result<(), Mismatch> {
    match (expected, found) {
        (Product::Digis(expected), Product::Digis(found)) => same_digis(expected, found, stable),
        (Product::OfflineDigis(expected), Product::OfflineDigis(found)) => {
            let key = |digi: &OfflineDigi| (digi.time, digi.address, digi.channel, digi.adc);
            in_order("digis", expected, found, key)
        }
        (Product::Clusters(expected), Product::Clusters(found)) => {
            same("clusters", expected, found, Cluster::order)?;
            let time = |cluster: &Cluster| f64::from(cluster.time);
            clusters_in_order(stage, found, time)
        }
        (Product::OfflineClusters(expected), Product::OfflineClusters(found)) => {
            same("clusters", expected, found, OfflineCluster::order)?;
            clusters_in_order(stage, found, |cluster| cluster.time)
        }
        (Product::Hits(expected), Product::Hits(found)) => {
            same("hits", expected, found, Hit::order)
        }
        (Product::Hits(expected), Product::Streams(found)) => {
            same("hits", expected, found, Hit::order)?;
            in_order_of_time("hits", found, |hit| f64::from(hit.time))
        }
        (Product::OfflineHits(expected), Product::OfflineHits(found)) => {
            same("hits", expected, found, OfflineHit::order)
        }
        (Product::Both(clusters, hits), Product::Both(found_clusters, found_hits)) => {
            check(stage, stable, clusters, found_clusters)?;
            check(stage, stable, hits, found_hits)
        }
        _ => Err(Mismatch::Kind),
    }
}

/// Checks that each segment has the same digis; in any order, unless that of the stream is
/// required.
fn same_digis(
    expected: &SegmentedDigis,
    found: &SegmentedDigis,
    stable: bool,
) -> Result<(), Mismatch> {
    let expected_segments = expected.partition().segments();
    let found_segments = found.partition().segments();
    each_segment("digis", expected_segments, found_segments, |segment| {
        let [expected, found] = [expected, found].map(|digis| digis.segment(segment));
        if stable {
            same_things("digis", segment, expected, found, |digi| digi.bits())
        } else {
            same_in_any_order("digis", segment, expected, found, |digi| digi.bits())
        }
    })
}

/// Checks that each segment has the same items, in any order.
fn same<T: Clone + Debug + Sync, K: Ord>(
    what: &'static str,
    expected: &Partitioned<T>,
    found: &Partitioned<T>,
    key: impl Fn(&T) -> K + Sync,
) -> Result<(), Mismatch> {
    each_segment(what, expected.segments(), found.segments(), |segment| {
        let [expected, found] = [expected, found].map(|things| things.segment(segment));
        same_in_any_order(what, segment, expected, found, &key)
    })
}

/// Checks that each segment has the same items in the same order.
fn in_order<S: AsRef<[T]> + Sync, T: Debug + Sync, K: Ord>(
    what: &'static str,
    expected: &[S],
    found: &[S],
    key: impl Fn(&T) -> K + Sync,
) -> Result<(), Mismatch> {
    each_segment(what, expected.len(), found.len(), |segment| {
        let [expected, found] = [expected, found].map(|things| things[segment].as_ref());
        same_things(what, segment, expected, found, &key)
    })
}

/// Checks all segments in parallel, and that their number is the expected one.
fn each_segment(
    what: &'static str,
    expected: usize,
    found: usize,
    check: impl Fn(usize) -> Result<(), Mismatch> + Sync,
) -> Result<(), Mismatch> {
    if expected != found {
        return Err(Mismatch::Segments { what, expected, found });
    }
    first_error(found, check)
}

fn same_in_any_order<T: Clone + Debug + Sync, K: Ord>(
    what: &'static str,
    segment: usize,
    expected: &[T],
    found: &[T],
    key: impl Fn(&T) -> K + Sync,
) -> Result<(), Mismatch> {
    let [expected, found] = [expected, found].map(|things| {
        let mut things = things.to_vec();
        things.sort_by_key(&key);
        things
    });
    same_things(what, segment, &expected, &found, key)
}

fn same_things<T: Debug + Sync, K: Ord>(
    what: &'static str,
    segment: usize,
    expected: &[T],
    found: &[T],
    key: impl Fn(&T) -> K + Sync,
) -> Result<(), Mismatch> {
    let differ = |index: usize| key(&expected[index]) != key(&found[index]);
    if let Some(index) = first_where(expected.len().min(found.len()), differ) {
        return Err(Mismatch::Thing {
            what,
            segment,
            index,
            expected: format!("{:?}", expected[index]),
            found: format!("{:?}", found[index]),
        });
    }
    if expected.len() != found.len() {
        return Err(Mismatch::Count {
            what,
            segment,
            expected: expected.len(),
            found: found.len(),
        });
    }
    Ok(())
}

/// Only one stage is there to sort clusters.
fn clusters_in_order<T: Sync>(
    stage: Option<ChainStage>,
    found: &Partitioned<T>,
    time: impl Fn(&T) -> f64 + Sync,
) -> Result<(), Mismatch> {
    match stage {
        Some(ChainStage::ClusterSort) => in_order_of_time("clusters", found, time),
        _ => Ok(()),
    }
}

fn in_order_of_time<T: Sync>(
    what: &'static str,
    found: &Partitioned<T>,
    time: impl Fn(&T) -> f64 + Sync,
) -> Result<(), Mismatch> {
    first_error(found.segments(), |segment| {
        let things = found.segment(segment);
        let descends = |index: usize| index > 0 && time(&things[index]) < time(&things[index - 1]);
        match first_where(things.len(), descends) {
            None => Ok(()),
            Some(index) => Err(Mismatch::Order { what, segment, index }),
        }
    })
}

#[cfg(test)]
mod tests {
    use parallel::testing::with_all_pools;

    use super::*;

    /// Segments of very unlike sizes, of which one is shared by threads.
    fn clusters() -> Partitioned<Cluster> {
        let cluster = |index: usize| Cluster {
            time: index as u32,
            position: index as f32,
            ..Cluster::default()
        };
        let segment = |clusters: usize| (0..clusters).map(cluster).collect::<Vec<_>>();
        Partitioned::of_sides(&[70_000, 0, 5, 131_073].map(segment))
    }

    fn checked(
        stage: ChainStage,
        expected: &Partitioned<Cluster>,
        found: &Partitioned<Cluster>,
    ) -> Result<(), Mismatch> {
        let [expected, found] =
            [expected, found].map(|clusters| Product::Clusters(clusters.clone()));
        with_all_pools(|| check(Some(stage), true, &expected, &found))
    }

    /// The right segments, of which one is changed by `spoil`.
    fn spoilt(segment: usize, spoil: impl Fn(&mut Vec<Cluster>)) -> Partitioned<Cluster> {
        let right = clusters();
        let segments = 0..right.segments();
        let mut all: Vec<_> = segments.map(|index| right.segment(index).to_vec()).collect();
        spoil(&mut all[segment]);
        Partitioned::of_sides(&all)
    }

    const INDICES: [(usize, usize); 6] =
        [(0, 0), (0, 65_535), (0, 69_999), (2, 4), (3, 65_536), (3, 131_072)];

    #[test]
    fn right_output_passes_in_any_order() {
        let right = clusters();
        assert_eq!(checked(ChainStage::Cluster, &right, &right), Ok(()));
        let turned = spoilt(3, |clusters| clusters.reverse());
        assert_eq!(checked(ChainStage::Cluster, &right, &turned), Ok(()));
        let order = checked(ChainStage::ClusterSort, &right, &turned);
        let what = "clusters";
        let segment = 3;
        let index = 1;
        let expected = Mismatch::Order { what, segment, index };
        assert_eq!(order, Err(expected));
    }

    #[test]
    fn a_changed_lost_doubled_or_swapped_one_is_found_wherever_it_is() {
        let right = clusters();
        for (segment, expected_index) in INDICES {
            let changed = spoilt(segment, |all| all[expected_index].charge += 1.0);
            let found = checked(ChainStage::Cluster, &right, &changed);
            let is_there = matches!(found, Err(Mismatch::Thing { segment: s, index, .. })
                if s == segment && index == expected_index);
            assert!(is_there, "{found:?}");
            let lost = spoilt(segment, |all| {
                all.remove(expected_index);
            });
            assert!(checked(ChainStage::Cluster, &right, &lost).is_err());
            let doubled = spoilt(segment, |all| all.push(all[expected_index]));
            assert!(checked(ChainStage::Cluster, &right, &doubled).is_err());
            let other = if expected_index > 0 { expected_index - 1 } else { 1 };
            let swapped = spoilt(segment, |all| all.swap(expected_index, other));
            let index = expected_index.max(other);
            let found = checked(ChainStage::ClusterSort, &right, &swapped);
            let is_reported = matches!(found, Err(Mismatch::Order { segment: s, index: n, .. })
                if s == segment && n.abs_diff(index) <= 1);
            assert!(is_reported, "{found:?}");
        }
    }

    #[test]
    fn first_of_several_mismatches_is_reported() {
        let right = clusters();
        let mut wrong = right.clone();
        for (segment, expected_index) in INDICES.into_iter().rev() {
            wrong.segment_mut(segment)[expected_index].charge += 1.0;
            let found = checked(ChainStage::Cluster, &right, &wrong);
            let first = matches!(found, Err(Mismatch::Thing { segment: s, index, .. })
                if s == segment && index == expected_index);
            assert!(first, "{found:?}");
        }
    }

    #[test]
    fn empty_output_of_a_stage_is_refused() {
        let right = Product::Clusters(clusters());
        let nothing = check(Some(ChainStage::Cluster), true, &right, &Product::Nothing);
        assert_eq!(nothing, Err(Mismatch::Kind));
        let none = Product::Clusters(Partitioned::of_sides::<Vec<Cluster>>(&[]));
        let found = check(Some(ChainStage::Cluster), true, &right, &none);
        assert!(matches!(found, Err(Mismatch::Segments { found: 0, .. })));
    }
}
