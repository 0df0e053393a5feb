//! What stages left, kept for the next run.

use super::Held;
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::ChainStage;
use crate::sts::cuda::kept::{Kept, copied};

impl Held<'_> {
    pub(super) fn bytes_to_keep(&self, next: ChainStage) -> u64 {
        let (digis, entries) = (self.sort.digis().bytes(), self.order.entries().bytes());
        let clusters = self.clusters.clusters().bytes() + self.clusters.found().bytes();
        let bytes = match next {
            ChainStage::Presort => 0,
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => digis,
            ChainStage::ClusterSort => clusters,
            ChainStage::Hits => clusters + entries,
            ChainStage::Collect => self.hits.buckets().0.bytes(),
        };
        bytes + self.presort.begins().bytes()
    }

    pub(super) fn keep(&self, gpu: &Gpu, next: ChainStage) -> Result<Kept, DeviceError> {
        let (mut digis, mut clusters, mut entries, mut hits) = (None, None, None, None);
        match next {
            ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                digis = Some(copied(gpu, self.sort.digis())?);
            }
            ChainStage::ClusterSort | ChainStage::Hits => {
                let all = copied(gpu, self.clusters.clusters())?;
                clusters = Some((all, copied(gpu, self.clusters.found())?));
                if next == ChainStage::Hits {
                    entries = Some(copied(gpu, self.order.entries())?);
                }
            }
            ChainStage::Collect => hits = Some(self.hits.keep(gpu)?),
        }
        Ok(Kept {
            next,
            sides: self.sides.clone(),
            begins: copied(gpu, self.presort.begins())?,
            digis,
            clusters,
            entries,
            hits,
        })
    }

    pub(super) fn restore(&mut self, gpu: &Gpu, kept: &Kept) -> Result<(), DeviceError> {
        self.sides = kept.sides.clone();
        gpu.copy(self.presort.begins(), &kept.begins)?;
        if let Some(digis) = &kept.digis {
            gpu.copy(self.sort.digis(), digis)?;
        }
        if let Some((clusters, found)) = &kept.clusters {
            gpu.copy(self.clusters.clusters(), clusters)?;
            gpu.copy(self.clusters.found(), found)?;
        }
        if let Some(entries) = &kept.entries {
            gpu.copy(self.order.entries(), entries)?;
        }
        if let Some(hits) = &kept.hits {
            self.hits.restore(gpu, hits)?;
        }
        match kept.next {
            ChainStage::Cluster => self.clusters.zero(gpu),
            _ => Ok(()),
        }
    }
}
