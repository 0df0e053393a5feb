//! Clocks, limits and energy, by the management library (NVML) that comes with
//! the driver.

use std::sync::OnceLock;

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::CudaGpu;
use crate::device::gpu::monitor::{Limit, Monitor};

/// The library counts in thousandths of a joule.
const MILLIJOULE: f64 = 1e-3;

/// Who watches a GPU. Whether there is a library is seen when it is asked.
pub fn monitor(gpu: &CudaGpu) -> impl Monitor + use<> {
    monitor_at(&gpu.pci_bus_id)
}

/// The same of a GPU by its address on the PCI bus, whoever uses it.
pub fn monitor_at(pci_bus_id: &str) -> impl Monitor + use<> {
    NvmlMonitor { pci_bus_id: pci_bus_id.to_owned() }
}

/// The version of the driver, as `580.65.06`.
///
/// # Errors
/// Why it can't be told, in words.
pub fn driver_version() -> Result<String, String> {
    nvml()?.sys_driver_version().map_err(|error| error.to_string())
}

struct NvmlMonitor {
    /// Not its number: the library counts GPUs that this process may not use.
    pci_bus_id: String,
}

impl NvmlMonitor {
    fn ask<R>(
        &self,
        question: impl FnOnce(&Device<'static>) -> Result<R, NvmlError>,
    ) -> Result<R, String> {
        let device = nvml()?.device_by_pci_bus_id(self.pci_bus_id.as_str());
        device.and_then(|device| question(&device)).map_err(|error| error.to_string())
    }
}

impl Monitor for NvmlMonitor {
    fn clock_mhz(&self) -> Result<u32, String> {
        self.ask(|device| device.clock_info(Clock::SM))
    }

    fn most_clock_mhz(&self) -> Result<u32, String> {
        self.ask(|device| device.max_clock_info(Clock::SM))
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        self.ask(Device::current_throttle_reasons).map(limits)
    }

    fn energy_j(&self) -> Result<f64, String> {
        let energy = self.ask(Device::total_energy_consumption);
        energy.map(|millijoules| millijoules as f64 * MILLIJOULE)
    }
}

/// The library, loaded once: that takes milliseconds.
fn nvml() -> Result<&'static Nvml, String> {
    static NVML: OnceLock<Result<Nvml, String>> = OnceLock::new();
    let loaded = NVML.get_or_init(|| Nvml::init().map_err(|error| error.to_string()));
    loaded.as_ref().map_err(Clone::clone)
}

/// Clocks that somebody has set are no limit: they are what is wanted.
fn limits(reasons: ThrottleReasons) -> Vec<Limit> {
    let heat = ThrottleReasons::SW_THERMAL_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
    let hardware = ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN;
    let known = [
        (ThrottleReasons::SW_POWER_CAP, Limit::Power),
        (heat, Limit::Heat),
        (hardware, Limit::Hardware),
    ];
    let set = known.into_iter().filter(|(some, _)| reasons.intersects(*some));
    set.map(|(_, limit)| limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_the_clock_down_is_a_limit() {
        let idle = ThrottleReasons::GPU_IDLE | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING;
        assert_eq!(limits(idle), []);
        let both = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(limits(both | idle), [Limit::Power, Limit::Heat]);
        assert_eq!(limits(ThrottleReasons::HW_SLOWDOWN), [Limit::Hardware]);
    }

    #[test]
    fn a_library_that_is_not_there_is_told() {
        if let Err(reason) = driver_version() {
            assert!(!reason.is_empty());
        }
    }
}
