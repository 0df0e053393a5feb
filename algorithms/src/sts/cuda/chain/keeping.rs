//! What stages left, kept so that a later one can run by itself.

use super::CudaChain;
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::ChainStage;
use crate::sts::cuda::left::{Kept, Left};

impl CudaChain<'_> {
    /// Where the stages before this one left what it or a later one reads.
    fn left_before(&self, next: ChainStage) -> Vec<&dyn Left> {
        let mut left: Vec<&dyn Left> = vec![self.presort.begins()];
        match next {
            ChainStage::Unpack | ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                left.push(self.sort.digis());
            }
            ChainStage::ClusterSort => {
                left.extend([self.clusters.clusters() as &dyn Left, self.clusters.found()]);
            }
            ChainStage::Hits => {
                left.extend([self.clusters.clusters() as &dyn Left, self.clusters.found()]);
                left.push(self.order.entries());
            }
            ChainStage::Collect => left.push(self.hits.buckets().0),
        }
        left
    }

    /// Bytes on the device that [`CudaChain::keep`] would take.
    pub(in crate::sts) fn bytes_to_keep(&self, next: ChainStage) -> u64 {
        self.left_before(next).iter().map(|left| left.bytes()).sum()
    }

    /// Starts to copy what the stages before this one left, as far as it or a later one reads
    /// that.
    pub(in crate::sts) fn keep(&self, gpu: &Gpu, next: ChainStage) -> Result<Kept, DeviceError> {
        let left = self.left_before(next).into_iter();
        Ok(Kept {
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
        kept: &Kept,
    ) -> Result<(), DeviceError> {
        self.sides = kept.sides.clone();
        if next == ChainStage::Collect {
            self.hits.restore(gpu, &kept.buckets)?;
        }
        for (left, copy) in self.left_before(next).into_iter().zip(&kept.copies) {
            left.bring_back(gpu, &**copy)?;
        }
        if next == ChainStage::Cluster {
            self.clusters.zero(gpu)?;
        }
        Ok(())
    }
}
