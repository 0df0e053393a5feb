//! Algorithms of the stages of a chain.

use super::cluster_order::ClusterSortAlgorithm;
use super::clusters::ClusterAlgorithm;
use super::collect::CollectAlgorithm;
use super::hits::HitsAlgorithm;
use super::presort::PresortAlgorithm;
use super::sort::SortAlgorithm;
use crate::sts::chains::Preconditions;

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
    /// Input that earlier stages leave for each stage.
    pub(in crate::sts) fn preconditions(self) -> Preconditions {
        let mut words = match self.clusters {
            ClusterAlgorithm::Links => Preconditions::CUDA_LINKS,
            ClusterAlgorithm::Online | ClusterAlgorithm::PerSide => Preconditions::CUDA,
        };
        if self.presort == PresortAlgorithm::Tiles {
            words.sort = "digis in any order";
        }
        if self.fuse_small_sides {
            words.sort = "larger sides alone, digis in any order";
            words.cluster = "digis by channel in larger sides, in any order in others, bytes at 0";
        }
        words
    }
}
