//! GPUs by NVIDIA.
//!
//! The driver is loaded when it is needed: without one, without a GPU or with a driver that is too
//! old, everything else works, and the reason is reported.
//!
//! | module | holds |
//! |---|---|
//! | `probe` | finds the GPUs |
//! | `engine` | the backend |
//! | `awake` | keeps the clock up for shaders |
//! | `modules` | kernels by name |
//! | `recording` | recorded work as a CUDA graph |
//! | `nvml` | clocks, limits and energy from the management library |

mod awake;
mod engine;
mod modules;
mod nvml;
mod probe;
mod recording;

use super::{DeviceError, Gpu};
use engine::CudaEngine;

pub use awake::Awake;
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
    let engine = CudaEngine::new(gpu, sharing).map_err(|error| unusable(error.to_string()))?;
    Ok(Gpu::new(engine))
}

/// Message for an index out of range, if there are `count` GPUs.
pub fn no_such_gpu(count: usize) -> String {
    match count {
        1 => "the only GPU here is cuda:0".to_owned(),
        count => format!("the GPUs here are cuda:0 to cuda:{}", count - 1),
    }
}
