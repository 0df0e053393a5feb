//! By tiles in shared memory: a block each.

use super::target::{Target, sum_sides};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid};
use crate::kernels::sts_tiles::{
    PRESORT_TILES_COUNT, PRESORT_TILES_SCATTER, PresortTilesCount, PresortTilesScatter, TILE,
};

const WORD: u32 = 4;
/// A side's number and a rank share a word, and a side's number has 16 bits in a tile.
const MOST_SIDES: usize = 1 << 16;
/// Blocks that count for each multiprocessor: as many as it holds.
const COUNTING: u32 = 4;

/// Bytes of workgroup memory for which a tile of a shader has [`SHADER_STEP`] digis more, and how
/// often; and the sides that it has counters for: see `presort_tiles_scatter.wgsl`.
const SHADER_BYTES: u32 = 24 << 10;
const SHADER_STEP: u32 = 1024;
const SHADER_STEPS: u32 = 2;
const SHADER_SIDES: usize = 2048;

/// Counters for each side.
pub(super) struct Tiles {
    sides: u32,
    /// Digis of a tile.
    tile: u32,
    totals: DeviceBuffer<u32>,
    taken: DeviceBuffer<u32>,
}

buffers!(Tiles: totals, taken);

impl Tiles {
    /// `None` if a tile with counters for all sides has no room in shared memory.
    pub(super) fn new(gpu: &Gpu, sides: usize) -> Result<Option<Self>, DeviceError> {
        let Some(tile) = tile(gpu, sides) else { return Ok(None) };
        Ok(Some(Tiles {
            sides: sides as u32,
            tile,
            totals: gpu.buffer(sides)?,
            taken: gpu.buffer(sides)?,
        }))
    }

    pub(super) fn start(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let (digis, modules) = (target.stream.ptr(), target.modules.ptr());
        let (totals, taken) = (self.totals.ptr(), self.taken.ptr());
        let (count, sides) = (target.count as u32, self.sides);
        let (begins, to) = (target.begins.ptr(), target.digis.ptr());
        let counting = PresortTilesCount { digis, count, modules, sides, totals };
        let moving = PresortTilesScatter { digis, count, modules, sides, begins, taken, to };
        let (bytes, tiles) = (target.bytes(), count.div_ceil(self.tile));
        let some = Grid::blocks(tiles.min(COUNTING * gpu.properties().multiprocessors));
        let some = some.with_shared(sides * WORD).moving(bytes);
        let all = Grid::blocks(tiles).with_shared(counters_of(sides));
        gpu.fill(&self.totals, 0)?;
        gpu.fill(&self.taken, 0)?;
        // SAFETY: digis are of modules of the detector, the table has all addresses, shared
        // memory is as tiles need it, and there is room for all digis in the target.
        unsafe {
            gpu.launch(&PRESORT_TILES_COUNT, some, counting)?;
            sum_sides(gpu, totals, sides, begins)?;
            gpu.launch(&PRESORT_TILES_SCATTER, all.moving(2 * bytes), moving)
        }
    }
}

/// Digis of a tile, if it has room in shared memory with counters for all sides.
fn tile(gpu: &Gpu, sides: usize) -> Option<u32> {
    let properties = gpu.properties();
    if properties.has_shaders {
        let steps = (properties.shared_bytes / SHADER_BYTES).clamp(1, SHADER_STEPS);
        return (sides <= SHADER_SIDES).then_some(SHADER_STEP * steps);
    }
    let words = counters_of(sides.min(MOST_SIDES) as u32);
    let shared_bytes = PRESORT_TILES_SCATTER.shared_bytes(gpu) + words;
    (sides <= MOST_SIDES && shared_bytes <= properties.shared_bytes).then_some(TILE)
}

/// Bytes of what a tile has for each side: how many digis there are of it, and where they go.
fn counters_of(sides: u32) -> u32 {
    2 * sides * WORD
}
