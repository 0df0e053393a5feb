//! The first stage: each page is accepted or rejected.

use generators::tpc::Layout;

use super::resident::Resident;
use crate::device::gpu::{DeviceError, Gpu};
use crate::kernels::tpc_decode_validate::{
    TEAM, VALIDATE_DENSE_LINK, VALIDATE_LINK, VALIDATE_ROW, Validate,
};

/// The verdict on a page that is rejected.
pub(super) use crate::kernels::tpc_decode_validate::DAMAGED;

const STAGE: &str = "validate";

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
