//! Digests of the output of a chain: clusters by module side, hits by module.

use super::{Cluster, Hit, OfflineCluster, OfflineHit, Partitioned, Product};
use tasks::algorithm::{Digest, ItemWords, SegmentSums, Segments, segment_sums};

/// The kinds of items of a chain, as kernels count them.
pub(in crate::sts) const CLUSTERS: usize = 0;
/// See [`CLUSTERS`].
pub(in crate::sts) const HITS: usize = 1;

impl ItemWords for Cluster {
    #[inline]
    fn sum(&self, salt: u64) -> u64 {
        bytemuck::cast_ref::<Cluster, [u32; 6]>(self).sum(salt)
    }
}

impl ItemWords for Hit {
    #[inline]
    fn sum(&self, salt: u64) -> u64 {
        bytemuck::cast_ref::<Hit, [u32; 12]>(self).sum(salt)
    }
}

impl ItemWords for OfflineCluster {
    fn sum(&self, salt: u64) -> u64 {
        bytemuck::cast::<[u64; 6], [u32; 12]>(self.order()).sum(salt)
    }
}

impl ItemWords for OfflineHit {
    fn sum(&self, salt: u64) -> u64 {
        bytemuck::cast::<[u64; 12], [u32; 24]>(self.order()).sum(salt)
    }
}

/// The digest of the output of a chain for some timeslices.
pub fn digest_of(products: &[Product], segments: Segments) -> Digest {
    sums_of(products, segments).digest(Segments::ALL)
}

/// Sums of all segments of the output of a chain for a timeslice.
pub fn segment_sums_of(product: &[Product]) -> SegmentSums {
    sums_of(product, Segments::ALL)
}

/// Sums of the segments that are covered, without gaps between them.
pub(crate) fn sums_of(products: &[Product], segments: Segments) -> SegmentSums {
    let mut sums = SegmentSums::default();
    products.iter().for_each(|product| add(&mut sums, product, segments));
    sums
}

fn add(sums: &mut SegmentSums, product: &Product, segments: Segments) {
    match product {
        Product::Both(clusters, hits) => {
            add(sums, clusters, segments);
            add(sums, hits, segments);
        }
        Product::Clusters(all) => add_items(sums, CLUSTERS, all, segments),
        Product::OfflineClusters(all) => add_items(sums, CLUSTERS, all, segments),
        Product::Hits(all) | Product::Streams(all) => add_items(sums, HITS, all, segments),
        Product::OfflineHits(all) => add_items(sums, HITS, all, segments),
        Product::Nothing | Product::Digis(_) | Product::OfflineDigis(_) => {}
    }
}

fn add_items<T: ItemWords + Sync>(
    sums: &mut SegmentSums,
    kind: usize,
    all: &Partitioned<T>,
    segments: Segments,
) {
    let covered = segments.indices(all.segments());
    let of_segments = segment_sums(kind, covered, |segment| all.segment(segment));
    sums.add(kind, all.items().len(), of_segments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::{Cluster, Hit};

    fn both(clusters: &[Vec<Cluster>], hits: &[Vec<Hit>], are_streams: bool) -> Vec<Product> {
        let hits = Partitioned::of_modules(hits);
        let hits = if are_streams { Product::Streams(hits) } else { Product::Hits(hits) };
        let clusters = Product::Clusters(Partitioned::of_sides(clusters));
        vec![Product::Both(Box::new(clusters), Box::new(hits))]
    }

    fn cluster(time: u32) -> Cluster {
        Cluster { time, ..Cluster::default() }
    }

    fn hit(x: f32) -> Hit {
        Hit { x, ..Hit::default() }
    }

    fn whole(products: &[Product]) -> Digest {
        digest_of(products, Segments::ALL)
    }

    #[test]
    fn the_order_in_a_segment_counts_for_nothing_and_all_else_counts() {
        let right = [vec![cluster(1), cluster(2)], vec![cluster(3)]];
        let hits = [vec![hit(1.0), hit(2.0)]];
        let digest = whole(&both(&right, &hits, false));
        assert_eq!(digest.counts, [3, 2]);
        let turned = [vec![cluster(2), cluster(1)], vec![cluster(3)]];
        assert_eq!(whole(&both(&turned, &[vec![hit(2.0), hit(1.0)]], true)), digest);
        let elsewhere = [vec![cluster(1), cluster(3)], vec![cluster(2)]];
        let changed = [vec![cluster(1), cluster(4)], vec![cluster(3)]];
        let doubled = [vec![cluster(1), cluster(1)], vec![cluster(3)]];
        for wrong in [elsewhere, changed, doubled] {
            assert_ne!(whole(&both(&wrong, &hits, false)), digest);
        }
        assert_ne!(whole(&both(&right, &[vec![hit(1.0), hit(-2.0)]], false)), digest);
    }

    #[test]
    fn digests_of_some_segments_are_those_of_the_sums() {
        let clusters = [vec![cluster(1)], vec![cluster(2)], vec![cluster(3)], vec![cluster(4)]];
        let products = both(&clusters, &[vec![hit(1.0)], vec![hit(2.0)]], false);
        let sums = segment_sums_of(&products);
        for turn in 0..3 {
            let segments = Segments::every(3, turn);
            assert_eq!(digest_of(&products, segments), sums.digest(segments), "{turn}");
        }
    }
}
