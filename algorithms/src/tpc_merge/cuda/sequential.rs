//! All links by one thread.

use super::tracks::{DeviceTracks, Quads, Words};
use super::{Merger, merge_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceError, Gpu, Image, Kernel, Shape, image};
use crate::tpc_merge::TpcMerge;

static IMAGE: Image = image!("tpc_merge-sequential");

static SEQUENTIAL_KERNEL: Kernel<(Quads, Words, Quads, u32)> =
    Kernel::new(&IMAGE, "merge_sequential");

/// One thread takes some microseconds a link.
const MOST: usize = 1_000_000;

pub(super) const SEQUENTIAL: Variant<TpcMerge> = Variant::cuda(
    "sequential",
    "all links by one thread, as first published; a million slice tracks at most",
    |at| merge_on_gpu(at, MOST, |_, _| Ok(Box::new(Sequential))),
);

struct Sequential;

buffers!(Sequential:);

impl Merger for Sequential {
    fn merge(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        let shape = Shape {
            blocks: 1,
            threads: gpu.properties().lanes,
            ..tracks.shape(17)
        };
        let arguments = (
            &tracks.tracks,
            &tracks.links,
            &tracks.relations,
            tracks.count(),
        );
        gpu.scope("resolve", || {
            // SAFETY: all arrays have a place for each slice track, and links and
            // relations name slice tracks only.
            unsafe { gpu.launch(&SEQUENTIAL_KERNEL, &shape, arguments) }
        })
    }
}
