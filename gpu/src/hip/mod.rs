//! GPUs by AMD, which run the CUDA kernels compiled by hipcc.
//!
//! **Never run on hardware**: what was tried is a stub of the runtime (`stub.c`), compilers, and the
//! emulator with warps of 32 and of 64 lanes.
//!
//! The HIP runtime is loaded when it is needed; the build does not depend on it. Compiled kernels
//! are in files, not in the binary. This folder has all that is HIP's; what it shares with CUDA is
//! in `driver`, next to it.
//!
//! | module | holds |
//! |---|---|
//! | `library` | the runtime, loaded while the program runs |
//! | `probe` | finds the GPUs |
//! | `modules` | kernels by name, from files |
//! | `engine` | the backend |

mod engine;
mod library;
mod modules;
mod probe;
#[cfg(test)]
mod tests;

use super::monitor::{Limit, Monitor};
use super::{DeviceError, Gpu};
use modules::CodeObjects;

pub use probe::{HipGpu, devices};

/// Opens a GPU by its index.
///
/// # Errors
/// If there is no GPU of that index, its kernels are missing, or the runtime refuses.
pub fn open(index: u32) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("hip:{index}"), reason };
    if let Some(problem) = problem_of(index) {
        return Err(unusable(problem));
    }
    let (hip, gpus) = probe::runtime_and_gpus().map_err(unusable)?;
    let engine = engine::open(hip, &gpus[index as usize], CodeObjects::for_this_program());
    Ok(Gpu::new(engine?))
}

/// Returns the reason why a GPU can't be used; `None` if it can.
pub fn problem_of(index: u32) -> Option<String> {
    match devices() {
        Err(reason) => Some(reason),
        Ok(gpus) if index as usize >= gpus.len() => Some(no_such_gpu(gpus.len())),
        Ok(_) => CodeObjects::for_this_program().problem(),
    }
}

fn no_such_gpu(count: usize) -> String {
    match count {
        1 => "the only GPU that HIP knows here is hip:0".to_owned(),
        count => format!("the GPUs that HIP knows here are hip:0 to hip:{}", count - 1),
    }
}

/// Monitor of an AMD GPU: all values are unavailable, with the reason, because HIP has no
/// counterpart of NVIDIA's management library.
pub fn monitor() -> impl Monitor {
    Unwatched
}

struct Unwatched;

fn unavailable<T>() -> Result<T, String> {
    Err("unavailable with HIP; run `amd-smi` during the measurement".to_owned())
}

impl Monitor for Unwatched {
    fn clock_mhz(&self) -> Result<u32, String> {
        unavailable()
    }

    fn max_clock_mhz(&self) -> Result<u32, String> {
        unavailable()
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        unavailable()
    }

    fn energy_j(&self) -> Result<f64, String> {
        unavailable()
    }
}
