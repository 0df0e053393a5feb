//! A thread for each cluster of the front.

use super::{Hits, HitsAlgorithm, SortedClusters};
use crate::device::gpu::{DeviceError, Gpu};
use crate::kernels::sts_fronts::{
    HITS_OF_FRONTS_SEARCH_EXACT, HITS_OF_FRONTS_SEARCH_PUBLISHED, HITS_OF_FRONTS_WALK_EXACT,
    HITS_OF_FRONTS_WALK_PUBLISHED, HitsOfFronts,
};
use crate::sts::cuda::ByRules;

static WALK: ByRules<HitsOfFronts> =
    ByRules::new(&HITS_OF_FRONTS_WALK_EXACT, &HITS_OF_FRONTS_WALK_PUBLISHED);
static SEARCH: ByRules<HitsOfFronts> =
    ByRules::new(&HITS_OF_FRONTS_SEARCH_EXACT, &HITS_OF_FRONTS_SEARCH_PUBLISHED);

/// Starts to fill the buckets, which have zero hits each.
pub(super) fn start(gpu: &Gpu, hits: &Hits, sorted: SortedClusters<'_>) -> Result<(), DeviceError> {
    let clusters = sorted.clusters.clusters();
    let [cut_kind, cut] = hits.cut;
    let arguments = HitsOfFronts {
        clusters: clusters.ptr(),
        entries: sorted.order.entries().ptr(),
        side_offsets: sorted.side_offsets.ptr(),
        found: sorted.clusters.found().ptr(),
        modules: hits.modules as u32,
        sensors: sorted.tables.sensors.ptr(),
        cut_kind,
        cut,
        offsets: hits.offsets.ptr(),
        counts: hits.counts.ptr(),
        hits: hits.hits.ptr(),
    };
    let finding = if hits.algorithm == HitsAlgorithm::Online { &WALK } else { &SEARCH };
    let kernel = finding.for_semantics(hits.semantics);
    // Fronts are read, and those backs that are near.
    let grid = kernel.grid_for(clusters.len()).with_traffic(sorted.bytes());
    // SAFETY: sides have the counted number of sorted clusters, and no hit is written beyond its
    // bucket.
    unsafe { gpu.launch(kernel, grid, arguments) }
}
