//! Follows all links with one thread.

use portable_gpu::{DeviceError, Gpu, LaunchConfig};

use super::tracks::DeviceTracks;
use super::{Merger, merge_on_gpu};
use crate::kernels::tpc_merge_sequential::{MERGE_SEQUENTIAL, MergeSequential};
use crate::tpc_merge::TpcMerge;
use tasks::algorithm::Variant;
use tasks::device::buffers;

/// Maximum number of slice tracks: one thread takes some microseconds a link.
const MAX_TRACKS: usize = 1_000_000;

pub(super) const SEQUENTIAL: Variant<TpcMerge> = Variant::cuda(
    "sequential",
    "all links by one thread, as first published; a million slice tracks at most",
    |at| merge_on_gpu(at, MAX_TRACKS, |_, _| Ok(Box::new(Sequential))),
);

struct Sequential;

buffers!(Sequential:);

impl Merger for Sequential {
    fn resolve(&self, gpu: &Gpu, tracks: &DeviceTracks, _: usize) -> Result<(), DeviceError> {
        let arguments = MergeSequential {
            tracks: tracks.tracks.ptr(),
            links: tracks.links.ptr(),
            relations: tracks.relations.ptr(),
            count: tracks.count(),
        };
        // The traffic depends on which slice tracks have links.
        let grid = LaunchConfig::blocks(1);
        // SAFETY: all arrays have an entry for each slice track, and links and relations contain
        // only indices of slice tracks.
        unsafe { gpu.launch(&MERGE_SEQUENTIAL, grid, arguments) }
    }
}
