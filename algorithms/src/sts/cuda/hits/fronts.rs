//! By a thread a cluster of the front.

use super::Search;
use crate::device::gpu::{DeviceError, Gpu, Image, Ptr, image};
use crate::sts::cuda::tables::SensorWords;
use crate::sts::cuda::{ByRules, Clusters, Entries, Founds, Hits, Words, thread_each};

static IMAGE: Image = image!("sts-fronts");

static FRONTS: ByRules<FrontsParameters> =
    ByRules::new(&IMAGE, "hits_of_fronts_exact", "hits_of_fronts_published");

/// Clusters, entries, begins, what was found; modules, sensors, the cut; rooms, counts,
/// hits.
type FrontsParameters = (
    Clusters,
    Entries,
    Words,
    Founds,
    u32,
    Ptr<SensorWords>,
    u32,
    u32,
    Words,
    Words,
    Hits,
);

const THREADS: u32 = 128;

pub(super) fn start(gpu: &Gpu, search: Search<'_>) -> Result<(), DeviceError> {
    let (clusters, [kind, cut]) = (search.clusters.clusters(), search.cut);
    let arguments = (
        clusters,
        search.order.entries(),
        search.begins,
        search.clusters.found(),
        search.modules,
        search.sensors,
        kind,
        cut,
        search.rooms,
        search.counts,
        search.hits,
    );
    // Fronts lie before backs; how many digis they have only the device knows.
    let shape = thread_each(clusters.len(), THREADS, search.bytes());
    // SAFETY: sides have as many sorted clusters as was found, and no hit is written beyond
    // its bucket.
    unsafe { gpu.launch(FRONTS.of(search.semantics), &shape, arguments) }
}
