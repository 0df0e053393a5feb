//! Algorithms of the stages of a chain.

use super::beginning::UnpackWay;
use super::cluster_order::ClusterSortWay;
use super::clusters::ClusterWay;
use super::collect::CollectWay;
use super::hits::HitsWay;
use super::presort::PresortWay;
use super::sort::SortWay;
use crate::sts::ChainStage;

/// Algorithm of each stage that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) struct ChainConfig {
    pub(in crate::sts) unpack: UnpackWay,
    pub(in crate::sts) presort: PresortWay,
    pub(in crate::sts) sort: SortWay,
    pub(in crate::sts) clusters: ClusterWay,
    pub(in crate::sts) cluster_sort: ClusterSortWay,
    /// If set, a block processes each side that fits into shared memory, from digis to sorted
    /// clusters; the algorithms above are those of the larger sides then, with links for clusters.
    pub(in crate::sts) takes_whole_sides: bool,
    pub(in crate::sts) hits: HitsWay,
    pub(in crate::sts) collect: CollectWay,
}

impl ChainConfig {
    /// Description of the input that earlier stages leave for `stage`; empty if it is the same in
    /// all chains.
    pub(in crate::sts) fn given(self, stage: ChainStage) -> &'static str {
        match stage {
            ChainStage::Unpack | ChainStage::Presort | ChainStage::Zero => "",
            ChainStage::Sort if self.takes_whole_sides => "larger sides alone, digis in any order",
            ChainStage::Cluster if self.takes_whole_sides => {
                "digis by channel in larger sides, in any order in others, bytes at 0"
            }
            ChainStage::Sort if self.presort == PresortWay::Tiles => "digis in any order",
            ChainStage::Sort => "digis by time",
            ChainStage::Cluster if self.clusters == ClusterWay::Links => {
                "digis by channel, bytes at 0"
            }
            ChainStage::Cluster => "digis by channel, words at 0",
            ChainStage::ClusterSort if self.clusters == ClusterWay::Links => {
                "clusters in any order, single digis apart"
            }
            ChainStage::ClusterSort => "clusters in any order",
            ChainStage::Hits if self.clusters == ClusterWay::Links => {
                "clusters in any order, single digis apart, entries by time"
            }
            ChainStage::Hits => "clusters in any order, entries by time",
            ChainStage::Collect => "buckets on the device",
        }
    }
}
