//! Gathering from a GPU's memory into the host's.
//!
//! Clusters are on the device already, as a compression leaves them; a run ends when they
//! are on the host.
//!
//! | module | holds |
//! |---|---|
//! | `pieces` | pieces on the device, and finding out where they go |
//! | `naive`, `dma`, `multi_block`, `chunks` | the variants |
//! | `libraries` | the places of variants of NVIDIA's libraries |
//! | `beside` | what gathering costs others |
//! | `prepared` | a variant that is ready to run |

mod beside;
mod chunks;
mod dma;
mod libraries;
mod multi_block;
mod naive;
mod pieces;
mod prepared;
#[cfg(test)]
mod tests;

use generators::tpc::clusters::{Clusters, FIELDS, Layout};

use super::TpcGather;
use super::sample::Sample;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::gpu::{DeviceError, Gpu};
use crate::device::{Arena, Backend, Place};
use pieces::DevicePieces;
use prepared::PreparedCudaGather;

pub(super) use beside::slowdowns;
pub(super) use chunks::CHUNKS;
pub(super) use dma::{DMA_1, DMA_2, DMA_BUFFERED};
pub(super) use libraries::LIBRARIES;
pub(super) use multi_block::MULTI_BLOCK;
pub(super) use naive::NAIVE;

/// A way to gather from a GPU.
pub(super) struct CudaGather {
    name: &'static str,
    summary: &'static str,
    /// Which pieces it gathers of an input.
    sample: fn(&Clusters) -> Sample,
    gatherer: MakeGatherer,
}

/// Takes the memory for arrays of that layout.
type MakeGatherer = fn(&Gpu, Layout) -> Result<Box<dyn Gatherer>, DeviceError>;

/// Kernels and copies of a variant, and the memory into which they gather.
trait Gatherer: Send {
    /// Starts all that moves pieces, and waits where it has to.
    ///
    /// # Errors
    /// If the device refuses.
    fn gather(
        &mut self,
        gpu: &Gpu,
        input: &Clusters,
        pieces: &DevicePieces,
    ) -> Result<(), DeviceError>;

    /// What arrived on the host.
    fn host(&self) -> &[u8];

    /// The same, to be overwritten.
    fn host_mut(&mut self) -> &mut [u8];

    /// Overwrites what it has on the device with a byte.
    ///
    /// # Errors
    /// If the device refuses.
    fn poison_device(&self, _: &Gpu, _: u8) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Bytes of what it has on the device.
    fn device_bytes(&self) -> u64 {
        0
    }

    /// How many multiprocessors its kernels take while they run.
    fn multiprocessors(&self, gpu: &Gpu) -> u32 {
        gpu.properties().multiprocessors
    }

    /// What a reader should know.
    fn remarks(&self, _: &Gpu, _: &Clusters) -> Vec<String> {
        Vec::new()
    }
}

/// Kernels count the bytes of an array with 32 bits.
fn accept(input: &Clusters) -> Result<(), Unavailable> {
    let layout = Layout::new(&input.packed());
    let arrays = (0..FIELDS.len()).map(|field| layout.range(field).len());
    match arrays.max() {
        Some(bytes) if u32::try_from(bytes).is_err() => Err(Unavailable(format!(
            "an array of {bytes} bytes; kernels count with 32 bits; use fewer clusters"
        ))),
        _ => Ok(()),
    }
}

impl Variant<TpcGather> for CudaGather {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        input: &'a Clusters,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcGather> + 'a>, Unavailable> {
        accept(input)?;
        let gpu = place.required_gpu()?;
        let sample = (self.sample)(input);
        let prepared = PreparedCudaGather::new(self.gatherer, (input, arena), sample, gpu);
        Ok(Box::new(prepared))
    }
}
