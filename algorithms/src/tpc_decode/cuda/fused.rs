//! Our decoder: pages through shared memory, all threads of a block at any place of them.

mod rows;

use generators::tpc::Layout;

use super::division::{Division, Maps, Validation, Validations};
use super::runner::{decode_by_shaders, decode_on_gpu};
use super::target::{Charges, Target};
use super::tiles::{self, TileBuffers};
use super::work::{Way, Work};
use crate::algorithm::Variant;
use crate::device::gpu::{Arguments, DeviceError, Grid, Kernel, Ptr};
use crate::kernels::tpc_decode_fused::{
    FUSED_DENSE_LINK_CHARGES, FUSED_DENSE_LINK_DIGITS, FUSED_LINK_CHARGES, FUSED_LINK_DIGITS,
    FusedCharges, FusedDigits,
};
use crate::tpc_decode::TpcDecode;

pub(super) const FUSED: Variant<TpcDecode> = Variant::cuda(
    "fused",
    "ours: pages staged in shared memory, a thread a block of them, wide stores; maps by whole \
     tiles",
    |at| decode_on_gpu(at, Division::Whole, WAY),
);

pub(super) const FUSED_SHADERS: Variant<TpcDecode> =
    Variant { open: |at| decode_by_shaders(at, WAY), ..FUSED.as_shaders() };

pub(super) const FUSED_OVERLAPPED: Variant<TpcDecode> = Variant::cuda(
    "fused-overlapped",
    "fused, sector by sector, three at once: copies of one beside the work of another",
    |at| decode_on_gpu(at, Division::Sectors(1), WAY),
)
.unstable();

pub(crate) const WAY: Way = Way {
    validation: Validations { rows: Validation::Headers, links: Validation::Indexed },
    maps: Maps::Tiled,
    decode,
};

fn decode(work: &Work<'_>) -> Result<(), DeviceError> {
    match work.resident.frame.format().layout() {
        Layout::Row => rows::decode(work)?,
        Layout::Link => {
            decode_links(work, (&FUSED_LINK_DIGITS, &FUSED_LINK_CHARGES))?;
        }
        Layout::DenseLink => {
            decode_links(work, (&FUSED_DENSE_LINK_DIGITS, &FUSED_DENSE_LINK_CHARGES))?;
        }
    }
    match work.target {
        Target::Digits(_) => Ok(()),
        Target::Charges(charges) => tiles::make(work, charges, tiles_of(charges)),
    }
}

/// Maps are tiled: see [`WAY`].
fn tiles_of(charges: &Charges) -> &TileBuffers {
    match &charges.tiles {
        Some(tiles) => tiles,
        None => unreachable!("maps are tiled"),
    }
}

fn decode_links(
    work: &Work<'_>,
    (digits, charges): (&Kernel<FusedDigits>, &Kernel<FusedCharges>),
) -> Result<(), DeviceError> {
    match work.target {
        Target::Digits(decoded) => launch(work, digits, to_digits(work, decoded.ptr())),
        Target::Charges(decoded) => launch(work, charges, to_charges(work, decoded)),
    }
}

fn to_digits(work: &Work<'_>, digits: Ptr<u64>) -> FusedDigits {
    let (buffers, tables) = (work.resident.buffers, work.resident.tables);
    FusedDigits {
        pages: buffers.pages.ptr(),
        records: buffers.records.ptr(),
        index: buffers.index.ptr(),
        stride: buffers.stride,
        geometry: tables.geometry.ptr(),
        jobs: buffers.jobs.ptr(),
        begins: buffers.begins.ptr(),
        fragment: work.fragment as u32,
        cells: tables.pad_cells.ptr(),
        digits,
    }
}

fn to_charges(work: &Work<'_>, charges: &Charges) -> FusedCharges {
    let (buffers, tables) = (work.resident.buffers, work.resident.tables);
    FusedCharges {
        pages: buffers.pages.ptr(),
        records: buffers.records.ptr(),
        index: buffers.index.ptr(),
        stride: buffers.stride,
        geometry: tables.geometry.ptr(),
        jobs: buffers.jobs.ptr(),
        begins: buffers.begins.ptr(),
        fragment: work.fragment as u32,
        fragments: buffers.fragments.ptr(),
        cells: tables.charge_cells.ptr(),
        positions: charges.positions.ptr(),
        charges: tiles_of(charges).charges.ptr(),
    }
}

/// With as many blocks as run at once, and no more than there are pages.
fn launch<A: Arguments>(
    work: &Work<'_>,
    kernel: &Kernel<A>,
    arguments: A,
) -> Result<(), DeviceError> {
    let (load, bytes) = (work.load(), work.bytes());
    let pages = Grid::blocks(load.pages as u32);
    let at_once = work.gpu.resident_blocks(kernel, pages)?;
    let grid = Grid::blocks(at_once.min(load.pages as u32)).moving(bytes);
    // SAFETY: headers of jobs are sound, and so is all of pages of links, with their places in the
    // index; there is a place for each of their samples.
    unsafe { work.gpu.launch(kernel, grid, arguments) }
}
