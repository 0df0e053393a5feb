//! The first stage: each page is accepted or rejected.

use generators::tpc::Layout;

use super::resident::Resident;
use crate::device::gpu::{DeviceError, Gpu, Grid, Kernel};
use crate::kernels::tpc_decode_validate::{
    TEAM, VALIDATE_DENSE_LINK, VALIDATE_LINK, VALIDATE_MANY_DENSE_LINK, VALIDATE_ROW, Validate,
};

/// The verdict on a page that is rejected.
pub(super) use crate::kernels::tpc_decode_validate::DAMAGED;

const STAGE: &str = "validate";

/// Dense link pages for each multiprocessor from which on they are many: then a lane a page, which
/// is less work, takes no longer than a team of lanes, whose way through a page is shorter. As
/// measured on an H200.
pub(super) const MANY: usize = 144;

pub(super) fn validate(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let (frame, buffers) = (resident.frame, resident.buffers);
    let (pages, bounds) = (resident.part.pages.len(), &frame.bounds);
    let teams =
        |kernel: &'static Kernel<Validate>| (kernel, kernel.thread_each(pages * TEAM as usize));
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

/// A thread for each page, but no more than run at once: they take pages in turn.
fn at_once(gpu: &Gpu, kernel: &Kernel<Validate>, pages: usize) -> Result<Grid, DeviceError> {
    let each = kernel.thread_each(pages);
    Ok(Grid::blocks(each.blocks.min(gpu.resident_blocks(kernel, each)?)))
}
