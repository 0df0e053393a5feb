//! Algorithms of the stages of a chain.

use super::cluster_order::ClusterSortAlgorithm;
use super::clusters::ClusterAlgorithm;
use super::collect::CollectAlgorithm;
use super::hits::HitsAlgorithm;
use super::presort::PresortAlgorithm;
use super::sort::SortAlgorithm;
use crate::sts::ChainStage;

/// Algorithm that unpacks raw data; if the host presorts, it unpacks too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum UnpackAlgorithm {
    /// A block per microslice, as published.
    EpochParallel,
    /// Directly to sides, which includes presort. If the e-links do not determine the side, there
    /// is a stream in between.
    ToSides,
}

/// Algorithm of each stage that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) struct ChainConfig {
    pub(in crate::sts) unpack: UnpackAlgorithm,
    pub(in crate::sts) presort: PresortAlgorithm,
    pub(in crate::sts) sort: SortAlgorithm,
    pub(in crate::sts) clusters: ClusterAlgorithm,
    pub(in crate::sts) cluster_sort: ClusterSortAlgorithm,
    /// If set, a block processes each side that fits into shared memory, from digis to sorted
    /// clusters; the algorithms above are those of the larger sides then, with links for clusters.
    pub(in crate::sts) fuse_small_sides: bool,
    pub(in crate::sts) hits: HitsAlgorithm,
    pub(in crate::sts) collect: CollectAlgorithm,
}

impl ChainConfig {
    /// Description of the input that earlier stages leave for `stage`; empty if it is the same in
    /// all chains.
    pub(in crate::sts) fn given(self, stage: ChainStage) -> &'static str {
        match stage {
            ChainStage::Unpack | ChainStage::Presort | ChainStage::Zero => "",
            ChainStage::Sort if self.fuse_small_sides => "larger sides alone, digis in any order",
            ChainStage::Cluster if self.fuse_small_sides => {
                "digis by channel in larger sides, in any order in others, bytes at 0"
            }
            ChainStage::Sort if self.presort == PresortAlgorithm::Tiles => "digis in any order",
            ChainStage::Sort => "digis by time",
            ChainStage::Cluster if self.clusters == ClusterAlgorithm::Links => {
                "digis by channel, bytes at 0"
            }
            ChainStage::Cluster => "digis by channel, words at 0",
            ChainStage::ClusterSort if self.clusters == ClusterAlgorithm::Links => {
                "clusters in any order, single digis apart"
            }
            ChainStage::ClusterSort => "clusters in any order",
            ChainStage::Hits if self.clusters == ClusterAlgorithm::Links => {
                "clusters in any order, single digis apart, entries by time"
            }
            ChainStage::Hits => "clusters in any order, entries by time",
            ChainStage::Collect => "buckets on the device",
        }
    }
}
