//! What a GPU tells of itself.

/// A GPU that wgpu knows, or software that does what one would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adapter {
    /// The number in `wgpu:N`.
    pub number: u32,
    /// The model.
    pub name: String,
    /// The driver, with its version.
    pub driver: String,
    /// The address on the PCI bus; empty if it has none.
    pub pci_bus_id: String,
    /// What the driver is spoken to by: `Vulkan`.
    pub interface: String,
    /// Whether it is a program on the CPU: right or wrong, but never fast or slow.
    pub is_software: bool,
    /// The smallest and the largest number of lanes of a subgroup; `None` where shaders have no
    /// subgroups.
    pub lanes: Option<(u32, u32)>,
    /// Bytes of workgroup memory that a block can have.
    pub shared_bytes: u32,
    /// Threads that a block can have.
    pub most_threads: u32,
    /// Bytes of the largest buffer that a shader can have.
    pub largest_buffer: u64,
    /// Whether it takes times.
    pub has_times: bool,
}

/// What is done so that a wrong shader does no harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// Nothing: shaders are trusted as kernels are. No bounds are checked, no loops are counted,
    /// and workgroup memory is not set to zero.
    #[default]
    None,
    /// All that wgpu does for shaders of the web.
    All,
}
