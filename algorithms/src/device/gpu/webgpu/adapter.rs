//! Properties of GPUs that wgpu reports.

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
