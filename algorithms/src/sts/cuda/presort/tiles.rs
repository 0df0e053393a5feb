//! By tiles in shared memory: a block each.

use super::Target;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, image};
use crate::sts::cuda::{Digis, Words};

static IMAGE: Image = image!("sts-tiles");

/// Digis, their number; modules by address, sides; totals.
static COUNT: Kernel<(Digis, u32, Words, u32, Words)> = Kernel::new(&IMAGE, "presort_tiles_count");
/// Digis, their number; modules by address, sides; begins, places taken; the digis by side.
static SCATTER: Kernel<(Digis, u32, Words, u32, Words, Words, Digis)> =
    Kernel::new(&IMAGE, "presort_tiles_scatter");

const THREADS: u32 = 512;
/// Digis of a tile.
const TILE: u32 = THREADS * 12;
/// Bytes of a digi and its side in a tile.
const DIGI_BYTES: u32 = 8 + 2;
const WORD: u32 = 4;
/// A side's number and a rank share a word, and a side's number has 16 bits in a tile.
const MOST_SIDES: usize = 1 << 16;
/// Blocks that count for each multiprocessor: as many as it holds.
const COUNTING: u32 = 4;

/// Counters for each side.
pub(super) struct Tiles {
    sides: u32,
    shared_bytes: u32,
    totals: DeviceBuffer<u32>,
    taken: DeviceBuffer<u32>,
}

buffers!(Tiles: totals, taken);

impl Tiles {
    /// `None` if a tile with counters for all sides has no room in shared memory.
    pub(super) fn new(gpu: &Gpu, sides: usize) -> Result<Option<Self>, DeviceError> {
        let properties = gpu.properties();
        let words = properties.lanes + 2 * sides.min(MOST_SIDES) as u32;
        let shared_bytes = TILE * DIGI_BYTES + words * WORD;
        if sides > MOST_SIDES || shared_bytes > properties.shared_bytes {
            return Ok(None);
        }
        Ok(Some(Tiles {
            sides: sides as u32,
            shared_bytes: shared_bytes.next_multiple_of(2 * WORD),
            totals: gpu.buffer(sides)?,
            taken: gpu.buffer(sides)?,
        }))
    }

    pub(super) fn start(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let Target {
            stream,
            modules,
            begins,
            digis,
        } = target;
        let (count, bytes, sides) = (stream.len() as u32, stream.bytes(), self.sides);
        let tiles = count.div_ceil(TILE);
        let counting = Shape {
            blocks: tiles.min(COUNTING * gpu.properties().multiprocessors),
            threads: THREADS,
            shared_bytes: sides * WORD,
            bytes,
        };
        let moving = Shape {
            blocks: tiles,
            threads: THREADS,
            shared_bytes: self.shared_bytes,
            bytes: 2 * bytes,
        };
        let (totals, taken) = (&self.totals, &self.taken);
        gpu.fill(totals, 0)?;
        gpu.fill(taken, 0)?;
        // SAFETY: digis are of modules of the detector, the table has all addresses, shared
        // memory is as tiles need it, and there is room for all digis in the target.
        unsafe {
            gpu.launch(&COUNT, &counting, (stream, count, modules, sides, totals))?;
            super::sum_sides(gpu, totals, sides, begins)?;
            let arguments = (stream, count, modules, sides, begins, taken, digis);
            gpu.launch(&SCATTER, &moving, arguments)
        }
    }
}
