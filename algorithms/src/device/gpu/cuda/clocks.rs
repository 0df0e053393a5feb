//! Clocks, by the management library (NVML) that comes with the driver.

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;

use super::CudaGpu;

/// Clocks of the multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Now, in MHz.
    pub now_mhz: u32,
    /// The highest, in MHz.
    pub most_mhz: u32,
}

/// The clocks of a GPU now.
///
/// # Errors
/// Why they can't be told, in words.
pub fn clocks(gpu: &CudaGpu) -> Result<Clocks, String> {
    read(gpu).map_err(super::words)
}

fn read(gpu: &CudaGpu) -> Result<Clocks, NvmlError> {
    let nvml = Nvml::init()?;
    // Not by its number: the library counts GPUs that this process may not use.
    let device = nvml.device_by_pci_bus_id(gpu.pci_bus_id.as_str())?;
    Ok(Clocks {
        now_mhz: device.clock_info(Clock::SM)?,
        most_mhz: device.max_clock_info(Clock::SM)?,
    })
}
