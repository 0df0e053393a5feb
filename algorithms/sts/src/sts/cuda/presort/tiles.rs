//! Presort by tiles in shared memory: a block each.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, LaunchConfig, Ptr};

use super::super::batch::Batch;
use super::target::{Target, sum_sides};
use crate::kernels::sts_tiles::{
    PRESORT_PART_COUNT, PRESORT_PART_SCATTER, PRESORT_TILES_COUNT, PRESORT_TILES_SCATTER,
    PRESORT_TILES_SCATTER_WIDE, PartTimes, TILE, TileSort, WIDE_TILE,
};
use tasks::device::{StagedArray, buffers};

const WORD: u32 = 4;
/// Bytes of a digi.
const DIGI: u64 = size_of::<u64>() as u64;
/// A side's number and a rank share a word, and a side's number has 16 bits in a tile.
const MAX_SIDES: usize = 1 << 16;
/// Counting blocks for each multiprocessor, which can hold all of them.
const COUNTING: u32 = 4;

/// Bytes of workgroup memory for which a tile of a shader has [`SHADER_STEP`] digis more, and how
/// often; and the sides that it has counters for: see `tiles.wgsl`.
const SHADER_BYTES: u32 = 24 << 10;
const SHADER_STEP: u32 = 1024;
const SHADER_STEPS: u32 = 2;
const SHADER_SIDES: usize = 2048;

/// Blocks cache the modules of up to this many addresses in shared memory: counting needs little
/// other memory, so only its threads limit the blocks that a multiprocessor holds.
const MAX_ADDRESSES: usize = 4096;

/// If tiles would have fewer digis of a side than this, blocks with a multiprocessor to themselves
/// move larger ones.
const MIN_OF_SIDE: usize = 16;

/// Counters for each side.
pub(super) struct Tiles {
    /// Sides of a timeslice.
    sides: u32,
    /// The digis of each timeslice, if there are several.
    batch: Vec<usize>,
    scatter: ScatterKernel,
    totals: DeviceBuffer<u32>,
    taken: DeviceBuffer<u32>,
    /// The times of each module, if only digis of a part are wanted.
    part: Option<StagedArray<PartTimes>>,
}

buffers!(Tiles: totals, taken, part);

/// The kernel that moves a tile, and the digis of a tile.
#[derive(Clone, Copy)]
struct ScatterKernel {
    kernel: &'static Kernel<TileSort>,
    tile: u32,
}

const NARROW: ScatterKernel = ScatterKernel { kernel: &PRESORT_TILES_SCATTER, tile: TILE };
const WIDE: ScatterKernel = ScatterKernel { kernel: &PRESORT_TILES_SCATTER_WIDE, tile: WIDE_TILE };

/// Range of a timeslice in a batch.
#[derive(Clone, Copy)]
struct TimesliceRange {
    /// Index of its first digi.
    first: usize,
    /// Number of digis.
    count: u32,
    /// The first of its sides of the front.
    front: usize,
}

impl Tiles {
    /// `None` if a tile with counters for all sides does not fit into shared memory.
    pub(super) fn new(gpu: &Gpu, input: Batch<'_>) -> Result<Option<Self>, DeviceError> {
        let sides = input.sides() / input.count();
        let Some(scatter) = ScatterKernel::new(gpu, sides) else { return Ok(None) };
        let is_batch = input.count() > 1;
        Ok(Some(Tiles {
            sides: sides as u32,
            batch: if is_batch { input.lengths().collect() } else { Vec::new() },
            scatter,
            totals: gpu.buffer(input.sides())?,
            taken: gpu.buffer(input.sides())?,
            part: None,
        }))
    }

    /// For parts of a stream; `None` also with shaders, which do not support parts.
    pub(super) fn for_parts(gpu: &Gpu, input: Batch<'_>) -> Result<Option<Self>, DeviceError> {
        match Self::new(gpu, input)? {
            Some(tiles) if !gpu.properties().has_shaders => {
                let part = Some(StagedArray::new(gpu, input.modules())?);
                Ok(Some(Tiles { part, scatter: NARROW, ..tiles }))
            }
            _ => Ok(None),
        }
    }

    /// True if several timeslices can be distributed together, each over `sides` sides: shaders
    /// cannot bind buffers at an offset.
    pub(super) fn take_batches(gpu: &Gpu, sides: usize) -> bool {
        !gpu.properties().has_shaders && ScatterKernel::new(gpu, sides).is_some()
    }

    pub(super) fn start(&mut self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        gpu.fill(&self.totals, 0)?;
        gpu.fill(&self.taken, 0)?;
        if let (Some(part), Some(times)) = (&mut self.part, target.part) {
            part.fill(gpu, times.iter().copied())?;
        }
        match &self.part {
            None => self.move_all(gpu, target),
            Some(_) => self.move_part(gpu, target),
        }
    }

    /// Timeslice by timeslice; each has its own range among the fronts and backs of all.
    fn move_all(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let timeslices = self.timeslices(target.count);
        let arguments = self.arguments(gpu, target, timeslices.len() as u32);
        let arguments = |&TimesliceRange { first, count, front }: &TimesliceRange| TileSort {
            digis: arguments.digis.skipping(first),
            totals: arguments.totals.skipping(front),
            side_offsets: arguments.side_offsets.skipping(front),
            taken: arguments.taken.skipping(front),
            count,
            ..arguments
        };
        for arguments in timeslices.iter().map(arguments) {
            let grid = self.counting_grid(gpu, arguments);
            // SAFETY: digis are of modules of the detector, the table has all addresses, shared
            // memory is as tiles need it, and there is a total for each side of all.
            unsafe { gpu.launch(&PRESORT_TILES_COUNT, grid, arguments)? };
        }
        self.sum_sides(gpu, target)?;
        for arguments in timeslices.iter().map(arguments) {
            let grid = self.scatter_grid(gpu, self.scatter.kernel, arguments)?;
            // SAFETY: digis are of modules of the detector, the table has all addresses, shared
            // memory is as tiles need it, there is a total for each side of all, and the target has
            // capacity for all digis.
            unsafe { gpu.launch(self.scatter.kernel, grid, arguments)? };
        }
        Ok(())
    }

