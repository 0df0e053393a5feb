//! Finds the GPUs.

use std::mem;
use std::sync::OnceLock;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};

use crate::driver_library;

/// Context that a GPU is used in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextSharing {
    /// A separate context: after a failed kernel, which makes its context unusable, a new one can
    /// be created.
    Own,
    /// The primary context: the only one that the CUDA runtime in plugins uses. Several GPUs of the
    /// same index share it so that their kernels run concurrently, while contexts are time-sliced.
    /// After a failed kernel it can't be created again, since others hold it, too.
    Primary,
}

/// File names of the driver's library, with development files and without them.
const LIBRARIES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// Oldest driver that has all functions called here: CUDA 12.0.
const OLDEST_DRIVER: i32 = 12_000;

/// The driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Latest CUDA version that it supports: 13000 for CUDA 13.0.
    pub cuda_version: i32,
}

/// A GPU that the driver reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaGpu {
    /// Index of the GPU.
    pub number: u32,
    /// The model.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Maximum number of resident threads of a multiprocessor.
    pub multiprocessor_threads: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Maximum shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// Address on the PCI bus, which administration tools use.
    pub pci_bus_id: String,
}

impl CudaGpu {
    /// True if it is an instance of a partitioned card (MIG), by its name: `NVIDIA H100 80GB HBM3
    /// MIG 1g.10gb`.
    pub fn is_instance(&self) -> bool {
        self.name.contains(" MIG ")
    }
}

impl Driver {
    /// Name of the version: `CUDA 13.0`.
    pub fn name(&self) -> String {
        let major = self.cuda_version / 1000;
        let minor = self.cuda_version % 1000 / 10;
        format!("CUDA {major}.{minor}")
    }

    /// True if it supports this major version of CUDA.
    pub fn is_for(&self, major: i32) -> bool {
        self.cuda_version >= major * 1000
    }
}

impl CudaGpu {
    /// True if another driver's model name and PCI bus address are those of this GPU: compares the
    /// addresses, or, if one has none, the models.
    pub fn is_same_as(&self, model: &str, pci_bus_id: &str) -> bool {
        match (address(&self.pci_bus_id), address(pci_bus_id)) {
            (Some(own), Some(other)) => own == other,
            _ => self.name == model,
        }
    }
}

/// Parses domain, bus, device and function of `0000:65:00.0`; some drivers write more zeros or
/// capitals.
fn address(text: &str) -> Option<[u32; 4]> {
    let numbers = text.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok());
    let numbers: Option<Vec<u32>> = numbers.collect();
    numbers?.try_into().ok()
}

/// Returns the driver and all GPUs, at least one, ordered by index.
///
/// # Errors
/// The reason why none can be used, as text.
pub fn devices() -> Result<(Driver, Vec<CudaGpu>), String> {
    static FOUND: OnceLock<Result<(Driver, Vec<CudaGpu>), String>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Result<(Driver, Vec<CudaGpu>), String> {
    let library = driver_library::first_of(&LIBRARIES).map_err(|problem| match problem {
        Some(problem) => format!("the NVIDIA driver can't be loaded: {problem}"),
        None => "there is no NVIDIA driver (libcuda.so was not found)".to_owned(),
    })?;
    // cudarc loads the library at its first call, and panics on failure. Leaked, so that it stays
    // loaded and that call finds it.
    mem::forget(library);
    let driver = driver_version()?;
    if driver.cuda_version < OLDEST_DRIVER {
        let name = driver.name();
        return Err(format!(
            "the driver is for {name}; one for CUDA 12.0 or newer is needed (525 or later)"
        ));
    }
    result::init().map_err(no_gpu)?;
    let count = result::device::get_count().map_err(no_gpu)?;
    let gpus = (0..count).map(|index| describe(index).map_err(no_gpu));
    let gpus: Vec<_> = gpus.collect::<Result<_, _>>()?;
    if gpus.is_empty() {
        return Err("the driver knows of no GPU".to_owned());
    }
    Ok((driver, gpus))
}

/// Called first, because drivers of all versions support this function.
fn driver_version() -> Result<Driver, String> {
    let mut cuda_version = 0;
    // SAFETY: the driver writes an integer to this variable.
    let answer = unsafe { sys::cuDriverGetVersion(&raw mut cuda_version) };
    answer.result().map_err(no_gpu)?;
    Ok(Driver { cuda_version })
}

fn no_gpu(error: DriverError) -> String {
    match error.0 {
        sys::CUresult::CUDA_ERROR_NO_DEVICE => {
            "there is an NVIDIA driver, but no GPU that it may use".to_owned()
        }
        _ => format!("the NVIDIA driver does not work: {}", error),
    }
}

fn describe(index: i32) -> Result<CudaGpu, DriverError> {
    let device = result::device::get(index)?;
    // SAFETY: the driver just returned this device.
    let attribute = |name| unsafe { result::device::get_attribute(device, name) };
    let unsigned = |name| attribute(name).map(|value| value.max(0) as u32);
    let pci = [
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
    ];
    Ok(CudaGpu {
        number: index as u32,
        name: result::device::get_name(device)?,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        multiprocessor_threads: unsigned(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        )?,
        l2_bytes: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        // SAFETY: the driver just returned this device.
        memory_bytes: unsafe { result::device::total_mem(device) }? as u64,
        shared_bytes: unsigned(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        pci_bus_id: format!("{:08x}:{:02x}:{:02x}.0", pci[0], pci[1], pci[2]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_names() {
        let driver = Driver { cuda_version: 12_040 };
        assert_eq!(driver.name(), "CUDA 12.4");
        assert!(driver.is_for(12) && !driver.is_for(13));
    }

    #[test]
    fn probing_never_panics_and_reports_the_reason() {
        match devices() {
            Ok((driver, gpus)) => assert!(driver.is_for(12) && !gpus.is_empty()),
            Err(reason) => assert!(reason.contains("NVIDIA") || reason.contains("GPU"), "{reason}"),
        }
    }
}
