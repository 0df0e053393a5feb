//! Outputs of stages, on the host.

use generators_sts::{Digi, SegmentedDigis};
use parallel::par_map;
use portable_gpu::{DeviceError, Gpu};

use super::CudaChain;
use crate::sts::cuda::downloaded;
use crate::sts::hits::SortedClusters;
use crate::sts::{ChainStage, Hit, Partitioned, Product};

impl CudaChain<'_> {
    /// Output of a stage, copied to the host.
    pub(in crate::sts) fn product(
        &mut self,
        gpu: &Gpu,
        stage: ChainStage,
    ) -> Result<Product, DeviceError> {
        match stage {
            ChainStage::Unpack => Ok(Product::Nothing),
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => self.distributed(gpu),
            ChainStage::Cluster => {
                let clusters = downloaded(gpu, self.clusters.clusters())?;
                let counts = self.counts(gpu)?;
                Ok(Product::clusters(&clusters, &self.sides, &counts))
            }
            ChainStage::ClusterSort => self.sorted_clusters(gpu),
            ChainStage::Hits => {
                let hits = downloaded(gpu, self.hits.buckets().0)?;
                let buckets: Vec<_> = self.hits.hit_ranges().map(|bucket| &hits[bucket]).collect();
                Ok(hits_of(&buckets))
            }
            ChainStage::Collect => Ok(hits_of(&self.collected.of_modules())),
        }
    }

    fn distributed(&self, gpu: &Gpu) -> Result<Product, DeviceError> {
        let bits = downloaded(gpu, self.sort.digis())?;
        let digis = par_map(&bits, |&bits| Digi::from_bits(bits));
        if self.sides.elements() != digis.len() {
            return Ok(Product::Nothing);
        }
        let digis = SegmentedDigis::new(digis, self.sides.clone());
        Ok(Product::Digis(digis))
    }

    fn sorted_clusters(&mut self, gpu: &Gpu) -> Result<Product, DeviceError> {
        let clusters = downloaded(gpu, self.clusters.clusters())?;
        let entries = downloaded(gpu, self.order.entries())?;
        let counts = self.counts(gpu)?;
        let sorted = SortedClusters {
            clusters: &clusters,
            entries: &entries,
            sides: &self.sides,
            counts: &counts,
        };
        Ok(Product::sorted_clusters(sorted))
    }
}

fn hits_of(modules: &[&[Hit]]) -> Product {
    Product::Hits(Partitioned::of_modules(modules))
}
