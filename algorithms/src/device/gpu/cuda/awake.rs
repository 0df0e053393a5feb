//! GPUs that are used by other APIs than CUDA.

use std::sync::Arc;

use cudarc::driver::CudaContext;

use super::probe::devices;

/// Keeps a GPU's clock up while it exists.
///
/// A driver lowers the clock of a GPU that has been idle for a moment, unless a CUDA context
/// exists: an H100 used by Vulkan alone runs at 345 MHz instead of 1980 after some milliseconds,
/// and takes longer than that to recover. Kernels between which the host works would take five
/// times as long.
pub struct Awake(#[expect(dead_code, reason = "keeps the context alive")] Arc<CudaContext>);

impl Awake {
    /// Keeps up the clock of the GPU with this model name and PCI bus address; `None` if CUDA does
    /// not know it.
    pub fn keep(model: &str, pci_bus_id: &str) -> Option<Self> {
        let (_, gpus) = devices().ok()?;
        let gpu = gpus.iter().find(|gpu| gpu.is_same_as(model, pci_bus_id))?;
        CudaContext::new(gpu.number as usize).ok().map(Awake)
    }
}
