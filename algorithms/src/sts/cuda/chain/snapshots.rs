//! Outputs of stages, saved so that a later one can run by itself.

use super::CudaChain;
use crate::device::gpu::{DeviceError, Gpu};
use crate::sts::ChainStage;
use crate::sts::cuda::snapshots::{SavedStage, Snapshot};

impl CudaChain<'_> {
    /// Buffers with the outputs of earlier stages that `next` or a later stage reads.
    fn inputs_of(&self, next: ChainStage) -> Vec<&dyn Snapshot> {
        let mut buffers: Vec<&dyn Snapshot> = vec![self.presort.side_offsets()];
        match next {
            ChainStage::Unpack | ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                buffers.push(self.sort.digis());
            }
            ChainStage::ClusterSort => {
                buffers.extend([self.clusters.clusters() as &dyn Snapshot, self.clusters.found()]);
            }
            ChainStage::Hits => {
                buffers.extend([self.clusters.clusters() as &dyn Snapshot, self.clusters.found()]);
                buffers.push(self.order.entries());
            }
            ChainStage::Collect => buffers.push(self.hits.buckets().0),
        }
        buffers
    }

    /// Bytes on the device that [`CudaChain::save`] would take.
    pub(in crate::sts) fn bytes_to_save(&self, next: ChainStage) -> u64 {
        self.inputs_of(next).iter().map(|buffer| buffer.bytes()).sum()
    }

    /// Starts to copy the outputs of earlier stages that `next` or a later stage reads.
    pub(in crate::sts) fn save(
        &self,
        gpu: &Gpu,
        next: ChainStage,
    ) -> Result<SavedStage, DeviceError> {
        let buffers = self.inputs_of(next).into_iter();
        Ok(SavedStage {
            bytes: self.bytes_to_save(next),
            sides: self.sides.clone(),
            buckets: self.hits.filled(),
            copies: buffers.map(|buffer| buffer.copied(gpu)).collect::<Result<_, _>>()?,
        })
    }

    /// Starts to bring that back, as if the stages before had run.
    pub(in crate::sts) fn restore(
        &mut self,
        gpu: &Gpu,
        next: ChainStage,
        saved: &SavedStage,
    ) -> Result<(), DeviceError> {
        self.sides = saved.sides.clone();
        if next == ChainStage::Collect {
            self.hits.restore(gpu, &saved.buckets)?;
        }
        for (buffer, copy) in self.inputs_of(next).into_iter().zip(&saved.copies) {
            buffer.restore(gpu, &**copy)?;
        }
        if next == ChainStage::Cluster {
            self.clusters.zero(gpu)?;
        }
        Ok(())
    }
}
