//! The second stage: assigns offsets to the samples of each page.

use super::resident::Resident;
use crate::device::gpu::{DeviceError, Gpu, LaunchConfig};
use crate::kernels::tpc_decode_place::{
    PLACE_COUNT, PLACE_JOBS, PLACE_SUM, PlaceCount, PlaceJobs, PlaceSum,
};

const STAGE: &str = "place";

pub(super) fn compute(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let buffers = resident.buffers;
    let pages = buffers.streams.len() as u32;
    let fragments = buffers.fragments.len() as u32;
    let tiles = buffers.tiles() as u32;
    let count = PlaceCount {
        extents: buffers.extents.ptr(),
        pages,
        fragments: buffers.fragments.ptr(),
        tiles,
        sums: buffers.sums.ptr(),
    };
    let sum = PlaceSum {
        sums: buffers.sums.ptr(),
        fragments,
        tiles,
        job_offsets: buffers.job_offsets.ptr(),
    };
    let jobs = PlaceJobs {
        extents: count.extents,
        pages,
        fragments: count.fragments,
        tiles,
        sums: buffers.sums.ptr(),
        jobs: buffers.jobs.ptr(),
    };
    let read = buffers.extents.bytes() * u64::from(fragments);
    let tiles = LaunchConfig::blocks(fragments * tiles);
    let listed = read + buffers.jobs.bytes();
    let summed = LaunchConfig::blocks(1).with_traffic(2 * buffers.sums.bytes());
    gpu.scope(STAGE, || {
        // SAFETY: there is an extent for each page, and a sum for each block.
        unsafe { gpu.launch(&PLACE_COUNT, tiles.with_traffic(read), count)? };
        // SAFETY: `job_offsets` has an entry for each fragment, and two more.
        unsafe { gpu.launch(&PLACE_SUM, summed, sum)? };
        // SAFETY: there is a job for each page that headers announce, which is at least the number
        // of valid pages.
        unsafe { gpu.launch(&PLACE_JOBS, tiles.with_traffic(listed), jobs) }
    })
}
