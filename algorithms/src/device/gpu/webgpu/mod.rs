//! GPUs of any make, by wgpu: through Vulkan. Their kernels are shaders
//! in WGSL, which take what the CUDA kernels of the same names take.
//!
//! It is a feature of the build: without it there is a reason why there are no such GPUs.
//!
//! | module | holds |
//! |---|---|
//! | `adapter` | what a GPU tells of itself |
//! | `probe` | which GPUs there are, or why none |
//! | `engine` | a GPU at work |
//! | `shader` | the shaders, as the build has found them |

mod adapter;
#[cfg(feature = "wgpu")]
mod engine;
#[cfg(feature = "wgpu")]
mod probe;
#[cfg(feature = "wgpu")]
mod shader;
#[cfg(test)]
mod tests;

use super::{DeviceError, Gpu};

/// Whether it is a part of this build.
pub const IS_BUILT: bool = cfg!(feature = "wgpu");

pub use adapter::{Adapter, Checks};

/// All GPUs, those before that are no software; or why there is none.
///
/// # Errors
/// The reason.
pub fn adapters() -> Result<Vec<Adapter>, String> {
    #[cfg(feature = "wgpu")]
    return probe::adapters().map(|found| found.iter().map(|one| one.adapter.clone()).collect());
    #[cfg(not(feature = "wgpu"))]
    Err("this bench was built without wgpu; build it with `--features wgpu`".to_owned())
}

/// A GPU by its number.
///
/// # Errors
/// If there is none of that number, or the driver refuses.
pub fn open(number: u32, checks: Checks) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("wgpu:{number}"), reason };
    let adapters = adapters().map_err(unusable)?;
    if number as usize >= adapters.len() {
        return Err(unusable(no_such_adapter(adapters.len())));
    }
    opened(number, checks).map_err(unusable)
}

#[cfg(feature = "wgpu")]
fn opened(number: u32, checks: Checks) -> Result<Gpu, String> {
    let found = &probe::adapters()?[number as usize];
    Ok(Gpu::new(engine::WebGpuEngine::new(found, checks)?))
}

/// The first GPU, if its subgroups had so few lanes at least: its warps are parts of them then.
#[cfg(all(test, feature = "wgpu"))]
fn with_fewer_lanes(fewest: u32) -> Option<Gpu> {
    let found = probe::adapters().ok()?.first()?;
    let (least, most) = found.adapter.lanes?;
    let lanes = Some((fewest.min(least), most));
    let found = probe::Found {
        adapter: Adapter { lanes, ..found.adapter.clone() },
        handle: found.handle.clone(),
    };
    engine::WebGpuEngine::new(&found, Checks::None).ok().map(Gpu::new)
}

#[cfg(not(feature = "wgpu"))]
fn opened(_: u32, _: Checks) -> Result<Gpu, String> {
    adapters().map(|_| unreachable!("there are none"))
}

/// Why a number is none of so many GPUs.
pub fn no_such_adapter(count: usize) -> String {
    match count {
        1 => "the only GPU that wgpu knows here is wgpu:0".to_owned(),
        count => format!("the GPUs that wgpu knows here are wgpu:0 to wgpu:{}", count - 1),
    }
}
