//! GPUs by NVIDIA.
//!
//! The driver is looked for when it is needed: without one, without a GPU or
//! with one that is too old, everything else works, and the reason is told.
//!
//! | module | holds |
//! |---|---|
//! | `probe` | which GPUs there are, or why none |
//! | `engine` | a GPU at work |
//! | `awake` | keeps the clock of one up that shaders use |
//! | `modules` | kernels by name |
//! | `recording` | work that is started as a whole |
//! | `nvml` | what the management library tells |

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

/// A GPU by its number.
///
/// # Errors
/// If there is none of that number, or the driver refuses.
pub fn open(number: u32, sharing: ContextSharing) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("cuda:{number}"), reason };
    let (driver, gpus) = devices().map_err(unusable)?;
    let Some(gpu) = gpus.get(number as usize) else {
        return Err(unusable(no_such_gpu(gpus.len())));
    };
    let engine =
        CudaEngine::new(gpu, &driver, sharing).map_err(|error| unusable(error.to_string()))?;
    Ok(Gpu::new(engine))
}

/// Why a number is none of so many GPUs.
pub fn no_such_gpu(count: usize) -> String {
    match count {
        1 => "the only GPU here is cuda:0".to_owned(),
        count => format!("the GPUs here are cuda:0 to cuda:{}", count - 1),
    }
}
