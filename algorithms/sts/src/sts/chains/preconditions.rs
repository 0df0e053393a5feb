//! Input that earlier stages of a chain leave for a stage.

use crate::sts::ChainStage;

/// Description of the input that earlier stages leave for each stage; empty if it is the same in
/// all chains. Only variants of a stage with the same words can be ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sts) struct Preconditions {
    pub(in crate::sts) presort: &'static str,
    pub(in crate::sts) sort: &'static str,
    pub(in crate::sts) cluster: &'static str,
    pub(in crate::sts) cluster_sort: &'static str,
    pub(in crate::sts) hits: &'static str,
    pub(in crate::sts) collect: &'static str,
}

impl Preconditions {
    pub(in crate::sts) const OFFLINE: Self = Preconditions {
        presort: "",
        sort: "digi objects by time",
        cluster: "digi objects by time",
        cluster_sort: "cluster objects nearly by time",
        hits: "cluster objects by time",
        collect: "lists of hit objects",
    };
    pub(in crate::sts) const ONLINE: Self = Preconditions {
        presort: "",
        sort: "digis by time",
        cluster: "digis by channel, words at 0",
        cluster_sort: "clusters in any order",
        hits: "clusters in any order, entries by time",
        collect: "buckets of modules",
    };
    pub(in crate::sts) const BY_CHANNEL: Self = Preconditions {
        presort: "",
        sort: "digis by time",
        cluster: "digis by channel",
        cluster_sort: "clusters by channel",
        hits: "clusters by channel, entries by time",
        collect: "pieces of threads",
    };
    pub(in crate::sts) const TIME_SWEEP: Self = Preconditions {
        presort: "",
        sort: "digis by time, which stay so",
        cluster: "digis by time",
        cluster_sort: "clusters nearly by time",
        hits: "clusters nearly by time, entries by time",
        collect: "pieces of threads",
    };
    /// The online chain on a GPU.
    pub(in crate::sts) const CUDA: Self =
        Preconditions { collect: "buckets on the device", ..Self::ONLINE };
    /// Clusters by links on a GPU.
    pub(in crate::sts) const CUDA_LINKS: Self = Preconditions {
        cluster: "digis by channel, bytes at 0",
        cluster_sort: "clusters in any order, single digis apart",
        hits: "clusters in any order, single digis apart, entries by time",
        ..Self::CUDA
    };

    pub(in crate::sts) const fn for_stage(&self, stage: ChainStage) -> &'static str {
        match stage {
            ChainStage::Unpack | ChainStage::Zero => "",
            ChainStage::Presort => self.presort,
            ChainStage::Sort => self.sort,
            ChainStage::Cluster => self.cluster,
            ChainStage::ClusterSort => self.cluster_sort,
            ChainStage::Hits => self.hits,
            ChainStage::Collect => self.collect,
        }
    }
}
