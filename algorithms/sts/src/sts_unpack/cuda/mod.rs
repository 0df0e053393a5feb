//! Unpacking on a GPU.
//!
//! Raw data are copied to the device unchanged, while the host surveys descriptors. Kernels make
//! digis and counts of them. Then the counts are copied back, and that number of digis.
//!
//! | module | holds |
//! |---|---|
//! | `boards` | the tables of boards in the layout of kernels |
//! | `raw_on_gpu` | raw data on the device, and their counts |
//! | `stream` | raw data to digis in the order of the messages, by any algorithm |
//! | `runner` | the task: copies, and unpacking in between |
//! | `slots` | a slot for each message, and digis copied together: as published |
//! | `tiles` | recobench: messages read once, digis written to their offsets |
//! | `pieces` | microslices in pieces, one per warp |
//!
//! Kernels' view of raw data is in `raw/`, the code of a warp for a piece in `pieces/`.

mod boards;
mod pieces;
mod raw_on_gpu;
mod runner;
mod slots;
mod stream;
#[cfg(test)]
mod tests;
mod tiles;

use portable_gpu::LaunchConfig;

use super::StsUnpack;
use crate::kernels::sts_unpack_epoch_parallel::UNPACK_BY_BLOCKS;
use crate::kernels::sts_unpack_thread_per_microslice::UNPACK_BY_THREADS;
use runner::unpack_on_gpu;
use slots::Slots;
use tasks::algorithm::Variant;
use tiles::Tiles;

pub(crate) use pieces::Pieces;
pub(crate) use raw_on_gpu::{RawOnGpu, UnpackPass};
pub(crate) use stream::{MakeUnpacker, RawToStream};

/// Variants that chains begin with.
pub(crate) const TILES: MakeUnpacker = Tiles::boxed;
pub(crate) const EPOCH_PARALLEL: MakeUnpacker = |gpu, jobs| {
    let grid = LaunchConfig::blocks(jobs.len() as u32);
    Slots::boxed(gpu, jobs, &UNPACK_BY_BLOCKS, grid)
};

const BY_BLOCKS: Variant<StsUnpack> = Variant::cuda(
    "epoch-parallel",
    "published: a block a microslice, three scans of 512 messages at a time; digis in slots \
     are copied together; its race is mended",
    |at| unpack_on_gpu(at, EPOCH_PARALLEL),
)
.by_published_rules();

const BY_TILES: Variant<StsUnpack> = Variant::cuda(
    "tiles",
    "ours: a piece of a microslice for each warp, epochs by ballots, offsets by look-back; \
     each message read once, each digi written once",
    |at| unpack_on_gpu(at, TILES),
)
.by_published_rules();

/// Variants whose kernels exist as shaders too. Their blocks wait for earlier ones, as those of
/// CUDA do: WebGPU does not guarantee forward progress of these, though GPUs provide it.
pub(super) const AS_SHADERS: &[Variant<StsUnpack>] =
    &[BY_BLOCKS.as_shaders(), BY_TILES.as_shaders().differing(SMALL_BLOCKS)];

const SMALL_BLOCKS: &str = "blocks have 64 or 128 threads, of 256: for want of workgroup memory";

pub(super) const VARIANTS: &[Variant<StsUnpack>] = &[
    Variant::cuda(
        "thread-per-microslice",
        "published, first version: a thread walks a microslice; digis in slots are copied together",
        |at| {
            unpack_on_gpu(at, |gpu, jobs| {
                let grid = UNPACK_BY_THREADS.grid_for(jobs.len());
                Slots::boxed(gpu, jobs, &UNPACK_BY_THREADS, grid)
            })
        },
    )
    .by_published_rules(),
    BY_BLOCKS,
    BY_TILES,
];
