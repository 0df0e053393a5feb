//! From raw data, with no stream in between: see the kernels.

use generators_sts::raw::ELINKS;
use generators_sts::{Digi, MAX_ADC};
use portable_gpu::{DeviceBuffer, DeviceError, LaunchConfig, Properties};

use super::target::sum_sides;
use crate::kernels::sts_raw_to_sides::{
    COUNTING, RAW_COUNT_SIDES, RAW_TO_SIDES, RawToSides, Slots, WRITING,
};
use crate::sts::presort::LookupTable;
use crate::sts_unpack::RawTimeslices;
use crate::sts_unpack::cuda::{Pieces, UnpackPass};
use crate::sts_unpack::exact::Link;
use crate::sts_unpack::survey::Job;
use crate::sts_unpack::tables::Board;
use tasks::device::{CachedPerInput, Execution, buffers};

/// Warps of a block of a shader at most: see `raw_to_sides.wgsl`.
const SHADER_WARPS: u32 = 16;

/// Threads of a block.
fn threads(properties: &Properties) -> u32 {
    let threads = RAW_COUNT_SIDES.threads();
    if properties.has_shaders { threads.min(SHADER_WARPS * properties.lanes) } else { threads }
}

/// Sides that each board reads out, if e-links determine them.
pub(in crate::sts::cuda) struct SidesOfBoards(Vec<Slots>);

/// Buffers of the digis of each piece.
pub(in crate::sts::cuda) struct RawPresort<'a> {
    pieces: Pieces,
    slots: CachedPerInput<'a, DeviceBuffer<Slots>>,
    slots_of_piece: u32,
    /// One for tickets, and one for each piece.
    states: DeviceBuffer<u64>,
    totals: DeviceBuffer<u32>,
    piece_offsets: DeviceBuffer<u32>,
}

buffers!(RawPresort<'_>: pieces, slots, states, totals, piece_offsets);

impl SidesOfBoards {
    /// `None` if a charge adjustment can overflow into the channel, so that an e-link does not
    /// determine the side.
    pub(in crate::sts::cuda) fn new(raw: &RawTimeslices, modules: usize) -> Option<Self> {
        let fits = |link: &Link| link.charges.iter().all(|&charge| charge <= MAX_ADC.into());
        let mut boards = raw.tables().all();
        if !boards.all(|board| board.links.iter().all(fits)) {
            return None;
        }
        let table = LookupTable::new(modules);
        let slots = raw.tables().all().map(|board| slots_of(&board, &table));
        Some(SidesOfBoards(slots.collect()))
    }

    /// Largest number of slots of a board.
    fn max(&self) -> u32 {
        self.0.iter().map(|slots| slots.count).max().unwrap_or(0)
    }
}

/// A slot for each side of a board. E-links of modules that the detector has not got have no digis,
/// and any slot.
fn slots_of(board: &Board<'_>, table: &LookupTable) -> Slots {
    let mut slots = Slots { of_elinks: [0; ELINKS], sides: [0; ELINKS], count: 1 };
    let mut known = Vec::new();
    for (slot, link) in slots.of_elinks.iter_mut().zip(board.links) {
        let address = Digi::from_bits(link.address).address();
        let digi = Digi::new(address, link.channels[0], 0, 0);
        let Some(side) = table.known_side(digi) else { continue };
        let index = known.iter().position(|&other| other == side);
        *slot = index.unwrap_or_else(|| {
            known.push(side);
            known.len() - 1
        }) as u32;
    }
    for (side, &known) in slots.sides.iter_mut().zip(&known) {
        *side = known as u32;
    }
    slots.count = known.len().max(1) as u32;
    slots
}

impl<'a> RawPresort<'a> {
    /// Buffers for these microslices.
    pub(in crate::sts::cuda) fn new(
        execution: Execution<'_, 'a>,
        raw: &RawTimeslices,
        boards: &SidesOfBoards,
        sides: usize,
        jobs: &[Job],
    ) -> Result<Self, DeviceError> {
        let Execution { gpu, arena, .. } = execution;
        let pieces = Pieces::new(gpu, jobs, threads(gpu.properties()))?;
        let slots_of_piece = boards.max();
        Ok(RawPresort {
            slots: CachedPerInput::get_or_make("slots", raw.tables(), arena, gpu, |gpu| {
                gpu.table(&boards.0)
            })?,
            slots_of_piece,
            states: gpu.buffer(1 + pieces.len())?,
            totals: gpu.buffer(sides)?,
            piece_offsets: gpu.buffer(pieces.len() * slots_of_piece as usize)?,
            pieces,
        })
    }

    /// Starts the kernels, which write the offsets of sides and the digis.
    pub(super) fn start(
        &mut self,
        pass: &UnpackPass<'_>,
        side_offsets: &DeviceBuffer<u32>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let gpu = pass.gpu;
        let data = pass.data;
        let tiles = self.pieces.cut(gpu, pass.jobs)?;
        gpu.fill(&self.states, 0)?;
        gpu.fill(&self.totals, 0)?;
        gpu.fill_first(&data.counts, pass.jobs.len(), 0)?;
        let tiles_of_block = tiles.div_ceil(WRITING * gpu.properties().multiprocessors).max(1);
        let arguments = RawToSides {
            input: self.pieces.arguments(pass, tiles, &self.states),
            slots: self.slots.ptr(),
            totals: self.totals.ptr(),
            piece_offsets: self.piece_offsets.ptr(),
            side_offsets: side_offsets.ptr(),
            digis: digis.ptr(),
            slots_of_piece: self.slots_of_piece,
            tiles_of_block,
        };
        let read = pass.bytes_of_messages();
        let counting = LaunchConfig::blocks(tiles.min(gpu.properties().blocks_at_once(COUNTING)));
        let writing = LaunchConfig::blocks(tiles.div_ceil(tiles_of_block));
        // SAFETY: contents are within the bytes, followed by padding; there is a piece for each
        // warp of each tile, a state for each of them, and elements of `piece_offsets` for all
        // slots of its board; `digis` has capacity for all counted digis. There is a total for each
        // side, and one more word in `side_offsets`.
        unsafe {
            gpu.launch(&RAW_COUNT_SIDES, counting.with_traffic(read), arguments)?;
            sum_sides(gpu, self.totals.ptr(), self.totals.len() as u32, side_offsets.ptr())?;
            let bytes = read + pass.bytes_of_digis();
            gpu.launch(&RAW_TO_SIDES, writing.with_traffic(bytes), arguments)
        }
    }
}
