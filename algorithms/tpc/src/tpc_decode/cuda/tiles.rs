//! Maps of charges in complete tiles, from lists of decoders.

use generators_tpc::geometry::{REGIONS, ROWS};
use portable_gpu::{DeviceError, LaunchConfig};

use super::context::FragmentContext;
use super::target::Charges;
use super::tile_buffers::TileBuffers;
use crate::kernels::tpc_decode_charge_tiles::{
    BOUNDS_OF_PAGE, CHARGE_TILES, FIND_LINES, LINES, STREAM_JOBS, TileMaking,
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
    let lines = part.shape.lines().len() as u32;
    let arguments = TileMaking {
        extents: buffers.extents.ptr(),
        jobs: buffers.jobs.ptr(),
        job_offsets: buffers.job_offsets.ptr(),
        fragments: buffers.fragments.ptr(),
        stream_pages: tiles.pages.ptr(),
        streams: tiles.streams.ptr(),
        page_lines: tiles.lines.ptr(),
        bounds: tiles.bounds.ptr(),
        regions: tiles.regions.ptr(),
        tiles_before: tiles.tiles_before.ptr(),
        geometry: work.resident.tables.geometry(),
        positions: charges.positions.ptr(),
        charges: tiles.charges.ptr(),
        maps: charges.maps.ptr(),
        fragment: work.fragment as u32,
        count: tiles.pages.len() as u32,
        lines,
    };
    let bounds = FIND_LINES.grid_for(work.load().pages * BOUNDS_OF_PAGE as usize);
    // SAFETY: there is an entry for the jobs of each stream; each job has its bounds, and the list
    // contains the samples of its page.
    unsafe {
        gpu.launch(&STREAM_JOBS, STREAM_JOBS.grid_for(tiles.pages.len()), arguments)?;
        gpu.launch(&FIND_LINES, bounds, arguments)?;
    }
    let blocks = (part.sectors.len() * REGIONS) as u32 * lines.div_ceil(LINES);
    let tiles_of_line: usize = (0..ROWS).map(|row| tiles_of_row(row).len()).sum();
    let line = part.sectors.len() * tiles_of_line * size_of::<Tile>();
    let written = u64::from(lines) * line as u64;
    let read = work.load().samples * (size_of::<u32>() + size_of::<u16>()) as u64;
    let grid = LaunchConfig::blocks(blocks).with_traffic(read + written);
    // SAFETY: the positions and charges of each job are listed, and maps have the lines that are
    // written.
    unsafe { gpu.launch(&CHARGE_TILES, grid, arguments) }
}
