//! The first stage: accepts or rejects each page.

use generators_tpc::Layout;
use portable_gpu::{DeviceError, Gpu, Kernel, LaunchConfig};

use super::resident::Resident;
use crate::kernels::tpc_decode_validate::{
    Bounds, TEAM, VALIDATE_DENSE_LINK, VALIDATE_LINK, VALIDATE_MANY_DENSE_LINK, VALIDATE_ROW,
    Validation,
};

/// The verdict on a rejected page.
pub(super) use crate::kernels::tpc_decode_validate::DAMAGED;

const STAGE: &str = "validate";

/// Number of dense link pages for each multiprocessor from which on a lane a page is used: less
/// work, and no slower than a team of lanes, whose latency for a page is shorter. Measured on an
/// H200.
pub(super) const MANY: usize = 144;

pub(super) fn validate(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let frame = resident.frame;
    let buffers = resident.buffers;
    let pages = resident.part.pages.len();
    let bounds = &frame.bounds;
    let teams =
        |kernel: &'static Kernel<Validation>| (kernel, kernel.grid_for(pages * TEAM as usize));
    let (kernel, grid) = match frame.format().layout() {
        Layout::Row => teams(&VALIDATE_ROW),
        Layout::Link => teams(&VALIDATE_LINK),
        Layout::DenseLink if pages < MANY * gpu.properties().multiprocessors as usize => {
            teams(&VALIDATE_DENSE_LINK)
        }
        Layout::DenseLink => {
            let kernel = &VALIDATE_MANY_DENSE_LINK;
            (kernel, at_once(gpu, kernel, pages)?)
        }
    };
    let read = resident.part.load.bytes;
    let grid = grid.with_traffic(read + buffers.records.bytes() + buffers.extents.bytes());
    let arguments = Validation {
        bytes: buffers.pages.ptr(),
        streams: buffers.streams.ptr(),
        geometry: resident.tables.geometry(),
        count: pages as u32,
        bounds: Bounds {
            version: bounds.format.version().into(),
            first_orbit: bounds.first_orbit,
            orbits: bounds.orbits,
        },
        records: buffers.records.ptr(),
        extents: buffers.extents.ptr(),
        verdicts: buffers.verdicts.ptr(),
        index: buffers.index.ptr(),
        stride: buffers.stride,
    };
    gpu.scope(STAGE, || {
        // SAFETY: each of the `pages` pages has a word, a record, an extent and a verdict, and
        // `stride` entries in the index, the maximum number of blocks of a page.
        unsafe { gpu.launch(kernel, grid, arguments) }
    })
}

/// A grid with a thread for each page, limited to the resident ones: they process pages in a loop.
fn at_once(
    gpu: &Gpu,
    kernel: &Kernel<Validation>,
    pages: usize,
) -> Result<LaunchConfig, DeviceError> {
    let each = kernel.grid_for(pages);
    Ok(LaunchConfig::blocks(each.blocks.min(gpu.resident_blocks(kernel, each)?)))
}
