//! What was found, in a few numbers: enough to tell whether it is the same as elsewhere.

use generators::random::mix;

use super::{Partitioned, Product};
use crate::parallel::map;

/// How many clusters and hits there are, and a sum over all their bits.
///
/// Two outputs that the check takes for the same have the same digest, whatever the order of
/// clusters and hits in their segments; two that it tells apart have another sum, but by a chance
/// of one in 2⁶⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Clusters of all module sides.
    pub clusters: u64,
    /// Hits of all modules.
    pub hits: u64,
    /// Of each cluster and hit a number that its bits and its segment decide.
    pub sum: u64,
}

impl Digest {
    /// The digest of what the chain has left of some timeslices.
    pub fn of(products: &[Product]) -> Self {
        let mut digest = Digest::default();
        products.iter().for_each(|product| digest.add(product));
        digest
    }

    fn add(&mut self, product: &Product) {
        match product {
            Product::Both(clusters, hits) => {
                self.add(clusters);
                self.add(hits);
            }
            Product::Clusters(all) => self.add_clusters(all, |cluster| sum_of(cluster.order())),
            Product::OfflineClusters(all) => self.add_clusters(all, |it| sum_of(it.order())),
            Product::Hits(all) | Product::Streams(all) => {
                self.add_hits(all, |hit| sum_of(hit.order()));
            }
            Product::OfflineHits(all) => self.add_hits(all, |hit| sum_of(hit.order())),
            Product::Nothing | Product::Digis(_) | Product::OfflineDigis(_) => {}
        }
    }

    fn add_clusters<T: Sync>(&mut self, all: &Partitioned<T>, of: impl Fn(&T) -> u64 + Sync) {
        self.clusters += all.items().len() as u64;
        self.sum = self.sum.wrapping_add(sum_of_segments(all, of));
    }

    fn add_hits<T: Sync>(&mut self, all: &Partitioned<T>, of: impl Fn(&T) -> u64 + Sync) {
        self.hits += all.items().len() as u64;
        self.sum = self.sum.wrapping_add(sum_of_segments(all, of));
    }
}

/// Whatever the order in a segment.
fn sum_of_segments<T: Sync>(all: &Partitioned<T>, of: impl Fn(&T) -> u64 + Sync) -> u64 {
    let segment = |number: usize| {
        let items = all.segment(number).iter();
        items.fold(0_u64, |sum, item| sum.wrapping_add(mix(of(item) ^ number as u64)))
    };
    map(0..all.segments(), segment).into_iter().fold(0, u64::wrapping_add)
}

fn sum_of<W: Into<u64>, const N: usize>(words: [W; N]) -> u64 {
    words.into_iter().fold(N as u64, |sum, word| mix(sum ^ word.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::{Cluster, Hit};

    fn both(clusters: &[Vec<Cluster>], hits: &[Vec<Hit>], are_streams: bool) -> Digest {
        let hits = Partitioned::of_modules(hits);
        let hits = if are_streams { Product::Streams(hits) } else { Product::Hits(hits) };
        let clusters = Product::Clusters(Partitioned::of_sides(clusters));
        Digest::of(&[Product::Both(Box::new(clusters), Box::new(hits))])
    }

    fn cluster(time: u32) -> Cluster {
        Cluster { time, ..Cluster::default() }
    }

    #[test]
    fn the_order_in_a_segment_counts_for_nothing_and_all_else_counts() {
        let hit = |x: f32| Hit { x, ..Hit::default() };
        let right = [vec![cluster(1), cluster(2)], vec![cluster(3)]];
        let hits = [vec![hit(1.0), hit(2.0)]];
        let digest = both(&right, &hits, false);
        assert_eq!((digest.clusters, digest.hits), (3, 2));
        let turned = [vec![cluster(2), cluster(1)], vec![cluster(3)]];
        assert_eq!(both(&turned, &[vec![hit(2.0), hit(1.0)]], true), digest);
        let elsewhere = [vec![cluster(1), cluster(3)], vec![cluster(2)]];
        let changed = [vec![cluster(1), cluster(4)], vec![cluster(3)]];
        let doubled = [vec![cluster(1), cluster(1)], vec![cluster(3)]];
        for wrong in [elsewhere, changed, doubled] {
            assert_ne!(both(&wrong, &hits, false), digest);
        }
        assert_ne!(both(&right, &[vec![hit(1.0), hit(-2.0)]], false), digest);
    }
}
