//! Products of the outputs of stages in flat arrays.

use generators_common::partition::Partition;
use parallel::map;

use super::collect::HitOrder;
use super::hits::SortedClusters;
use super::{ChainStage, Cluster, Hit, Partitioned, Product};

impl Product {
    /// The product of a stage; for the whole chain, clusters and hits.
    pub(in crate::sts) fn for_stage<E>(
        stage: Option<ChainStage>,
        mut product: impl FnMut(ChainStage) -> Result<Self, E>,
    ) -> Result<Self, E> {
        match stage {
            Some(stage) => product(stage),
            None => Ok(Product::Both(
                Box::new(product(ChainStage::ClusterSort)?),
                Box::new(product(ChainStage::Collect)?),
            )),
        }
    }

    /// Clusters: the first `counts[side]` in each side's range.
    pub(in crate::sts) fn clusters(flat: &[Cluster], sides: &Partition, counts: &[usize]) -> Self {
        let sides = sides.split(flat).into_iter().zip(counts);
        let sides: Vec<_> = sides.map(|(all, &count)| &all[..count]).collect();
        Product::Clusters(Partitioned::of_sides(&sides))
    }

    /// Hits that were collected in this order.
    pub(in crate::sts) fn collected(hits: Partitioned<Hit>, order: HitOrder) -> Self {
        match order {
            HitOrder::AsFound => Product::Hits(hits),
            HitOrder::Streams => Product::Streams(hits),
        }
    }

    /// Clusters or hits of parts of a timeslice, one after the other in each segment.
    pub(in crate::sts) fn joined(parts: impl IntoIterator<Item = Self>) -> Self {
        let join = |before, part| match (before, part) {
            (Product::Clusters(before), Product::Clusters(part)) => {
                Product::Clusters(before.followed_by(&part))
            }
            (Product::Hits(before), Product::Hits(part)) => {
                Product::Hits(before.followed_by(&part))
            }
            _ => Product::Nothing,
        };
        parts.into_iter().reduce(join).unwrap_or(Product::Nothing)
    }

    /// Splits clusters or hits of `count` timeslices that went through a chain together.
    pub(in crate::sts) fn of_timeslices(self, count: usize) -> Vec<Self> {
        if count == 1 {
            return vec![self];
        }
        let parts = |all: &Product| match all {
            Product::Clusters(all) => clusters_of_timeslices(all, count),
            Product::Hits(all) => hits_of_timeslices(all, count),
            _ => vec![Product::Nothing; count],
        };
        match self {
            Product::Both(clusters, hits) => {
                let both = parts(&clusters).into_iter().zip(parts(&hits));
                both.map(|(clusters, hits)| Product::Both(clusters.into(), hits.into())).collect()
            }
            other => parts(&other),
        }
    }

    /// Clusters in the order of their entries.
    pub(in crate::sts) fn sorted_clusters(clusters: SortedClusters<'_>) -> Self {
        let side = |side: usize| -> Vec<Cluster> {
            let numbers = 0..clusters.counts[side];
            numbers.map(|index| *clusters.cluster(side, index)).collect()
        };
        Product::Clusters(Partitioned::of_sides(&map(0..clusters.counts.len(), side)))
    }
}

/// Fronts of all timeslices precede backs.
fn clusters_of_timeslices(all: &Partitioned<Cluster>, count: usize) -> Vec<Product> {
    let modules = all.segments() / (2 * count);
    let side = |index: usize, side: usize| {
        let begin = if side < modules { 0 } else { (count - 1) * modules };
        all.segment(begin + index * modules + side)
    };
    let sides =
        |index| (0..2 * modules).map(|side_index| side(index, side_index)).collect::<Vec<_>>();
    (0..count).map(|index| Product::Clusters(Partitioned::of_sides(&sides(index)))).collect()
}

fn hits_of_timeslices(all: &Partitioned<Hit>, count: usize) -> Vec<Product> {
    let of_each = all.segments() / count;
    let modules = |index: usize| {
        let modules_of_timeslice = index * of_each..(index + 1) * of_each;
        modules_of_timeslice.map(|module| all.segment(module)).collect::<Vec<_>>()
    };
    (0..count).map(|index| Product::Hits(Partitioned::of_modules(&modules(index)))).collect()
}
