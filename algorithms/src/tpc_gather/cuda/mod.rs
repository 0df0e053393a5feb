//! Gathering from a GPU's memory into the host's.
//!
//! Clusters are on the device already, as a compression leaves them; a run ends when they are on
//! the host.
//!
//! | module | holds |
//! |---|---|
//! | `pieces` | pieces on the device, and their offsets |
//! | `naive`, `dma`, `multi_block`, `chunks` | the variants |
//! | `libraries` | entries for variants of NVIDIA's libraries |
//! | `slowdown` | slowdown of concurrent work by gathering |
//! | `runner` | gathers an input |

mod chunks;
mod dma;
mod libraries;
mod multi_block;
mod naive;
mod pieces;
mod runner;
mod slowdown;
#[cfg(test)]
mod tests;

use generators::tpc::clusters::{Clusters, Layout};

use super::TpcGather;
use crate::algorithm::Variant;
use crate::device::Buffers;
use crate::device::gpu::{DeviceError, Gpu};
use pieces::DevicePieces;

pub(super) use libraries::LIBRARIES;
pub(super) use slowdown::slowdowns;

pub(super) const VARIANTS: &[Variant<TpcGather>] = &[
    naive::NAIVE,
    dma::DMA_1,
    dma::DMA_2,
    dma::DMA_BUFFERED,
    multi_block::MULTI_BLOCK,
    chunks::CHUNKS,
];

/// Allocates the memory for arrays of that layout.
type MakeGatherer = fn(&Gpu, Layout) -> Result<Box<dyn Gatherer>, DeviceError>;

/// Kernels and copies of a variant, and their target memory.
trait Gatherer: Buffers {
    /// Starts all kernels and copies, and waits where necessary.
    fn gather(
        &mut self,
        gpu: &Gpu,
        input: &Clusters,
        pieces: &DevicePieces<'_>,
    ) -> Result<(), DeviceError>;

    /// The output on the host.
    fn host(&self) -> &[u8];

    /// Number of multiprocessors that its kernels occupy.
    fn multiprocessors(&self, gpu: &Gpu) -> u32 {
        gpu.properties().multiprocessors
    }
}
