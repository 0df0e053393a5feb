//! Maps of charges in complete tiles, from lists of decoders.

use generators::tpc::geometry::{REGIONS, ROWS};

use super::context::FragmentContext;
use super::target::Charges;
use super::tile_buffers::TileBuffers;
use crate::device::gpu::{DeviceError, LaunchConfig};
use crate::kernels::tpc_decode_charge_tiles::{
    BOUNDS_OF_PAGE, CHARGE_TILES, ChargeTiles, FIND_LINES, FindLines, LINES, STREAM_JOBS,
    StreamJobs,
};
use crate::tpc_decode::charge_map::{Tile, tiles_of_row};

/// Makes the maps of a fragment, once its charges are listed.
pub(super) fn make(
    work: &FragmentContext<'_>,
    charges: &Charges,
    tiles: &TileBuffers,
) -> Result<(), DeviceError> {
    let gpu = work.gpu;
    let buffers = work.resident.buffers;
    let part = work.resident.part;
    let fragment = work.fragment as u32;
    let find = StreamJobs {
        jobs: buffers.jobs.ptr(),
        job_offsets: buffers.job_offsets.ptr(),
        fragment,
        pages: tiles.pages.ptr(),
        count: tiles.pages.len() as u32,
        streams: tiles.streams.ptr(),
    };
    // SAFETY: `streams` has an entry for the jobs of each stream.
    unsafe { gpu.launch(&STREAM_JOBS, STREAM_JOBS.grid_for(tiles.pages.len()), find)? };
    find_lines(work, charges, tiles)?;
    let lines = part.shape.lines().len() as u32;
    let make = ChargeTiles {
        pages: tiles.lines.ptr(),
        bounds: tiles.bounds.ptr(),
        regions: tiles.regions.ptr(),
        streams: tiles.streams.ptr(),
        tiles_before: tiles.tiles_before.ptr(),
        geometry: work.resident.tables.geometry.ptr(),
        fragments: buffers.fragments.ptr(),
        fragment,
        lines,
        positions: charges.positions.ptr(),
        charges: tiles.charges.ptr(),
        maps: charges.maps.ptr(),
    };
    let blocks = (part.sectors.len() * REGIONS) as u32 * lines.div_ceil(LINES);
    let tiles_of_line: usize = (0..ROWS).map(|row| tiles_of_row(row).len()).sum();
    let line = part.sectors.len() * tiles_of_line * size_of::<Tile>();
    let written = u64::from(lines) * line as u64;
    let read = work.load().samples * (size_of::<u32>() + size_of::<u16>()) as u64;
    let grid = LaunchConfig::blocks(blocks).with_traffic(read + written);
    // SAFETY: the positions and charges of each job are listed, and maps have the lines that are
    // written.
    unsafe { gpu.launch(&CHARGE_TILES, grid, make) }
}

/// Finds the first samples of chunks of lines in pages, once they are listed.
fn find_lines(
    work: &FragmentContext<'_>,
    charges: &Charges,
    tiles: &TileBuffers,
) -> Result<(), DeviceError> {
    let buffers = work.resident.buffers;
    let arguments = FindLines {
        extents: buffers.extents.ptr(),
        jobs: buffers.jobs.ptr(),
        job_offsets: buffers.job_offsets.ptr(),
        fragments: buffers.fragments.ptr(),
        fragment: work.fragment as u32,
        positions: charges.positions.ptr(),
        charges: tiles.charges.ptr(),
        pages: tiles.lines.ptr(),
        bounds: tiles.bounds.ptr(),
    };
    let grid = FIND_LINES.grid_for(work.load().pages * BOUNDS_OF_PAGE as usize);
    // SAFETY: each job has its bounds, and the list contains the samples of its page.
    unsafe { work.gpu.launch(&FIND_LINES, grid, arguments) }
}
