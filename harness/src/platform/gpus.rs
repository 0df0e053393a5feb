//! GPUs of a session, each opened when it is first used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use portable_gpu::cuda::{self, ContextSharing};
use portable_gpu::emulator::Config;
use portable_gpu::monitor::Monitor;
use portable_gpu::{DeviceError, Gpu, hip, webgpu};
use tasks::device::{Backend, Device, Target, Team};
use tasks::plugin;
use text::Untrusted;

/// GPUs by name.
#[derive(Default)]
pub struct Gpus {
    open: Mutex<HashMap<Device, Arc<Gpu>>>,
    emulator: Config,
}

impl Gpus {
    /// GPUs, with an emulator of this configuration.
    pub fn with_emulator(config: Config) -> Self {
        Gpus { emulator: config, ..Gpus::default() }
    }

    /// Execution target on a device. A GPU on which a kernel has failed is reopened, because its
    /// old context is unusable; with plugins, which use that context too, this is not possible.
    ///
    /// # Errors
    /// If the device can't be used.
    pub fn target<'a>(&self, device: Device, team: &'a Team) -> Result<Target<'a>, DeviceError> {
        let gpu = match device {
            Device::Cpu => return Ok(Target::host(team)),
            _ => Some(self.gpu(device)?),
        };
        Ok(Target { device, gpu, team })
    }

    /// GPU of a device; see [`Gpus::target`].
    ///
    /// # Errors
    /// If it can't be used.
    pub fn gpu(&self, device: Device) -> Result<Arc<Gpu>, DeviceError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get(&device) {
            Some(gpu) if !gpu.is_lost() => return Ok(Arc::clone(gpu)),
            Some(_) if sharing() == ContextSharing::Primary => return Err(lost(device)),
            _ => open.remove(&device),
        };
        let gpu = Arc::new(match (device, device.cuda_number(), device.adapter()) {
            (_, Some(number), _) => cuda::open(number, sharing())?,
            (_, _, Some((number, checks))) => webgpu::open(number, checks)?,
            (Device::Hip(number), ..) => hip::open(number)?,
            _ => Gpu::emulated(self.emulator)?,
        });
        open.insert(device, Arc::clone(&gpu));
        Ok(gpu)
    }

    /// Releases unused memory of all GPUs.
    pub fn trim(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().for_each(|gpu| gpu.trim());
    }
}

/// Plugins for GPUs use the primary context; then everything else uses it, too, so that no GPU has
/// to switch contexts between samples.
fn sharing() -> ContextSharing {
    if plugin::any_for(Backend::Cuda) { ContextSharing::Primary } else { ContextSharing::Own }
}

fn lost(device: Device) -> DeviceError {
    DeviceError::Unusable {
        device: device.to_string(),
        reason: "a kernel failed in the context that plugins share; leave out the variant that \
                 failed"
            .to_owned(),
    }
}

/// The CPU and every usable GPU; each by its vendor's driver only, so that none is listed twice.
pub fn usable_devices() -> Vec<Device> {
    let gpus = cuda::devices().map_or(0, |(_, gpus)| gpus.len());
    let numbers = 0..u32::try_from(gpus).unwrap_or(u32::MAX);
    std::iter::once(Device::Cpu).chain(numbers.map(Device::Cuda)).collect()
}

/// Reason for a device to be unusable; `None` if it is usable.
pub fn problem_of(device: Device) -> Option<String> {
    let known = |number: u32| match cuda::devices() {
        Err(reason) => Some(reason),
        Ok((_, gpus)) if number as usize >= gpus.len() => Some(cuda::no_such_gpu(gpus.len())),
        Ok(_) => None,
    };
    match device {
        Device::Cpu => None,
        Device::Cuda(number) | Device::CudaAgain(number) => known(number),
        Device::Hip(number) => hip::problem_of(number),
        Device::Wgpu(number) | Device::WgpuChecked(number) => problem_of_adapter(number),
        Device::Emulator => portable_gpu::emulator::unavailable().map(str::to_owned),
    }
}

fn problem_of_adapter(number: u32) -> Option<String> {
    match webgpu::adapters() {
        Err(reason) => Some(reason),
        Ok(adapters) if number as usize >= adapters.len() => {
            Some(webgpu::no_such_adapter(adapters.len()))
        }
        Ok(_) => None,
    }
}

/// Monitor of a GPU, if the device has one and it is usable.
pub(crate) fn monitor(device: Device) -> Option<Box<dyn Monitor>> {
    if let Some(number) = device.cuda_number() {
        let (_, gpus) = cuda::devices().ok()?;
        return Some(Box::new(cuda::monitor(gpus.get(number as usize)?)));
    }
    if let Device::Hip(number) = device {
        return hip::problem_of(number).is_none().then(|| Box::new(hip::monitor()) as _);
    }
    let (number, _) = device.adapter()?;
    let adapters = webgpu::adapters().ok()?;
    // Only NVIDIA GPUs have monitors.
    let bus = &adapters.get(number as usize)?.pci_bus_id;
    Some(Box::new(cuda::monitor_at(bus)))
}

/// Reason for not measuring on a device; `None` if something can be measured.
pub fn why_not_measured(device: Device) -> Option<String> {
    problem_of(device).or_else(|| only_verifies(device))
}

/// Reason for not measuring on a usable device; `None` if it is to be measured.
pub fn only_verifies(device: Device) -> Option<String> {
    let shows = "whether kernels are right, not how fast they are";
    let why = match device {
        Device::Emulator => format!("the emulator shows {shows}"),
        Device::Wgpu(number) | Device::WgpuChecked(number) => {
            let adapters = webgpu::adapters().ok()?;
            let adapter = adapters.get(number as usize).filter(|it| it.is_software)?;
            format!("{device} is software, {}, which shows {shows}", adapter.name.escaped())
        }
        _ => return None,
    };
    Some(format!("{why}; use `bench verify --device {device}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_always_usable_and_comes_first() {
        assert_eq!(usable_devices()[0], Device::Cpu);
        assert_eq!(problem_of(Device::Cpu), None);
    }

    #[test]
    fn a_missing_gpu_has_a_reason() {
        let reason = problem_of(Device::Cuda(9999)).expect("the machine has fewer GPUs");
        let error = cuda::open(9999, ContextSharing::Own).err();
        let text = error.expect("it can't be opened").to_string();
        let is_named = text.contains("cuda:9999");
        assert!(is_named && text.contains(&reason), "{text}");
    }
}
