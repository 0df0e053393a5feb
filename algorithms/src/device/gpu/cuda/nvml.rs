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

/// And in thousandths of a watt.
const MILLIWATT: f64 = 1e-3;

/// Why energy and limits of an instance are not known.
const SHARED: &str = "it is that of the whole card, which other instances share (MIG)";

/// Who watches a GPU. Whether there is a library is seen when it is asked.
pub fn monitor(gpu: &CudaGpu) -> impl Monitor + use<> {
    NvmlMonitor { pci_bus_id: gpu.pci_bus_id.clone(), is_instance: gpu.is_instance() }
}

/// The same of a GPU by its address on the PCI bus, whoever uses it.
pub fn monitor_at(pci_bus_id: &str) -> impl Monitor + use<> {
    NvmlMonitor { pci_bus_id: pci_bus_id.to_owned(), is_instance: false }
}

/// Settings of a card, as far as the management library knows them. Those of an instance (MIG) are
/// of its whole card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Identifier of this very card.
    pub uuid: Option<String>,
    /// Whether memory is protected by ECC.
    pub ecc: Option<bool>,
    /// Limit of the power draw in watts.
    pub power_limit_w: Option<f64>,
    /// Limit of the power draw by default, in watts.
    pub default_power_limit_w: Option<f64>,
    /// Clock of the multiprocessors that applications are set to, in MHz.
    pub application_clock_mhz: Option<u32>,
}

/// Reads the settings of a card.
pub fn settings(gpu: &CudaGpu) -> Settings {
    let monitor = NvmlMonitor { pci_bus_id: gpu.pci_bus_id.clone(), is_instance: false };
    let watts = |milliwatts: u32| f64::from(milliwatts) * MILLIWATT;
    let ecc = monitor.ask(Device::is_ecc_enabled).ok();
    let clock = monitor.ask(|device| device.applications_clock(Clock::SM)).ok();
    Settings {
        uuid: monitor.ask(Device::uuid).ok(),
        ecc: ecc.map(|ecc| ecc.currently_enabled),
        power_limit_w: monitor.ask(Device::power_management_limit).ok().map(watts),
        default_power_limit_w: monitor.ask(Device::power_management_limit_default).ok().map(watts),
        application_clock_mhz: clock,
    }
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
    /// Whether it is an instance of the card at that address.
    is_instance: bool,
}

impl NvmlMonitor {
    /// Refuses what the library knows of the whole card alone.
    fn of_this_alone(&self) -> Result<(), String> {
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

    fn most_clock_mhz(&self) -> Result<u32, String> {
        self.ask(|device| device.max_clock_info(Clock::SM))
    }

    fn limits(&self) -> Result<Vec<Limit>, String> {
        self.of_this_alone()?;
        self.ask(Device::current_throttle_reasons).map(limits)
    }

    fn energy_j(&self) -> Result<f64, String> {
        self.of_this_alone()?;
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
    fn energy_and_limits_of_a_shared_card_are_left_out_with_the_reason() {
        let instance = NvmlMonitor { pci_bus_id: "0000:00:00.0".to_owned(), is_instance: true };
        assert_eq!(instance.energy_j(), Err(SHARED.to_owned()));
        assert_eq!(instance.limits(), Err(SHARED.to_owned()));
    }

    #[test]
    fn a_library_that_is_not_there_is_told() {
        if let Err(reason) = driver_version() {
            assert!(!reason.is_empty());
        }
    }
}
