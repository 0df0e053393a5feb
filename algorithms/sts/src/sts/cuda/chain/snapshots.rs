//! Outputs of stages, saved so that a later one can run by itself.

use portable_gpu::{DeviceError, Gpu};

use super::CudaChain;
use crate::sts::ChainStage;
use crate::sts::chains::{Snapshot, value};
use crate::sts::cuda::snapshots::on_device;

impl CudaChain<'_> {
    /// Buffers with the outputs of earlier stages that `next` or a later stage reads.
    pub(in crate::sts) fn inputs_of<'s>(
        &'s mut self,
        gpu: &'s Gpu,
        next: ChainStage,
    ) -> Vec<Box<dyn Snapshot + 's>> {
        let sides = value(&mut self.sides);
        let offsets = on_device(gpu, self.presort.side_offsets());
        let clusters = || on_device(gpu, self.clusters.clusters());
        let found = || on_device(gpu, self.clusters.found());
        match next {
            ChainStage::Unpack | ChainStage::Presort => Vec::new(),
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                vec![sides, offsets, on_device(gpu, self.sort.digis())]
            }
            ChainStage::ClusterSort => vec![sides, offsets, clusters(), found()],
            ChainStage::Hits => {
                vec![sides, offsets, clusters(), found(), on_device(gpu, self.order.entries())]
            }
            ChainStage::Collect => vec![sides, offsets, self.hits.snapshot(gpu)],
        }
    }

    /// Recomputes the state that is not saved, after inputs were restored.
    pub(in crate::sts) fn after_restore(
        &mut self,
        gpu: &Gpu,
        next: ChainStage,
    ) -> Result<(), DeviceError> {
        if next == ChainStage::Cluster { self.clusters.zero(gpu) } else { Ok(()) }
    }
}
