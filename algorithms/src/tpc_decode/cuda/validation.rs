//! The first stage: each page is accepted or rejected.

use generators::tpc::Layout;

use super::resident::Resident;
use super::{Bytes, Pairs, Records, Words};
use crate::device::gpu::{DeviceError, Gpu, Image, Kernel, Shape, image};

static IMAGE: Image = image!("tpc_decode-validate");

static ROW: Validate = Kernel::new(&IMAGE, "validate_row");
static LINK: Validate = Kernel::new(&IMAGE, "validate_link");
static DENSE_LINK: Validate = Kernel::new(&IMAGE, "validate_dense_link");

/// Pages, streams, geometry; their number, version, first orbit, orbits; records, extents,
/// verdicts; the index and its stride.
type Validate = Kernel<(
    Bytes,
    Words,
    Words,
    u32,
    u32,
    u32,
    u32,
    Records,
    Pairs,
    Bytes,
    Words,
    u32,
)>;

/// A thread a page.
const THREADS: u32 = 64;
/// The verdict on a page that is rejected: see `validate/headers.h`.
pub(super) const DAMAGED: u8 = 2;

const STAGE: &str = "validate";

pub(super) fn validate(gpu: &Gpu, resident: &Resident<'_>) -> Result<(), DeviceError> {
    let (frame, buffers) = (resident.frame, resident.buffers);
    let kernel = match frame.format().layout() {
        Layout::Row => &ROW,
        Layout::Link => &LINK,
        Layout::DenseLink => &DENSE_LINK,
    };
    let pages = resident.part.pages.len() as u32;
    let (bounds, tables) = (&frame.bounds, resident.tables);
    let shape = Shape {
        blocks: pages.div_ceil(THREADS),
        threads: THREADS,
        shared_bytes: 0,
        bytes: resident.part.load.bytes + buffers.records.bytes() + buffers.extents.bytes(),
    };
    let arguments = (
        &buffers.pages,
        &buffers.streams,
        &tables.geometry,
        pages,
        u32::from(bounds.format.version()),
        bounds.first_orbit,
        bounds.orbits,
        &buffers.records,
        &buffers.extents,
        &buffers.verdicts,
        &buffers.index,
        buffers.stride,
    );
    gpu.scope(STAGE, || {
        // SAFETY: there are so many pages, each with a word, a record, an extent and a
        // verdict, and an index of as many entries as a page can have.
        unsafe { gpu.launch(kernel, &shape, arguments) }
    })
}
