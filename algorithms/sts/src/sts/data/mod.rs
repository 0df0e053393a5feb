//! Digis with their detector; clusters and hits, as both reconstructions keep them; the stages of
//! the chain, and their outputs.
//!
//! | module | holds |
//! |---|---|
//! | `timeslice` | digis with the setup of their detector: the input of the chain |
//! | `online`, `offline` | clusters and hits, as either reconstruction keeps them |
//! | `digest` | checksums and counts of the output |

mod digest;
mod offline;
mod online;
mod timeslice;

use generators_common::named;
use generators_common::partition::Partition;
use generators_sts::{Address, ModuleSide, SegmentedDigis};

use parallel::{map, par_concat};

pub(crate) use digest::sums_of;
pub(in crate::sts) use digest::{CLUSTERS, HITS};
pub use digest::{digest_of, segment_sums_of};
pub use offline::{OfflineCluster, OfflineDigi, OfflineHit};
pub use online::{Cluster, ClusterEntry, Hit};
pub use timeslice::{Timeslice, digi_order};
pub(crate) use timeslice::{read_out, read_out_with};

/// A stage of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStage {
    /// Raw data to the stream of a detector, if a chain starts from raw data.
    Unpack,
    /// The stream of a detector to digis by module side.
    Presort,
    /// Counters and connectors to 0.
    Zero,
    /// The digis of each side into the order that finding clusters needs.
    Sort,
    /// Digis to clusters.
    Cluster,
    /// The clusters of each side into order of time.
    ClusterSort,
    /// Clusters of both sides to hits.
    Hits,
    /// Hits of all modules into one array.
    Collect,
}

// In records, and in the order in which they are done. A stage has the name of its task.
named! {
    "stage",
    ChainStage {
        Unpack = "unpack",
        Presort = "presort",
        Zero = "zero",
        Sort = "sort",
        Cluster = "cluster",
        ClusterSort = "cluster-sort",
        Hits = "hits",
        Collect = "collect",
    }
}

impl ChainStage {
    /// Stages of a chain that starts from a stream of digis.
    pub const OF_DIGIS: [ChainStage; 7] = {
        let [_unpack, of_digis @ ..] = Self::ALL;
        of_digis
    };

    /// Earlier stages, from a stream of digis on.
    pub fn before(self) -> impl Iterator<Item = ChainStage> {
        Self::OF_DIGIS.into_iter().take_while(move |&other| other != self)
    }
}

/// Output of a stage or of the whole chain.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    /// Nothing at all.
    Nothing,
    /// Digis by module side.
    Digis(SegmentedDigis),
    /// Digis by module side, as the offline reconstruction keeps them.
    OfflineDigis(Vec<Vec<OfflineDigi>>),
    /// Clusters by module side.
    Clusters(Partitioned<Cluster>),
    /// Clusters, as the offline reconstruction keeps them.
    OfflineClusters(Partitioned<OfflineCluster>),
    /// Hits by module.
    Hits(Partitioned<Hit>),
    /// Hits, each module in order of time.
    Streams(Partitioned<Hit>),
    /// Hits, as the offline reconstruction keeps them.
    OfflineHits(Partitioned<OfflineHit>),
    /// Clusters and hits.
    Both(Box<Product>, Box<Product>),
}

/// Items of all segments of a detector in one flat array. Data common to a segment are kept once
/// per segment and not in each item.
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioned<T> {
    items: Vec<T>,
    partition: Partition,
    addresses: Vec<Address>,
}

impl<T: Clone + Default + Send + Sync> Partitioned<T> {
    /// From one list for each side of each module: the fronts, then the backs. All cores copy them.
    pub fn of_sides<L: AsRef<[T]>>(sides: &[L]) -> Self {
        let count = sides.len();
        let address = |side| Address::of_module(ModuleSide::of_segment(side, count).module);
        Self::new(sides, (0..count).map(address).collect())
    }

    /// From one list for each module. All cores copy them.
    pub fn of_modules<L: AsRef<[T]>>(modules: &[L]) -> Self {
        let addresses = (0..modules.len()).map(Address::of_module).collect();
        Self::new(modules, addresses)
    }

    /// Other items in segments with the same addresses.
    pub(in crate::sts) fn with_segments<L: AsRef<[T]>>(&self, segments: &[L]) -> Self {
        Self::new(segments, self.addresses.clone())
    }

    /// Concatenates, segment by segment, these items and those of `others`.
    pub(in crate::sts) fn followed_by(&self, others: &Self) -> Self {
        let of_segment = |segment| [self.segment(segment), others.segment(segment)].concat();
        self.with_segments(&map(0..self.segments(), of_segment))
    }

    fn new<L: AsRef<[T]>>(segments: &[L], addresses: Vec<Address>) -> Self {
        let segments: Vec<&[T]> = segments.iter().map(AsRef::as_ref).collect();
        Partitioned {
            items: par_concat(&segments),
            partition: Partition::from_lengths(segments.iter().map(|segment| segment.len())),
            addresses,
        }
    }
}

impl<T> Partitioned<T> {
    /// All items, segment after segment.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Partition of the items into segments.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.partition.segments()
    }

    /// The items of one segment.
    pub fn segment(&self, segment: usize) -> &[T] {
        &self.items[self.partition.range(segment)]
    }

    /// The items of one segment, mutable.
    pub fn segment_mut(&mut self, segment: usize) -> &mut [T] {
        &mut self.items[self.partition.range(segment)]
    }

    /// The address of the module that a segment belongs to.
    pub fn address(&self, segment: usize) -> Address {
        self.addresses[segment]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_know_their_modules() {
        let sides = Partitioned::of_sides(&[vec![1, 2], vec![], vec![3], vec![4]]);
        assert_eq!((sides.segments(), sides.items().len()), (4, 4));
        assert_eq!(sides.segment(2), [3]);
        assert_eq!(sides.address(2), Address::of_module(0));
        assert_eq!(sides.address(3), Address::of_module(1));
    }
}
