//! GPUs of a session, with their monitors and bandwidths, and as in the record of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use portable_gpu::webgpu::{self, Checks};
use portable_gpu::{DeviceError, hip};
use reports::record::{Adapter, Bandwidth, HipGpu, Shaders};
use tasks::device::Device;

use super::ceilings;
use super::watch::Watch;
use crate::plan::Plan;
use crate::platform::gpus::{self, Gpus};

/// All GPUs that are measured.
#[derive(Default)]
pub(crate) struct WatchedGpus(Vec<WatchedGpu>);

/// A GPU with its monitor and bandwidth.
pub(crate) struct WatchedGpu {
    device: Device,
    pub(crate) watch: Watch,
    /// Empty until it is measured.
    pub(crate) bandwidth: OnceLock<Bandwidth>,
}

impl WatchedGpus {
    /// Collects each GPU among these devices once.
    pub(crate) fn new(devices: impl Iterator<Item = Device>) -> Self {
        let mut watched = WatchedGpus::default();
        for device in devices {
            if watched.get(device).is_none()
                && let Some(monitor) = gpus::monitor(device)
            {
                let watch = Watch::new(monitor);
                watched.0.push(WatchedGpu { device, watch, bandwidth: OnceLock::new() });
            }
        }
        watched
    }

    pub(crate) fn get(&self, device: Device) -> Option<&WatchedGpu> {
        self.0.iter().find(|state| state.device == device)
    }

    /// The GPUs.
    pub(crate) fn devices(&self) -> impl Iterator<Item = Device> {
        self.0.iter().map(|state| state.device)
    }

    /// Notes on readings that are not available.
    pub(crate) fn notes(&self) -> Vec<String> {
        let of_gpu = |state: &WatchedGpu| -> Vec<String> {
            let problems = state.watch.problems().into_iter();
            let note = |problem| format!("{}: {problem}", state.device);
            problems.map(note).collect()
        };
        self.0.iter().flat_map(of_gpu).collect()
    }

    /// Measures the bandwidths of each GPU; returns the errors of GPUs where that failed, which
    /// does not affect the rest of the run.
    pub(crate) fn measure_bandwidths(&self, gpus: &Gpus, report: impl Fn(&str)) -> Vec<String> {
        let mut notes = Vec::new();
        for state in &self.0 {
            report(&format!("measuring the bandwidth of {}", state.device));
            match bandwidth(gpus, state.device) {
                Ok(bandwidth) => {
                    state.bandwidth.get_or_init(|| bandwidth);
                }
                Err(error) => notes
                    .push(format!("the bandwidth of {} was not measured: {error}", state.device)),
            }
        }
        notes
    }

    /// Bandwidths by device, such as `cuda:0`.
    pub(crate) fn ceilings(&self) -> BTreeMap<String, Bandwidth> {
        let named = |state: &WatchedGpu| Some((state.device.to_string(), *state.bandwidth.get()?));
        self.0.iter().filter_map(named).collect()
    }
}

fn bandwidth(gpus: &Gpus, device: Device) -> Result<Bandwidth, DeviceError> {
    let gpu = gpus.gpu(device)?;
    let measured = ceilings::bandwidth(&gpu);
    gpu.trim();
    measured
}

/// AMD GPUs used by candidates of these plans.
pub(crate) fn hip_gpus<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<HipGpu> {
    let inputs = plans.flat_map(|plan| &plan.inputs);
    let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
    let numbers: BTreeSet<u32> = devices.filter_map(number).collect();
    let gpus = hip::devices().unwrap_or_default().iter();
    gpus.filter(|gpu| numbers.contains(&gpu.number)).map(described).collect()
}

fn number(device: Device) -> Option<u32> {
    if let Device::Hip(number) = device { Some(number) } else { None }
}

fn described(gpu: &hip::HipGpu) -> HipGpu {
    HipGpu {
        device: Device::Hip(gpu.number).to_string(),
        model: gpu.name.clone(),
        architecture: gpu.architecture.clone(),
        runtime: gpu.runtime.clone(),
        lanes: gpu.lanes,
        memory_bytes: gpu.memory_bytes,
    }
}

/// GPUs on which candidates of these plans run shaders; `None` if there are none.
pub(crate) fn shaders<'a>(plans: impl Iterator<Item = &'a Plan> + Clone) -> Option<Shaders> {
    let inputs = plans.flat_map(|plan| &plan.inputs);
    let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
    let opened: BTreeSet<_> = devices.filter_map(Device::adapter).collect();
    let checked = opened.iter().all(|(_, checks)| *checks == Checks::All);
    let adapters: Vec<_> =
        opened.into_iter().filter_map(|(number, checks)| adapter(number, checks)).collect();
    (!adapters.is_empty()).then_some(Shaders { adapters, checked })
}

fn adapter(number: u32, checks: Checks) -> Option<Adapter> {
    let known = webgpu::adapters().ok()?.into_iter().nth(number as usize)?;
    let device = Device::Wgpu(number);
    let device = if checks == Checks::All { device.checked() } else { device };
    Some(Adapter {
        device: device.to_string(),
        model: known.name,
        driver: known.driver,
        interface: known.interface,
        lanes: known.lanes.map_or(Vec::new(), |(min, max)| vec![min, max]),
    })
}
