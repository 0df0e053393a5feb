//! The first stage: each page is accepted or rejected, or its headers are.

use generators::tpc::Layout;

use super::resident::Resident;
use crate::device::gpu::{DeviceError, Gpu};
use crate::kernels::tpc_decode_open_row::{OPEN_ROW, OpenRow};
use crate::kernels::tpc_decode_validate::{
    TEAM, VALIDATE_DENSE_LINK, VALIDATE_LINK, VALIDATE_ROW, Validate,
};

/// The verdict on a page that is rejected.
pub(super) use crate::kernels::tpc_decode_validate::DAMAGED;

const STAGE: &str = "validate";

/// Judges the headers of row pages, and those of them that have no samples.
pub(super) fn open(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let (buffers, bounds) = (resident.buffers, &resident.frame.bounds);
    let pages = resident.part.pages.len();
    let grid = OPEN_ROW.thread_each(pages);
    let grid = grid.moving(buffers.records.bytes() + buffers.extents.bytes());
    let arguments = OpenRow {
        pages: buffers.pages.ptr(),
        streams: buffers.streams.ptr(),
        geometry: resident.tables.geometry.ptr(),
        count: pages as u32,
        version: bounds.format.version().into(),
        first_orbit: bounds.first_orbit,
        orbits: bounds.orbits,
        records: buffers.records.ptr(),
        extents: buffers.extents.ptr(),
        verdicts: buffers.verdicts.ptr(),
        rejected: buffers.rejected.ptr(),
        fragments: buffers.rejected.len() as u32,
    };
    gpu.scope(STAGE, || {
        // SAFETY: there are so many pages, each with a word, a record, an extent and a
        // verdict, and so many fragments.
        unsafe { gpu.launch(&OPEN_ROW, grid, arguments) }
    })
}

pub(super) fn validate(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let (frame, buffers) = (resident.frame, resident.buffers);
    let kernel = match frame.format().layout() {
        Layout::Row => &VALIDATE_ROW,
        Layout::Link => &VALIDATE_LINK,
        Layout::DenseLink => &VALIDATE_DENSE_LINK,
    };
    let (pages, bounds) = (resident.part.pages.len(), &frame.bounds);
    let read = resident.part.load.bytes;
    let grid = kernel.thread_each(pages * TEAM as usize);
    let grid = grid.moving(read + buffers.records.bytes() + buffers.extents.bytes());
    let arguments = Validate {
        pages: buffers.pages.ptr(),
        streams: buffers.streams.ptr(),
        geometry: resident.tables.geometry.ptr(),
        count: pages as u32,
        version: bounds.format.version().into(),
        first_orbit: bounds.first_orbit,
        orbits: bounds.orbits,
        records: buffers.records.ptr(),
        extents: buffers.extents.ptr(),
        verdicts: buffers.verdicts.ptr(),
        index: buffers.index.ptr(),
        stride: buffers.stride,
    };
    gpu.scope(STAGE, || {
        // SAFETY: there are so many pages, each with a word, a record, an extent and a
        // verdict, and an index of as many entries as a page can have.
        unsafe { gpu.launch(kernel, grid, arguments) }
    })
}
