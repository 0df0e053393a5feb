//! Buffers for maps of charges in complete tiles.

use generators_tpc::geometry::{REGIONS, Region};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::parts::Part;
use super::tables::DeviceTables;
use crate::kernels::tpc_decode_charge_tiles::{
    BOUNDS_OF_PAGE, CLEAR_MARGINS, ClearMargins, MAX_ROWS, PageLines,
};
use crate::tpc_decode::charge_map::{TILES_IN_ROW, tiles_of_row};
use crate::tpc_decode::input::TimeFrame;
use tasks::device::buffers;

/// Buffers for making tiles.
pub(super) struct TileBuffers {
    /// The charge of each position.
    pub(super) charges: DeviceBuffer<u16>,
    /// For each region of each map, the index of its first stream; then the number of streams.
    pub(super) regions: DeviceBuffer<u32>,
    /// The pages of these streams, and the jobs of a fragment with them: each a range of the first
    /// one and the end.
    pub(super) pages: DeviceBuffer<[u32; 2]>,
    pub(super) streams: DeviceBuffer<[u32; 2]>,
    /// For each job, its lines with samples, and the range of samples of each chunk.
    pub(super) lines: DeviceBuffer<PageLines>,
    pub(super) bounds: DeviceBuffer<u16>,
    /// For each region and row of it, the number of tiles of the rows before.
    pub(super) tiles_before: DeviceBuffer<u32>,
}

buffers!(TileBuffers: charges, streams, lines, bounds; kept: regions, pages, tiles_before);

impl TileBuffers {
    pub(super) fn new(gpu: &Gpu, frame: &TimeFrame, part: &Part) -> Result<Self, DeviceError> {
        let (regions, pages) = streams_of_regions(frame, part);
        Ok(TileBuffers {
            charges: gpu.buffer(part.samples() as usize)?,
            tiles_before: gpu.table(&tiles_before())?,
            regions: gpu.table(&regions)?,
            streams: gpu.buffer(pages.len())?,
            lines: gpu.buffer(part.jobs())?,
            bounds: gpu.buffer(part.jobs() * BOUNDS_OF_PAGE as usize)?,
            pages: gpu.table(&pages)?,
        })
    }
}

/// For each region, the number of tiles before each of its rows, then of all, padded to the maximum
/// number of rows of a region.
fn tiles_before() -> Vec<u32> {
    let of_region = |region: Region| {
        let tiles = |row: Option<usize>| row.map_or(0, |row| tiles_of_row(row).len() as u32);
        let mut rows = region.rows();
        (0..=MAX_ROWS).scan(0, move |sum, _| {
            let before = *sum;
            *sum += tiles(rows.next());
            Some(before)
        })
    };
    Region::all().flat_map(of_region).collect()
}

/// The offset of each region of each map in a list of the pages of its streams, and that list.
fn streams_of_regions(frame: &TimeFrame, part: &Part) -> (Vec<u32>, Vec<[u32; 2]>) {
    let sectors = &frame.sectors()[part.sectors.clone()];
    let mut of_regions = vec![Vec::new(); sectors.len() * REGIONS];
    let streams = frame.pages.streams().filter(|stream| !stream.pages.is_empty());
    for stream in streams.filter(|stream| part.pages.contains(&stream.first_page)) {
        let map = sectors.partition_point(|pages| pages.end <= stream.first_page);
        let region = stream.id.endpoint.region().number();
        let first = stream.first_page - part.pages.start;
        let pages = [first, first + stream.pages.len()].map(|page| page as u32);
        of_regions[map * REGIONS + region].push(pages);
    }
    let mut region_offsets = vec![0];
    region_offsets.extend(of_regions.iter().scan(0, |end, streams| {
        *end += streams.len() as u32;
        Some(*end)
    }));
    (region_offsets, of_regions.concat())
}

/// Clears the margins of all maps.
pub(super) fn clear_margins(
    gpu: &Gpu,
    part: &Part,
    tables: &DeviceTables,
    maps: &DeviceBuffer<u16>,
) -> Result<(), DeviceError> {
    let all_lines = part.shape.tiles() / TILES_IN_ROW;
    let arguments = ClearMargins {
        geometry: tables.geometry.ptr(),
        lines: part.shape.lines().len() as u32,
        all_lines: all_lines as u32,
        maps: maps.ptr(),
    };
    let grid = LaunchConfig::blocks((all_lines * part.sectors.len()) as u32);
    // SAFETY: maps have the lines that the shape's time bins need, which is the grid's size.
    unsafe { gpu.launch(&CLEAR_MARGINS, grid, arguments) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::tpc_decode_charge_tiles::MAX_TILES;

    #[test]
    fn tiles_of_every_region_fit() {
        for region in Region::all() {
            let tiles: usize = region.rows().map(|row| tiles_of_row(row).len()).sum();
            assert!(tiles <= MAX_TILES as usize && region.rows().len() <= MAX_ROWS as usize);
        }
    }
}
