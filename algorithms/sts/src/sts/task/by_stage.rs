//! Variants by the stage that they do.

use super::StsTask;
use crate::sts::ChainStage;
use tasks::algorithm::Variant;

type Variants = &'static [Variant<StsTask>];

/// The variants of each stage that has a task, and of the whole chain.
pub(super) struct ByStage {
    pub(super) presort: Variants,
    pub(super) cluster: Variants,
    pub(super) cluster_sort: Variants,
    pub(super) hits: Variants,
    pub(super) collect: Variants,
    pub(super) chain: Variants,
}

impl ByStage {
    /// Variants of a stage, or of the whole chain if there is none.
    pub(super) fn for_stage(&self, stage: Option<ChainStage>) -> Variants {
        match stage {
            Some(ChainStage::Presort) => self.presort,
            Some(ChainStage::Cluster) => self.cluster,
            Some(ChainStage::ClusterSort) => self.cluster_sort,
            Some(ChainStage::Hits) => self.hits,
            Some(ChainStage::Collect) => self.collect,
            Some(ChainStage::Unpack | ChainStage::Zero | ChainStage::Sort) => &[],
            None => self.chain,
        }
    }
}
