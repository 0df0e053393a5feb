//! Products of what stages leave in flat arrays.

use generators::partition::Partition;

use super::collect::HitOrder;
use super::hits::SortedClusters;
use super::{ChainStage, Cluster, Hit, Partitioned, Product};
use crate::parallel::map;

impl Product {
    /// That of a stage; of all of them, clusters and hits.
    pub(in crate::sts) fn of<E>(
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

    /// Clusters, so many in the place of each side.
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

    /// Clusters in the order of their entries.
    pub(in crate::sts) fn sorted_clusters(clusters: SortedClusters<'_>) -> Self {
        let side = |side: usize| -> Vec<Cluster> {
            let numbers = 0..clusters.counts[side];
            numbers.map(|number| *clusters.cluster(side, number)).collect()
        };
        Product::Clusters(Partitioned::of_sides(&map(0..clusters.counts.len(), side)))
    }
}