    fn sum_sides(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let sides = self.totals.len() as u32;
        // SAFETY: there is a total for each side of all.
        unsafe { sum_sides(gpu, self.totals.ptr(), sides, target.side_offsets.ptr()) }
    }

    /// Arguments of all kernels, for all digis of `timeslices` timeslices.
    fn arguments(&self, gpu: &Gpu, target: Target<'_>, timeslices: u32) -> TileSort {
        TileSort {
            digis: target.stream.ptr(),
            modules: target.modules.ptr(),
            totals: self.totals.ptr(),
            side_offsets: target.side_offsets.ptr(),
            taken: self.taken.ptr(),
            to: target.digis.ptr(),
            times: self.part.as_ref().map_or(Ptr::NONE, StagedArray::ptr),
            count: target.count as u32,
            addresses: self.cached_addresses(gpu, target),
            sides: self.sides,
            backs: self.sides / 2 * timeslices,
        }
    }

    /// Range of each timeslice; a single one has `digis` digis.
    fn timeslices(&self, digis: usize) -> Vec<TimesliceRange> {
        let counts = if self.batch.is_empty() { &[digis][..] } else { &self.batch };
        let mut next = TimesliceRange { first: 0, count: 0, front: 0 };
        let index = |&count: &usize| {
            let range = TimesliceRange { count: count as u32, ..next };
            next.first += count;
            next.front += self.sides as usize / 2;
            range
        };
        counts.iter().map(index).collect()
    }

    fn move_part(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let arguments = self.arguments(gpu, target, 1);
        let some = self.counting_grid(gpu, arguments);
        let all = self.scatter_grid(gpu, &PRESORT_PART_SCATTER, arguments)?;
        // SAFETY: digis are of modules of the detector, the table has all addresses, shared memory
        // is as tiles need it, there is a total for each side, the target has capacity for all
        // digis, and there are times of all modules.
        unsafe {
            gpu.launch(&PRESORT_PART_COUNT, some, arguments)?;
            self.sum_sides(gpu, target)?;
            gpu.launch(&PRESORT_PART_SCATTER, all, arguments)
        }
    }

    /// Number of addresses whose modules blocks cache in shared memory: all, or none.
    fn cached_addresses(&self, gpu: &Gpu, target: Target<'_>) -> u32 {
        let properties = gpu.properties();
        let all = target.modules.len();
        let tile = self.scatter.kernel.shared_bytes(gpu) + counters_of(self.sides);
        let fit = tile + all as u32 * WORD <= properties.shared_bytes;
        if fit && all <= MAX_ADDRESSES && !properties.has_shaders { all as u32 } else { 0 }
    }

    /// Grid of counting blocks, which cache the modules of addresses.
    fn counting_grid(
        &self,
        gpu: &Gpu,
        TileSort { count, addresses, .. }: TileSort,
    ) -> LaunchConfig {
        let bytes = u64::from(count) * DIGI;
        let tiles = count.div_ceil(self.scatter.tile);
        let some = LaunchConfig::blocks(tiles.min(COUNTING * gpu.properties().multiprocessors));
        some.with_shared((self.sides + addresses) * WORD).with_traffic(bytes)
    }

    /// Blocks that run at once to move tiles, no more than there are tiles; with shaders, one for
    /// each tile.
    fn scatter_grid(
        &self,
        gpu: &Gpu,
        kernel: &Kernel<TileSort>,
        TileSort { count, addresses, .. }: TileSort,
    ) -> Result<LaunchConfig, DeviceError> {
        let bytes = 2 * u64::from(count) * DIGI;
        let shared = counters_of(self.sides) + addresses * WORD;
        let grid = |blocks| LaunchConfig::blocks(blocks).with_shared(shared).with_traffic(bytes);
        let tiles = grid(count.div_ceil(self.scatter.tile));
        if gpu.properties().has_shaders {
            return Ok(tiles);
        }
        Ok(grid(tiles.blocks.min(gpu.resident_blocks(kernel, tiles)?)))
    }
}

impl ScatterKernel {
    /// `None` if a tile with counters for all sides does not fit into shared memory.
    fn new(gpu: &Gpu, sides: usize) -> Option<Self> {
        let properties = gpu.properties();
        if properties.has_shaders {
            let steps = (properties.shared_bytes / SHADER_BYTES).clamp(1, SHADER_STEPS);
            let tile = SHADER_STEP * steps;
            return (sides <= SHADER_SIDES).then_some(ScatterKernel { tile, ..NARROW });
        }
        let words = counters_of(sides.min(MAX_SIDES) as u32);
        let fits = |scatter: &ScatterKernel| {
            scatter.kernel.shared_bytes(gpu) + words <= properties.shared_bytes
        };
        let wants_wide = TILE as usize / MIN_OF_SIDE < sides;
        let kernels = if wants_wide { &[WIDE, NARROW][..] } else { &[NARROW] };
        kernels.iter().copied().find(|scatter| sides <= MAX_SIDES && fits(scatter))
    }
}

/// Bytes of a tile's counters: the number of digis and the destination of each side.
fn counters_of(sides: u32) -> u32 {
    2 * sides * WORD
}
