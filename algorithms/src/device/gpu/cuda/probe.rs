//! Which GPUs there are.

use std::mem;
use std::sync::OnceLock;

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};

use crate::device::gpu::driver_library;

/// Which context a GPU is used in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextSharing {
    /// One of its own: after a failed kernel, which spoils its context, a new one is
    /// as good as the first.
    Own,
    /// The primary one, which is the only one that the CUDA runtime in plugins uses, and which
    /// several GPUs of the same number share so that their kernels run side by side: contexts
    /// take turns. After a failed kernel it can't be had anew, since others hold it, too.
    Primary,
}

/// By what names the driver's library is sought: with development files, and without them.
const LIBRARIES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// The oldest driver whose functions are all that are called here: for CUDA 12.0.
const OLDEST_DRIVER: i32 = 12_000;

/// The driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The newest CUDA that it is for: 13000 for CUDA 13.0.
    pub cuda_version: i32,
}

/// A GPU that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaGpu {
    /// Its number.
    pub number: u32,
    /// The model.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads that a multiprocessor can have at once.
    pub multiprocessor_threads: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of shared memory that a block can ask for.
    pub shared_bytes: u32,
    /// The address on the PCI bus, which tools for the administration know it by.
    pub pci_bus_id: String,
}

impl CudaGpu {
    /// Whether it is an instance of a card that is shared out (MIG), by its name:
    /// `NVIDIA H100 80GB HBM3 MIG 1g.10gb`.
    pub fn is_instance(&self) -> bool {
        self.name.contains(" MIG ")
    }
}

impl Driver {
    /// `CUDA 13.0`
    pub fn name(&self) -> String {
        let (major, minor) = (self.cuda_version / 1000, self.cuda_version % 1000 / 10);
        format!("CUDA {major}.{minor}")
    }

    /// Whether it is for this version of CUDA, or a newer one.
    pub fn is_for(&self, major: i32) -> bool {
        self.cuda_version >= major * 1000
    }
}

impl CudaGpu {
    /// Whether it is one that another driver knows by this model and address on the PCI bus: by
    /// the addresses, or, where one has none, by the models.
    pub fn is_same_as(&self, model: &str, pci_bus_id: &str) -> bool {
        match (address(&self.pci_bus_id), address(pci_bus_id)) {
            (Some(own), Some(other)) => own == other,
            _ => self.name == model,
        }
    }
}

/// Domain, bus, device and function of `0000:65:00.0`, which some drivers write with more zeros or
/// in capitals.
fn address(text: &str) -> Option<[u32; 4]> {
    let numbers = text.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok());
    let numbers: Option<Vec<u32>> = numbers.collect();
    numbers?.try_into().ok()
}

/// The driver and all GPUs, in the order of their numbers; there is one at least.
///
/// # Errors
/// Why none can be used, in words.
pub fn devices() -> Result<(Driver, Vec<CudaGpu>), String> {
    static FOUND: OnceLock<Result<(Driver, Vec<CudaGpu>), String>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Result<(Driver, Vec<CudaGpu>), String> {
    let library = driver_library::first_of(&LIBRARIES).map_err(|problem| match problem {
        Some(problem) => format!("the NVIDIA driver can't be loaded: {problem}"),
        None => "there is no NVIDIA driver (libcuda.so was not found)".to_owned(),
    })?;
    // cudarc loads it at the first call, and panics if it can't: it is never unloaded, so that no
    // memory is needed for it then.
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
    let gpus = (0..count).map(|number| describe(number).map_err(no_gpu));
    let gpus: Vec<_> = gpus.collect::<Result<_, _>>()?;
    if gpus.is_empty() {
        return Err("the driver knows of no GPU".to_owned());
    }
    Ok((driver, gpus))
}

/// Asked for before anything else, as all drivers know how to answer this.
fn driver_version() -> Result<Driver, String> {
    let mut cuda_version = 0;
    // SAFETY: the driver writes a number to the place that it is given.
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

fn describe(number: i32) -> Result<CudaGpu, DriverError> {
    let device = result::device::get(number)?;
    // SAFETY: the device is one that the driver just gave.
    let attribute = |name| unsafe { result::device::get_attribute(device, name) };
    let unsigned = |name| attribute(name).map(|value| value.max(0) as u32);
    let pci = [
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
    ];
    Ok(CudaGpu {
        number: number as u32,
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
        // SAFETY: as above.
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
    fn looking_never_panics_and_tells_the_reason() {
        match devices() {
            Ok((driver, gpus)) => assert!(driver.is_for(12) && !gpus.is_empty()),
            Err(reason) => assert!(reason.contains("NVIDIA") || reason.contains("GPU"), "{reason}"),
        }
    }
}
