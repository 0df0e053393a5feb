//! The stages of a batch, once its samples are in maps. All variants update maps in the same way.

use portable_gpu::{DeviceError, Kernel};

use super::compaction::{Compaction, CompactionAlgorithm, Target};
use super::context::{BatchContext, CLEAR};
use crate::kernels::tpc_cluster_finder_clusters::CLUSTERIZE;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Finding;
use crate::kernels::tpc_cluster_finder_naive::{
    CLUSTERIZE_EACH, DIVIDE_CHARGES_EACH, FIND_PEAKS_EACH, SUPPRESS_NOISE_EACH,
};
use crate::kernels::tpc_cluster_finder_noise::SUPPRESS_NOISE;
use crate::kernels::tpc_cluster_finder_peaks::FIND_PEAKS;
use crate::kernels::tpc_cluster_finder_shares::DIVIDE_CHARGES;
use crate::kernels::tpc_cluster_finder_update::UPDATE_PEAKS;

/// Kernels that differ between variants.
pub(crate) struct Stages {
    /// Marks or lists the samples that are peaks, and sets their flags in the map.
    find_peaks: &'static Kernel<Finding>,
    /// Marks the peaks that are not suppressed, and may list them.
    suppress_noise: &'static Kernel<Finding>,
    /// Divides charges that several peaks claim.
    divide: &'static Kernel<Finding>,
    /// Finds the clusters of the remaining peaks.
    clusterize: &'static Kernel<Finding>,
    /// Algorithm that lists marked peaks.
    pub(crate) compaction: CompactionAlgorithm,
}

/// A thread for each sample or peak.
pub(super) static NAIVE: Stages = Stages {
    find_peaks: &FIND_PEAKS_EACH,
    suppress_noise: &SUPPRESS_NOISE_EACH,
    divide: &DIVIDE_CHARGES_EACH,
    clusterize: &CLUSTERIZE_EACH,
    compaction: CompactionAlgorithm::AsFound,
};

/// Blocks load what is around their samples together.
pub(crate) static PUBLISHED: Stages = Stages {
    find_peaks: &FIND_PEAKS,
    suppress_noise: &SUPPRESS_NOISE,
    divide: &DIVIDE_CHARGES,
    clusterize: &CLUSTERIZE,
    compaction: CompactionAlgorithm::Scans,
};

impl Stages {
    /// Finds the clusters of a batch whose maps are filled.
    pub(crate) fn find(
        &self,
        work: &BatchContext<'_>,
        compaction: &Compaction,
    ) -> Result<(), DeviceError> {
        work.gpu.scope(CLEAR, || work.lists.clear(work.gpu, work.batch))?;
        // SAFETY: positions, peaks and the charges around them are in the maps, each position has a
        // mark, lists have capacity for all positions, there is a bucket for each row of each
        // sector, and the indices of clusters, unless null, have an entry for each peak.
        unsafe {
            work.on_samples(self.find_peaks, work.arguments())?;
            compaction.run(work, Target::Raw)?;
            work.on_peaks(self.suppress_noise, work.arguments())?;
            work.on_peaks(&UPDATE_PEAKS, work.arguments())?;
            compaction.run(work, Target::Kept)?;
            work.on_samples(self.divide, work.arguments())?;
            work.on_peaks(self.clusterize, work.arguments())
        }
    }
}
