//! GPUs of any make, by wgpu through Vulkan. Their kernels are shaders in WGSL, with the parameters
//! of the CUDA kernels of the same names.
//!
//! wgpu is an optional feature of the build; without it, no GPUs are found, and the reason is
//! reported.
//!
//! | module | holds |
//! |---|---|
//! | `probe` | finds the GPUs |
//! | `engine` | the backend |

#[cfg(feature = "wgpu")]
mod engine;
#[cfg(feature = "wgpu")]
mod probe;
#[cfg(test)]
mod tests;

use super::{DeviceError, Gpu};

/// True if this build includes wgpu.
pub const IS_BUILT: bool = cfg!(feature = "wgpu");

/// Returns all GPUs, hardware before software.
///
/// # Errors
/// The reason why there is none.
pub fn adapters() -> Result<Vec<Adapter>, String> {
    #[cfg(feature = "wgpu")]
    return probe::adapters().map(|found| found.iter().map(|one| one.adapter.clone()).collect());
    #[cfg(not(feature = "wgpu"))]
    Err("this bench was built without wgpu; build it with `--features wgpu`".to_owned())
}

/// Opens a GPU by its index.
///
/// # Errors
/// If there is no GPU of that index, or the driver refuses.
pub fn open(index: u32, checks: Checks) -> Result<Gpu, DeviceError> {
    let unusable =
        |reason: String| DeviceError::Unusable { device: format!("wgpu:{index}"), reason };
    let adapters = adapters().map_err(unusable)?;
    if index as usize >= adapters.len() {
        return Err(unusable(no_such_adapter(adapters.len())));
    }
    opened(index, checks).map_err(unusable)
}

#[cfg(feature = "wgpu")]
fn opened(index: u32, checks: Checks) -> Result<Gpu, String> {
    let found = &probe::adapters()?[index as usize];
    Ok(Gpu::new(engine::WebGpuEngine::new(found, checks)?))
}

/// Opens the first GPU, assuming that its subgroups may have as few as `min_lanes` lanes: its warps
/// are then parts of subgroups.
#[cfg(feature = "wgpu")]
pub fn with_min_lanes(min_lanes: u32) -> Option<Gpu> {
    let found = probe::adapters().ok()?.first()?;
    let (min, max) = found.adapter.lanes?;
    let lanes = Some((min_lanes.min(min), max));
    let found = probe::KnownAdapter {
        adapter: Adapter { lanes, ..found.adapter.clone() },
        handle: found.handle.clone(),
    };
    engine::WebGpuEngine::new(&found, Checks::None).ok().map(Gpu::new)
}

#[cfg(not(feature = "wgpu"))]
fn opened(_: u32, _: Checks) -> Result<Gpu, String> {
    adapters().map(|_| unreachable!("there are none"))
}

/// Message for an index out of range, if there are `count` GPUs.
pub fn no_such_adapter(count: usize) -> String {
    match count {
        1 => "the only GPU that wgpu knows here is wgpu:0".to_owned(),
        count => format!("the GPUs that wgpu knows here are wgpu:0 to wgpu:{}", count - 1),
    }
}

/// A GPU that wgpu knows, or a software renderer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adapter {
    /// Index in `wgpu:N`.
    pub number: u32,
    /// The model.
    pub name: String,
    /// The driver, with its version.
    pub driver: String,
    /// Address on the PCI bus; empty if there is none.
    pub pci_bus_id: String,
    /// Graphics API: `Vulkan`.
    pub interface: String,
    /// True if shaders run on the CPU, where times say nothing about a GPU.
    pub is_software: bool,
    /// Smallest and largest number of lanes of a subgroup; `None` if shaders have no subgroups.
    pub lanes: Option<(u32, u32)>,
    /// Maximum workgroup memory of a block in bytes.
    pub shared_bytes: u32,
    /// Maximum number of threads of a block.
    pub max_threads: u32,
    /// Maximum size of a buffer of a shader in bytes.
    pub largest_buffer: u64,
    /// True if the device has a clock.
    pub has_times: bool,
}

/// Checks that keep a wrong shader from doing harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// No checks: shaders are trusted like kernels. No bounds are checked, no loops are counted,
    /// and workgroup memory is not zeroed.
    #[default]
    None,
    /// All checks that wgpu makes for shaders of the web.
    All,
}
