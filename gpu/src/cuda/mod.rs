//! GPUs by NVIDIA.
//!
//! The driver is loaded when it is needed: without one, without a GPU or with a driver that is too
//! old, everything else works, and the reason is reported.
//!
//! | module | holds |
//! |---|---|
//! | `probe` | finds the GPUs |
//! | `engine` | the backend: calls, kernels and recorded work |
//! | `peers` | access to the memory of other GPUs |
//! | [`cupti`] | hardware counters of kernels |
//! | `nvml` | clocks, limits and energy from the management library |

pub mod cupti;
mod engine;
mod nvml;
mod peers;
mod probe;

use std::sync::Arc;

use cudarc::driver::{CudaContext, Profiler};

use super::{DeviceError, Gpu};

pub use nvml::{Settings, driver_version, monitor, monitor_at, settings};
pub use probe::{ContextSharing, CudaGpu, Driver, devices};

/// Opens a GPU by its index.
///
/// # Errors
/// If there is no GPU of that index, or the driver refuses.
pub fn open(index: u32, sharing: ContextSharing) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("cuda:{index}"), reason };
    let (_, gpus) = devices().map_err(unusable)?;
    let Some(gpu) = gpus.get(index as usize) else {
        return Err(unusable(no_such_gpu(gpus.len())));
    };
    engine::open(gpu, sharing).map(Gpu::new)
}

/// Message for an index out of range, if there are `count` GPUs.
pub fn no_such_gpu(count: usize) -> String {
    match count {
        1 => "the only GPU here is cuda:0".to_owned(),
        count => format!("the GPUs here are cuda:0 to cuda:{}", count - 1),
    }
}

/// Work that a profiler records which waits for it, such as `ncu --profile-from-start off`: all that
/// is started while this exists. Without a profiler it has no effect.
pub struct ProfilerRange(Profiler);

impl ProfilerRange {
    /// Starts a range of a GPU that has had work; `None` if the driver refuses, or earlier work has
    /// failed.
    pub fn start(gpu: &Gpu) -> Option<Self> {
        devices().ok()?;
        // A range is that of the context which is current for this thread: calls make it so.
        gpu.finish().ok()?;
        Profiler::new().ok().map(ProfilerRange)
    }
}

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
