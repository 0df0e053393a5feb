//! What counts as right: the same digis, clusters or hits as the reference, to the last
//! bit, in each segment. Their order counts only where a stage is there to make it.

use std::borrow::Cow;
use std::fmt::Debug;

use generators::sts::{Digi, SegmentedDigis};

use super::{Product, Stage};
use crate::sts::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned};

/// How a product can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// There is nothing to compare with.
    #[error("there is no reference to compare with")]
    Unknown,
    /// Something else than what the stage is there for.
    #[error("the output is not what the stage should leave")]
    Kind,
    /// Too many or too few segments.
    #[error("there are {found} segments of {what} instead of {expected}")]
    Segments {
        /// Of what.
        what: &'static str,
        /// In the reference.
        expected: usize,
        /// In the output.
        found: usize,
    },
    /// Too many or too few things in a segment.
    #[error("{what}, segment {segment}: {found} instead of {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// In the reference.
        expected: usize,
        /// In the output.
        found: usize,
    },
    /// Not the thing of the reference.
    #[error("{what}, segment {segment}, number {number}: {found} instead of {expected}")]
    Thing {
        /// What it should be.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// Its number in an order in which equal ones only are interchangeable.
        number: usize,
        /// The reference's.
        expected: String,
        /// The output's.
        found: String,
    },
    /// Not in the order that the stage is there to make.
    #[error("{what}, segment {segment}, number {number}: not in order of time")]
    Order {
        /// Of what.
        what: &'static str,
        /// The segment.
        segment: usize,
        /// Where the order is wrong.
        number: usize,
    },
}

/// Whether a stage, or the whole chain if there is none, left what the reference says.
/// Digis are in the order of the stream where that was promised: `stable`.
pub(super) fn check(
    stage: Option<Stage>,
    stable: bool,
    expected: &Product,
    found: &Product,
) -> Result<(), Mismatch> {
    match (expected, found) {
        (Product::Digis(expected), Product::Digis(found)) => {
            let [expected, found] = [expected, found].map(|digis| of_segments(digis, stable));
            in_order("digis", &expected, &found, |digi| digi.bits())
        }
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

/// The digis of each segment; in an order of their own unless that of the stream counts.
fn of_segments(digis: &SegmentedDigis, stable: bool) -> Vec<Cow<'_, [Digi]>> {
    let in_order = |segment: &'_ [Digi]| {
        let mut digis = segment.to_vec();
        digis.sort_unstable_by_key(|digi| digi.bits());
        Cow::Owned(digis)
    };
    match stable {
        true => digis.segments().map(Cow::Borrowed).collect(),
        false => digis.segments().map(in_order).collect(),
    }
}

/// The same things in each segment, in whatever order.
fn same<T: Clone + Debug, K: Ord>(
    what: &'static str,
    expected: &Partitioned<T>,
    found: &Partitioned<T>,
    key: impl Fn(&T) -> K,
) -> Result<(), Mismatch> {
    let sorted = |things: &Partitioned<T>| {
        let segment = |segment: usize| {
            let mut things = things.segment(segment).to_vec();
            things.sort_by_key(&key);
            things
        };
        (0..things.segments()).map(segment).collect::<Vec<_>>()
    };
    in_order(what, &sorted(expected), &sorted(found), &key)
}

/// The same things in each segment, in the same order.
fn in_order<S: AsRef<[T]>, T: Debug, K: Ord>(
    what: &'static str,
    expected: &[S],
    found: &[S],
    key: impl Fn(&T) -> K,
) -> Result<(), Mismatch> {
    if expected.len() != found.len() {
        return Err(Mismatch::Segments {
            what,
            expected: expected.len(),
            found: found.len(),
        });
    }
    for (segment, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (expected, found) = (expected.as_ref(), found.as_ref());
        let pairs = expected.iter().zip(found).enumerate();
        if let Some((number, (expected, found))) = pairs
            .into_iter()
            .find(|(_, (expected, found))| key(expected) != key(found))
        {
            return Err(Mismatch::Thing {
                what,
                segment,
                number,
                expected: format!("{expected:?}"),
                found: format!("{found:?}"),
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
    }
    Ok(())
}

/// Only one stage is there to sort clusters.
fn clusters_in_order<T>(
    stage: Option<Stage>,
    found: &Partitioned<T>,
    time: impl Fn(&T) -> f64,
) -> Result<(), Mismatch> {
    match stage {
        Some(Stage::ClusterSort) => in_order_of_time("clusters", found, time),
        _ => Ok(()),
    }
}

fn in_order_of_time<T>(
    what: &'static str,
    found: &Partitioned<T>,
    time: impl Fn(&T) -> f64,
) -> Result<(), Mismatch> {
    for segment in 0..found.segments() {
        let things = found.segment(segment);
        let descends = |&number: &usize| time(&things[number]) < time(&things[number - 1]);
        if let Some(number) = (1..things.len()).find(descends) {
            return Err(Mismatch::Order {
                what,
                segment,
                number,
            });
        }
    }
    Ok(())
}
