//! Finding components on a GPU.

use super::tracks::{DeviceTracks, Quads, Words};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, image};

static IMAGE: Image = image!("tpc_merge-components");

static SETUP: Kernel<(Words, u32)> = Kernel::new(&IMAGE, "merge_setup");
static HOOK: Kernel<(Words, Quads, Words, u32)> = Kernel::new(&IMAGE, "merge_hook");
static JUMP: Kernel<(Words, u32)> = Kernel::new(&IMAGE, "merge_jump");

/// Leaves in `roots` the name of the component of each slice track.
pub(super) fn find(
    gpu: &Gpu,
    tracks: &DeviceTracks,
    roots: &DeviceBuffer<u32>,
) -> Result<(), DeviceError> {
    let count = tracks.count();
    // SAFETY: all arrays have a place for each slice track, and links and relations name
    // slice tracks only.
    unsafe {
        gpu.scope("setup", || {
            gpu.launch(&SETUP, &tracks.shape(1), (roots, count))
        })?;
        gpu.scope("hook", || {
            let arguments = (&tracks.links, &tracks.relations, roots, count);
            gpu.launch(&HOOK, &tracks.shape(8), arguments)
        })?;
        gpu.scope("jump", || {
            gpu.launch(&JUMP, &tracks.shape(3), (roots, count))
        })
    }
}
