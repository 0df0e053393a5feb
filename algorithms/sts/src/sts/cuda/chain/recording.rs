//! Stages recorded as a graph.

use portable_gpu::{DeviceError, Gpu};

use super::CudaChain;
use crate::sts::ChainStage;

/// The stages that can be recorded: the host waits before and after them, and not in between.
const RECORDED: [ChainStage; 4] =
    [ChainStage::Zero, ChainStage::Sort, ChainStage::Cluster, ChainStage::ClusterSort];

impl CudaChain<'_> {
    /// Records the stages from zero to the sort of the clusters, for sides with the offsets that
    /// presort has just found; that needs a chain that waits for the device in none of them. Does
    /// nothing if the device cannot record.
    pub(in crate::sts) fn record(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let mut work = |gpu: &Gpu| RECORDED.into_iter().try_for_each(|stage| self.run(gpu, stage));
        let recorded = gpu.record("graph", &mut work)?;
        if recorded.is_some() {
            self.sort.turn();
        }
        self.recorded = recorded;
        Ok(())
    }

    /// Starts the stages that can be recorded, as a graph if they were.
    pub(in crate::sts) fn run_recorded(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Some(recorded) = &self.recorded else {
            return RECORDED
                .into_iter()
                .try_for_each(|stage| gpu.scope(stage.name(), || self.run(gpu, stage)));
        };
        // SAFETY: the recording's buffers belong to this chain and live as long as the recording;
        // digis of the same input have the same offsets.
        unsafe { gpu.start_recorded(recorded)? };
        self.sort.turn();
        Ok(())
    }
}
