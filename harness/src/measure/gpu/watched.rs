//! The GPUs of a session, with what is known of them.

use std::collections::BTreeMap;

use algorithms::device::Device;
use algorithms::device::gpu::{DeviceError, cuda, hip, webgpu};
use reports::record::Bandwidth;

use super::ceilings;
use super::watch::Watch;
use crate::platform::gpus::Gpus;

/// All GPUs that something is measured on.
#[derive(Default)]
pub(crate) struct WatchedGpus(Vec<WatchedGpu>);

/// A GPU with what is known of it.
pub(crate) struct WatchedGpu {
    device: Device,
    pub(crate) watch: Watch,
    pub(crate) bandwidth: Option<Bandwidth>,
}

impl WatchedGpus {
    /// Each GPU among these devices once.
    pub(crate) fn of(devices: impl Iterator<Item = Device>) -> Self {
        let mut gpus = WatchedGpus::default();
        for device in devices {
            if gpus.get(device).is_none()
                && let Some(watch) = watch(device)
            {
                gpus.0.push(WatchedGpu { device, watch, bandwidth: None });
            }
        }
        gpus
    }

    pub(crate) fn get(&self, device: Device) -> Option<&WatchedGpu> {
        self.0.iter().find(|state| state.device == device)
    }

    /// What can't be seen of the GPUs.
    pub(crate) fn notes(&self) -> Vec<String> {
        let of_gpu = |state: &WatchedGpu| -> Vec<String> {
            let problems = state.watch.problems().into_iter();
            let note = |problem| format!("{}: {problem}", state.device);
            problems.map(note).collect()
        };
        self.0.iter().flat_map(of_gpu).collect()
    }

    /// Measures what each GPU can do at most; returns why it could not be, where
    /// it could not: everything else is measured all the same.
    pub(crate) fn measure_bandwidths(&mut self, gpus: &Gpus, tell: impl Fn(&str)) -> Vec<String> {
        let mut notes = Vec::new();
        for state in &mut self.0 {
            tell(&format!("measuring the bandwidth of {}", state.device));
            match bandwidth(gpus, state.device) {
                Ok(bandwidth) => state.bandwidth = Some(bandwidth),
                Err(error) => notes
                    .push(format!("the bandwidth of {} was not measured: {error}", state.device)),
            }
        }
        notes
    }

    /// Bandwidths by device: `cuda:0`.
    pub(crate) fn ceilings(&self) -> BTreeMap<String, Bandwidth> {
        let named = |state: &WatchedGpu| Some((state.device.to_string(), state.bandwidth?));
        self.0.iter().filter_map(named).collect()
    }
}

fn bandwidth(gpus: &Gpus, device: Device) -> Result<Bandwidth, DeviceError> {
    let gpu = gpus.gpu(device)?;
    let measured = ceilings::bandwidth(&gpu);
    gpu.trim();
    measured
}

/// Who watches a GPU, if the device is one that can be used.
fn watch(device: Device) -> Option<Watch> {
    if let Some(number) = device.cuda_number() {
        let (_, gpus) = cuda::devices().ok()?;
        let gpu = gpus.get(number as usize)?;
        return Some(Watch::new(Box::new(cuda::monitor(gpu))));
    }
    if let Device::Hip(number) = device {
        return hip::problem_of(number).is_none().then(|| Watch::new(Box::new(hip::monitor())));
    }
    let (number, _) = device.adapter()?;
    let adapters = webgpu::adapters().ok()?;
    // GPUs of other makes have nobody who watches them.
    let bus = &adapters.get(number as usize)?.pci_bus_id;
    Some(Watch::new(Box::new(cuda::monitor_at(bus))))
}
