//! Outputs of stages, by side and module.

use super::BySide;
use crate::sts::rules::Rules;
use crate::sts::{ChainStage, Hit, Partitioned, Product};

impl<P: Rules> BySide<'_, P> {
    /// Output of a stage.
    pub(super) fn output(&self, stage: ChainStage) -> Product {
        match stage {
            ChainStage::Unpack => Product::Nothing,
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => {
                self.arrays.digis_by_side()
            }
            ChainStage::Cluster => {
                let mut sides = vec![Vec::new(); self.arrays.sides.segments()];
                for part in &self.parts {
                    let clusters = &self.arrays.clusters[part.digis.start..];
                    sides[part.side].extend_from_slice(&clusters[..part.found.clusters]);
                }
                Product::Clusters(Partitioned::of_sides(&sides))
            }
            ChainStage::ClusterSort => Product::sorted_clusters(self.arrays.sorted_clusters()),
            ChainStage::Hits => Product::Hits(self.by_module(self.pieces().into_iter())),
            ChainStage::Collect => {
                let pieces = self.arrays.hit_partition.split(&self.arrays.flat);
                Product::collected(self.by_module(pieces.into_iter()), self.hit_order)
            }
        }
    }

    /// Hits by module, from pieces by job.
    fn by_module<'h>(&self, pieces: impl Iterator<Item = &'h [Hit]>) -> Partitioned<Hit> {
        let mut modules = vec![Vec::new(); self.arrays.modules.len()];
        for (job, hits) in self.jobs.iter().zip(pieces) {
            modules[job.module].extend_from_slice(hits);
        }
        Partitioned::of_modules(&modules)
    }
}
