//! By a thread a cluster of the front.

use super::search::Search;
use crate::device::gpu::{DeviceError, Gpu};
use crate::kernels::sts_fronts::{HITS_OF_FRONTS_EXACT, HITS_OF_FRONTS_PUBLISHED, HitsOfFronts};
use crate::sts::cuda::ByRules;

static FRONTS: ByRules<HitsOfFronts> = ByRules {
    exact: &HITS_OF_FRONTS_EXACT,
    published: &HITS_OF_FRONTS_PUBLISHED,
};

pub(super) fn start(gpu: &Gpu, search: Search<'_>) -> Result<(), DeviceError> {
    let (clusters, [cut_kind, cut]) = (search.clusters.clusters(), search.cut);
    let arguments = HitsOfFronts {
        clusters: clusters.ptr(),
        entries: search.order.entries().ptr(),
        begins: search.begins.ptr(),
        found: search.clusters.found().ptr(),
        modules: search.modules,
        sensors: search.sensors.ptr(),
        cut_kind,
        cut,
        offsets: search.offsets,
        counts: search.counts.ptr(),
        hits: search.hits.ptr(),
    };
    let kernel = FRONTS.of(search.semantics);
    // Fronts lie before backs; how many digis they have only the device knows.
    let grid = kernel.thread_each(clusters.len()).moving(search.bytes());
    // SAFETY: sides have as many sorted clusters as was found, and no hit is written beyond
    // its bucket.
    unsafe { gpu.launch(kernel, grid, arguments) }
}
