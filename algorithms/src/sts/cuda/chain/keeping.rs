//! Outputs of stages, saved so that a later one can run by itself.

use super::CudaChain;
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::ChainStage;
use crate::sts::cuda::left::{SavedStage, Snapshot};

impl CudaChain<'_> {
    /// Buffers with the outputs of earlier stages that `next` or a later stage reads.
    fn inputs_of(&self, next: ChainStage) -> Vec<&dyn Snapshot> {
        let mut left: Vec<&dyn Snapshot> = vec![self.presort.begins()];
        match next {
            ChainStage::Unpack | ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                left.push(self.sort.digis());
            }
            ChainStage::ClusterSort => {
                left.extend([self.clusters.clusters() as &dyn Snapshot, self.clusters.found()]);
            }
            ChainStage::Hits => {
                left.extend([self.clusters.clusters() as &dyn Snapshot, self.clusters.found()]);
                left.push(self.order.entries());
            }
            ChainStage::Collect => left.push(self.hits.buckets().0),
        }
        left
    }

    /// Bytes on the device that [`CudaChain::keep`] would take.
    pub(in crate::sts) fn bytes_to_keep(&self, next: ChainStage) -> u64 {
        self.inputs_of(next).iter().map(|left| left.bytes()).sum()
    }

    /// Starts to copy what the stages before this one left, as far as it or a later one reads
    /// that.
    pub(in crate::sts) fn keep(
        &self,
        gpu: &Gpu,
        next: ChainStage,
    ) -> Result<SavedStage, DeviceError> {
        let left = self.inputs_of(next).into_iter();
        Ok(SavedStage {
            bytes: self.bytes_to_keep(next),
            sides: self.sides.clone(),
            buckets: self.hits.filled(),
            copies: left.map(|left| left.copied(gpu)).collect::<Result<_, _>>()?,
        })
    }

    /// Starts to bring that back, as if the stages before had run.
    pub(in crate::sts) fn restore(
        &mut self,
        gpu: &Gpu,
        next: ChainStage,
        kept: &SavedStage,
    ) -> Result<(), DeviceError> {
        self.sides = kept.sides.clone();
        if next == ChainStage::Collect {
            self.hits.restore(gpu, &kept.buckets)?;
        }
        for (left, copy) in self.inputs_of(next).into_iter().zip(&kept.copies) {
            left.restore(gpu, &**copy)?;
        }
        if next == ChainStage::Cluster {
            self.clusters.zero(gpu)?;
        }
        Ok(())
    }
}
