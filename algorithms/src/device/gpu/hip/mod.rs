//! GPUs by AMD, which run the CUDA kernels compiled by hipcc.
//!
//! The HIP runtime is loaded when it is needed; the build does not depend on it. Compiled kernels
//! are in files (`code_objects`), not in the binary.
//!
//! | module | holds |
//! |---|---|
//! | `library` | the runtime, loaded while the program runs |
//! | `probe` | finds the GPUs |
//! | `code_objects` | files of compiled kernels |
//! | `modules` | kernels by name |
//! | `engine` | the backend |
//! | `monitor` | unavailable: the reason |

mod code_objects;
mod engine;
mod library;
mod modules;
mod monitor;
mod probe;
#[cfg(test)]
mod tests;

use super::{DeviceError, Gpu};
use code_objects::CodeObjects;
use engine::HipEngine;

pub use monitor::monitor;
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
    let engine = HipEngine::new(hip, &gpus[index as usize], CodeObjects::for_this_program());
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
