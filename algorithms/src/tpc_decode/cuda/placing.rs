//! The second stage: where the samples of each page go.

use super::resident::Resident;
use super::{Fragments, Pairs, Words};
use crate::device::gpu::{DeviceError, Gpu, Image, Kernel, Shape, image};

static IMAGE: Image = image!("tpc_decode-place");

static COUNT: Kernel<(Pairs, u32, Fragments, u32, Pairs)> = Kernel::new(&IMAGE, "place_count");
static SUM: Kernel<(Pairs, u32, u32, Words)> = Kernel::new(&IMAGE, "place_sum");
static JOBS: Kernel<(Pairs, u32, Fragments, u32, Pairs, Pairs)> = Kernel::new(&IMAGE, "place_jobs");

const THREADS: u32 = 256;
const SUM_THREADS: u32 = 1024;

const STAGE: &str = "place";

pub(super) fn place(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let buffers = resident.buffers;
    let pages = buffers.streams.len() as u32;
    let (fragments, tiles) = (buffers.fragments.len() as u32, buffers.tiles() as u32);
    let shape = |blocks, threads, bytes| Shape {
        blocks,
        threads,
        shared_bytes: 0,
        bytes,
    };
    let read = buffers.extents.bytes() * u64::from(fragments);
    let (extents, sums) = (&buffers.extents, &buffers.sums);
    gpu.scope(STAGE, || {
        let counting = shape(fragments * tiles, THREADS, read);
        let arguments = (extents, pages, &buffers.fragments, tiles, sums);
        // SAFETY: there is an extent for each page, and a sum for each block.
        unsafe { gpu.launch(&COUNT, &counting, arguments)? };
        let summing = shape(1, SUM_THREADS, 2 * sums.bytes());
        // SAFETY: there is a beginning for each fragment, and two words more.
        unsafe { gpu.launch(&SUM, &summing, (sums, fragments, tiles, &buffers.begins))? };
        let listing = shape(fragments * tiles, THREADS, read + buffers.jobs.bytes());
        let arguments = (
            extents,
            pages,
            &buffers.fragments,
            tiles,
            sums,
            &buffers.jobs,
        );
        // SAFETY: there is a job for each page that headers promise, and no more of them
        // are sound.
        unsafe { gpu.launch(&JOBS, &listing, arguments) }
    })
}
