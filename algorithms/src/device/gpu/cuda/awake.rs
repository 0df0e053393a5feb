//! GPUs that are used by other means than CUDA.

use std::sync::Arc;

use cudarc::driver::CudaContext;

use super::probe::devices;

/// Keeps a GPU's clock up for as long as it is there.
///
/// A driver lets the clock of a GPU go down that has nothing to do for a moment, unless somebody
/// uses it by CUDA: an H100 that is used by Vulkan alone has 345 MHz after some milliseconds, in
/// the place of 1980, and needs longer than that to come back. Kernels between which the host
/// works would take five times as long.
pub struct Awake(#[expect(dead_code, reason = "it is there to be there")] Arc<CudaContext>);

impl Awake {
    /// Of the GPU that another driver knows by this model and address on the PCI bus; `None` if
    /// CUDA knows of none.
    pub fn keep(model: &str, pci_bus_id: &str) -> Option<Self> {
        let (_, gpus) = devices().ok()?;
        let gpu = gpus.iter().find(|gpu| gpu.is_same_as(model, pci_bus_id))?;
        CudaContext::new(gpu.number as usize).ok().map(Awake)
    }
}
