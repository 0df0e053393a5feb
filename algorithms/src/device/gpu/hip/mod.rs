//! GPUs by AMD, which run the CUDA kernels compiled by hipcc.
//!
//! The HIP runtime is looked for when it is needed, and nothing of it is built in. Its kernels
//! are in files (`code_objects`): the binary carries none.
//!
//! | module | holds |
//! |---|---|
//! | `library` | the runtime, loaded while the program runs |
//! | `probe` | which GPUs there are, or why none |
//! | `code_objects` | where compiled kernels are |
//! | `modules` | kernels by name |
//! | `engine` | a GPU at work |
//! | `monitor` | what nobody tells of a GPU |

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

/// A GPU by its number.
///
/// # Errors
/// If there is none of that number, its kernels are not there, or the runtime refuses.
pub fn open(number: u32) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("hip:{number}"), reason };
    if let Some(problem) = problem_of(number) {
        return Err(unusable(problem));
    }
    let (hip, gpus) = probe::found().map_err(unusable)?;
    let engine = HipEngine::new(hip, &gpus[number as usize], CodeObjects::of_this_program());
    Ok(Gpu::new(engine?))
}

/// Why a GPU can't be used; `None` if it can.
pub fn problem_of(number: u32) -> Option<String> {
    match devices() {
        Err(reason) => Some(reason),
        Ok(gpus) if number as usize >= gpus.len() => Some(no_such_gpu(gpus.len())),
        Ok(_) => CodeObjects::of_this_program().problem(),
    }
}

fn no_such_gpu(count: usize) -> String {
    match count {
        1 => "the only GPU that HIP knows here is hip:0".to_owned(),
        count => format!("the GPUs that HIP knows here are hip:0 to hip:{}", count - 1),
    }
}
