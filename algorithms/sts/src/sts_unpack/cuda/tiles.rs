//! recobench: each message is read once, and each digi written once, to its offset.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Properties};

use super::pieces::Pieces;
use super::raw_on_gpu::UnpackPass;
use super::stream::Unpacker;
use crate::kernels::sts_unpack_tiles::{BLOCKS, TileUnpacking, UNPACK_TILES};
use crate::sts_unpack::survey::Job;
use tasks::device::buffers;

/// Threads of a shader's block for each unit of workgroup memory, and the number of units: see
/// `tiles.wgsl`.
const SHADER_THREADS: u32 = 64;
const SHADER_BYTES: u32 = 24 << 10;
const SHADER_STEPS: u32 = 2;

/// Threads of a block.
fn threads(properties: &Properties) -> u32 {
    if !properties.has_shaders {
        return UNPACK_TILES.threads();
    }
    let steps = (properties.shared_bytes / SHADER_BYTES).clamp(1, SHADER_STEPS);
    properties.lanes.max(SHADER_THREADS * steps)
}

pub(super) struct Tiles {
    pieces: Pieces,
    /// One for tickets, one for each tile, and one for each piece.
    states: DeviceBuffer<u64>,
}

buffers!(Tiles: pieces, states);

impl Tiles {
    /// Allocates the buffers for these microslices.
    pub(super) fn boxed(gpu: &Gpu, jobs: &[Job]) -> Result<Box<dyn Unpacker>, DeviceError> {
        let pieces = Pieces::new(gpu, jobs, threads(gpu.properties()))?;
        let states = gpu.buffer(1 + pieces.tiles() + pieces.len())?;
        Ok(Box::new(Tiles { pieces, states }))
    }
}

impl Unpacker for Tiles {
    fn unpack(
        &mut self,
        pass: &UnpackPass<'_>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let gpu = pass.gpu;
        let data = pass.data;
        let tiles = self.pieces.cut(gpu, pass.jobs)?;
        gpu.fill(&self.states, 0)?;
        gpu.fill_first(&data.counts, pass.jobs.len(), 0)?;
        let input = self.pieces.arguments(pass, tiles, &self.states);
        let arguments = TileUnpacking { input, digis: digis.ptr() };
        let blocks = tiles.min(gpu.properties().blocks_at_once(BLOCKS));
        let grid = LaunchConfig::blocks(blocks)
            .with_traffic(pass.bytes_of_messages() + pass.bytes_of_digis());
        // SAFETY: contents are within the bytes, followed by padding, and there is an element for a
        // digi of each message; there is a piece for each warp, and a state for each piece and
        // tile.
        unsafe { gpu.launch(&UNPACK_TILES, grid, arguments) }
    }
}
