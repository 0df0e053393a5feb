//! What stages left, kept for the next run.

use super::Held;
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::cuda::kept::{Kept, copied};
use crate::sts::task::Stage;

impl Held<'_> {
    pub(super) fn bytes_to_keep(&self, next: Stage) -> u64 {
        let (digis, entries) = (self.sort.digis().bytes(), self.order.entries().bytes());
        let clusters = self.clusters.clusters().bytes() + self.clusters.found().bytes();
        let bytes = match next {
            Stage::Presort => 0,
            Stage::Zero | Stage::Sort | Stage::Cluster => digis,
            Stage::ClusterSort => clusters,
            Stage::Hits => clusters + entries,
            Stage::Collect => self.hits.buckets().0.bytes(),
        };
        bytes + self.presort.begins().bytes()
    }

    pub(super) fn keep(&self, gpu: &Gpu, next: Stage) -> Result<Kept, DeviceError> {
        let (mut digis, mut clusters, mut entries, mut hits) = (None, None, None, None);
        match next {
            Stage::Presort => {}
            Stage::Zero | Stage::Sort | Stage::Cluster => {
                digis = Some(copied(gpu, self.sort.digis())?);
            }
            Stage::ClusterSort | Stage::Hits => {
                let all = copied(gpu, self.clusters.clusters())?;
                clusters = Some((all, copied(gpu, self.clusters.found())?));
                if next == Stage::Hits {
                    entries = Some(copied(gpu, self.order.entries())?);
                }
            }
            Stage::Collect => hits = Some(self.hits.keep(gpu)?),
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
            Stage::Cluster => self.clusters.zero(gpu),
            _ => Ok(()),
        }
    }
}
