//! Clocks, limits and energy, from the management library (NVML) that comes with the driver.

use std::sync::OnceLock;

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use super::CudaGpu;
use crate::monitor::{Limit, Monitor};

/// Unit of the library in joules.
const MILLIJOULE: f64 = 1e-3;

/// Unit of the library in watts.
const MILLIWATT: f64 = 1e-3;

/// Reason why energy and limits of an instance are unavailable.
const SHARED: &str = "the value is that of the card, which other instances share (MIG)";

/// Monitor of a GPU. The library is loaded at the first query.
pub fn monitor(gpu: &CudaGpu) -> impl Monitor + use<> {
    NvmlMonitor { pci_bus_id: gpu.pci_bus_id.clone(), is_instance: gpu.is_instance() }
}

/// Monitor of a GPU by its PCI bus address, whichever API uses it.
pub fn monitor_at(pci_bus_id: &str) -> impl Monitor + use<> {
    NvmlMonitor { pci_bus_id: pci_bus_id.to_owned(), is_instance: false }
}

/// Settings of a card, as far as the management library reports them. Those of an instance (MIG)
/// are of its card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Unique identifier of the card.
    pub uuid: Option<String>,
    /// True if memory is protected by ECC.
    pub ecc: Option<bool>,
    /// Power limit in watts.
    pub power_limit_w: Option<f64>,
    /// Default power limit in watts.
    pub default_power_limit_w: Option<f64>,
    /// Power limit in force in watts: the lowest of all limits.
    pub enforced_power_limit_w: Option<f64>,
    /// Application clock of the multiprocessors in MHz.
    pub application_clock_mhz: Option<u32>,
    /// Application clock of the memory in MHz.
    pub application_memory_clock_mhz: Option<u32>,
    /// Highest clock of the multiprocessors in MHz.
    pub max_clock_mhz: Option<u32>,
    /// Highest clock of the memory in MHz.
    pub max_memory_clock_mhz: Option<u32>,
}

/// Reads the settings of a card.
pub fn settings(gpu: &CudaGpu) -> Settings {
    let monitor = NvmlMonitor { pci_bus_id: gpu.pci_bus_id.clone(), is_instance: false };
    let watts = |milliwatts: u32| f64::from(milliwatts) * MILLIWATT;
    let ecc = monitor.ask(Device::is_ecc_enabled).ok();
    let application = |clock| monitor.ask(|device| device.applications_clock(clock)).ok();
    let max = |clock| monitor.ask(|device| device.max_clock_info(clock)).ok();
    Settings {
        uuid: monitor.ask(Device::uuid).ok(),
        ecc: ecc.map(|ecc| ecc.currently_enabled),
        power_limit_w: monitor.ask(Device::power_management_limit).ok().map(watts),
        default_power_limit_w: monitor.ask(Device::power_management_limit_default).ok().map(watts),
        enforced_power_limit_w: monitor.ask(Device::enforced_power_limit).ok().map(watts),
        application_clock_mhz: application(Clock::SM),
        application_memory_clock_mhz: application(Clock::Memory),
        max_clock_mhz: max(Clock::SM),
        max_memory_clock_mhz: max(Clock::Memory),
    }
}

/// Returns the version of the driver, as `580.65.06`.
///
/// # Errors
/// The reason why it is unavailable.
pub fn driver_version() -> Result<String, String> {
    nvml()?.sys_driver_version().map_err(|error| error.to_string())
}

struct NvmlMonitor {
    /// Used instead of the index, because the library also counts GPUs that this process may not
    /// use.
    pci_bus_id: String,
    /// True if it is an instance of the card at that address.
    is_instance: bool,
}

impl NvmlMonitor {
    /// Refuses values that the library has for the card as a whole only.
    fn refuse_instance(&self) -> Result<(), String> {
        if self.is_instance { Err(SHARED.to_owned()) } else { Ok(()) }
    }

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

    fn max_clock_mhz(&self) -> Result<u32, String> {
        self.ask(|device| device.max_clock_info(Clock::SM))
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        self.refuse_instance()?;
        self.ask(Device::current_throttle_reasons).map(limits)
    }

    fn energy_j(&self) -> Result<f64, String> {
        self.refuse_instance()?;
        let energy = self.ask(Device::total_energy_consumption);
        energy.map(|millijoules| millijoules as f64 * MILLIJOULE)
    }
}

/// The library, loaded once because this takes milliseconds.
fn nvml() -> Result<&'static Nvml, String> {
    static NVML: OnceLock<Result<Nvml, String>> = OnceLock::new();
    let loaded = NVML.get_or_init(|| Nvml::init().map_err(|error| error.to_string()));
    loaded.as_ref().map_err(Clone::clone)
}

/// Clocks that the user has set are not limits.
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
    fn only_reasons_for_a_reduced_clock_are_limits() {
        let idle = ThrottleReasons::GPU_IDLE | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING;
        assert_eq!(limits(idle), []);
        let both = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(limits(both | idle), [Limit::Power, Limit::Heat]);
        assert_eq!(limits(ThrottleReasons::HW_SLOWDOWN), [Limit::Hardware]);
    }

    #[test]
    fn energy_and_limits_of_a_shared_card_are_refused_with_the_reason() {
        let instance = NvmlMonitor { pci_bus_id: "0000:00:00.0".to_owned(), is_instance: true };
        assert_eq!(instance.energy_j(), Err(SHARED.to_owned()));
        assert_eq!(instance.limits(), Err(SHARED.to_owned()));
    }

    #[test]
    fn a_missing_library_is_reported() {
        if let Err(reason) = driver_version() {
            assert!(!reason.is_empty());
        }
    }
}
