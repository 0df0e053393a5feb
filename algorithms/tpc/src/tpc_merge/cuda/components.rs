//! Finds components on a GPU.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::tracks::DeviceTracks;
use crate::kernels::tpc_merge_components::{
    MERGE_HOOK, MERGE_JUMP, MERGE_SETUP, MergeHook, MergeJump, MergeSetup,
};

/// Stores the label of the component of each slice track in `roots`.
pub(super) fn find(
    gpu: &Gpu,
    all: &DeviceTracks,
    roots: &DeviceBuffer<u32>,
) -> Result<(), DeviceError> {
    let parents = roots.ptr();
    let tracks = all.count();
    let links = all.links.ptr();
    let setup = MergeSetup { links, parents, tracks };
    let hook = MergeHook { links, relations: all.relations.ptr(), parents, tracks };
    let jump = MergeJump { parents, tracks };
    let count = tracks as usize;
    let setting = MERGE_SETUP.grid_for(count).with_traffic(all.words(2));
    let hooking = MERGE_HOOK.grid_for(count).with_traffic(all.words(7));
    let jumping = MERGE_JUMP.grid_for(count).with_traffic(all.words(2));
    // SAFETY: all arrays have an entry for each slice track, and links and relations contain only
    // indices of slice tracks.
    unsafe {
        gpu.scope("setup", || gpu.launch(&MERGE_SETUP, setting, setup))?;
        gpu.scope("hook", || gpu.launch(&MERGE_HOOK, hooking, hook))?;
        gpu.scope("jump", || gpu.launch(&MERGE_JUMP, jumping, jump))
    }
}
