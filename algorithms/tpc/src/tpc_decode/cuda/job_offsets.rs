//! The second stage: assigns offsets to the samples of each page.

use portable_gpu::{DeviceError, Gpu, LaunchConfig};

use super::resident::Resident;
use crate::kernels::tpc_decode_place::{PLACE_COUNT, PLACE_JOBS, PLACE_SUM, Placing};

const STAGE: &str = "place";

pub(super) fn compute(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let buffers = resident.buffers;
    let fragments = buffers.fragments.len() as u32;
    let tiles = buffers.tiles() as u32;
    let arguments = Placing {
        extents: buffers.extents.ptr(),
        fragments: buffers.fragments.ptr(),
        sums: buffers.sums.ptr(),
        job_offsets: buffers.job_offsets.ptr(),
        jobs: buffers.jobs.ptr(),
        pages: buffers.streams.len() as u32,
        tiles,
        fragment_count: fragments,
    };
    let read = buffers.extents.bytes() * u64::from(fragments);
    let tiles = LaunchConfig::blocks(fragments * tiles);
    let listed = read + buffers.jobs.bytes();
    let summed = LaunchConfig::blocks(1).with_traffic(2 * buffers.sums.bytes());
    gpu.scope(STAGE, || {
        // SAFETY: there is an extent for each page, and a sum for each block.
        unsafe { gpu.launch(&PLACE_COUNT, tiles.with_traffic(read), arguments)? };
        // SAFETY: `job_offsets` has an entry for each fragment, and two more.
        unsafe { gpu.launch(&PLACE_SUM, summed, arguments)? };
        // SAFETY: there is a job for each page that headers announce, which is at least the number
        // of valid pages.
        unsafe { gpu.launch(&PLACE_JOBS, tiles.with_traffic(listed), arguments) }
    })
}
