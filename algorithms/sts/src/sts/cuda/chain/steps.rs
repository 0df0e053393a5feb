//! Steps of a whole chain, which chains in several queues run interleaved.

use portable_gpu::{DeviceError, Gpu};

use super::CudaChain;
use crate::sts::ChainStage;

/// Part of a chain that can be queued without waiting for counts on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum Step {
    /// Digis or raw data to the device, and digis to their sides.
    Distribute,
    /// From the partition into sides, on the host, to clusters in order of time.
    FindClusters,
    /// From counts of clusters to hits.
    FindHits,
    /// From counts of hits to all hits on the host.
    Collect,
}

impl Step {
    /// In their order.
    pub(in crate::sts) const ALL: [Step; 4] =
        [Step::Distribute, Step::FindClusters, Step::FindHits, Step::Collect];
}

impl CudaChain<'_> {
    /// Runs a step of the whole chain: waits for the step before in the chosen queue, and starts
    /// all kernels that need no further counts.
    pub(in crate::sts) fn step(&mut self, gpu: &Gpu, step: Step) -> Result<(), DeviceError> {
        match step {
            Step::Distribute => {
                gpu.scope(self.first_stage().name(), || self.upload(gpu))?;
                if self.input.unpacks() {
                    gpu.scope(ChainStage::Unpack.name(), || self.input.unpack(gpu))?;
                }
                gpu.scope(ChainStage::Presort.name(), || self.start_presort(gpu))
            }
            Step::FindClusters => {
                gpu.wait()?;
                self.sides = self.presort.sides();
                self.start_clusters(gpu)
            }
            Step::FindHits => {
                self.finish_clusters(gpu)?;
                gpu.scope(ChainStage::Hits.name(), || self.start_hits(gpu))
            }
            Step::Collect => {
                gpu.scope(ChainStage::Hits.name(), || self.finish_hits(gpu))?;
                self.run_in_scope(gpu, ChainStage::Collect)
            }
        }
    }

    /// Runs all steps in the first queue.
    pub(in crate::sts) fn run_steps(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        Step::ALL.into_iter().try_for_each(|step| self.step(gpu, step))
    }

    /// Starts to sort digis, and to make clusters of them assuming that the sort is complete.
    fn start_clusters(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.scope(ChainStage::Sort.name(), || self.start_sort(gpu))?;
        self.make_clusters(gpu)
    }

    /// Starts to make clusters of sorted digis, and to copy their counts to the host.
    fn make_clusters(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        for stage in [ChainStage::Zero, ChainStage::Cluster, ChainStage::ClusterSort] {
            self.run_in_scope(gpu, stage)?;
        }
        gpu.scope(ChainStage::Hits.name(), || self.clusters.start_counts(gpu))
    }

    /// Waits for the clusters. If the sort had left digis out of order, clusters are made once
    /// more.
    fn finish_clusters(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.wait()?;
        if gpu.scope(ChainStage::Sort.name(), || self.sort.finish(gpu))? {
            self.make_clusters(gpu)?;
            gpu.wait()?;
        }
        gpu.scope(ChainStage::ClusterSort.name(), || self.finish_order(gpu))
    }
}
