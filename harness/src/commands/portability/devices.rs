//! Identification of the GPU by both names: of the vendor's driver and of wgpu.

use portable_gpu::cuda::{self, CudaGpu};
use portable_gpu::webgpu::{self, Adapter};
use tasks::device::Device;
use text::Untrusted;

use crate::failure::Failure;
use crate::platform::gpus::only_verifies;

/// Reason why there is no GPU to compare kernels on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoGpu {
    #[error("nothing was measured: native kernels need a GPU by NVIDIA: {0}")]
    NoCuda(String),
    #[error(
        "nothing was measured: there is nothing that shaders run on: {reason}; with --device \
         {native} alone, what is written otherwise in CUDA is compared"
    )]
    NoAdapter { native: Device, reason: String },
    #[error(
        "nothing was measured: wgpu does not know {native} ({model}), but {known}; in a container, \
         NVIDIA_DRIVER_CAPABILITIES=graphics,compute gives it the driver for Vulkan; with --device \
         {native} alone, what is written otherwise in CUDA is compared"
    )]
    Unknown { native: Device, model: String, known: String },
    #[error("nothing was measured: {0}")]
    Software(String),
    #[error("--device {native},{adapter}: these are two GPUs, {native_model} and {adapter_model}")]
    TwoGpus { native: Device, adapter: Device, native_model: String, adapter_model: String },
    #[error("--device takes a GPU as cuda:N and, for shaders, as wgpu:N: {0} is neither")]
    Neither(Device),
    #[error("--device names no cuda:N: there are no native kernels to compare with")]
    NoNative,
    #[error("--device takes one GPU: one cuda:N, and one wgpu:N")]
    SeveralGpus,
}

/// GPUs of this machine.
pub(super) struct Gpus {
    /// CUDA GPUs, or the reason why there are none.
    pub(super) cuda: Result<Vec<CudaGpu>, String>,
    /// GPUs known to wgpu, or the reason why there are none.
    pub(super) adapters: Result<Vec<Adapter>, String>,
}

/// A GPU to compare kernels on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OneGpu {
    /// Index N of `cuda:N`.
    native: u32,
    /// Index N of `wgpu:N`; `None` if no shaders are compared.
    adapter: Option<u32>,
}

impl NoGpu {
    fn is_usage(&self) -> bool {
        use NoGpu::{Neither, NoNative, SeveralGpus, TwoGpus};
        matches!(self, TwoGpus { .. } | Neither(_) | NoNative | SeveralGpus)
    }
}

impl From<NoGpu> for Failure {
    fn from(why: NoGpu) -> Self {
        let text = why.to_string();
        if why.is_usage() { Failure::Usage(text) } else { Failure::NothingMeasured(text) }
    }
}

impl Gpus {
    /// Returns the GPUs of this machine. Adapters are enumerated only if needed, because it is slow.
    pub(super) fn here(asked: &[Device]) -> Self {
        let are_needed = asked.is_empty() || asked.iter().any(|device| device.adapter().is_some());
        let adapters = if are_needed { webgpu::adapters() } else { Ok(Vec::new()) };
        Gpus { cuda: cuda::devices().map(|(_, gpus)| gpus), adapters }
    }

    /// Returns the requested GPU; the first CUDA GPU if none is requested.
    pub(super) fn choose(&self, asked: &[Device]) -> Result<OneGpu, NoGpu> {
        let (native, adapter) = named(asked)?;
        let gpu = self.native(native)?;
        let adapter = match adapter {
            Some(index) => Some(self.named_adapter(gpu, index)?),
            None if asked.is_empty() => Some(self.same_adapter(gpu)?),
            None => None,
        };
        Ok(OneGpu { native, adapter })
    }

    fn native(&self, index: u32) -> Result<&CudaGpu, NoGpu> {
        let gpus = self.cuda.as_ref().map_err(|reason| NoGpu::NoCuda(reason.clone()))?;
        let gpu = gpus.get(index as usize);
        gpu.ok_or_else(|| NoGpu::NoCuda(cuda::no_such_gpu(gpus.len())))
    }

    fn adapters(&self, native: &CudaGpu) -> Result<&[Adapter], NoGpu> {
        let native = Device::Cuda(native.number);
        let missing = |reason: &String| NoGpu::NoAdapter { native, reason: reason.clone() };
        self.adapters.as_deref().map_err(missing)
    }

    /// Returns the adapter with index `index`, unless it is another GPU.
    fn named_adapter(&self, native: &CudaGpu, index: u32) -> Result<u32, NoGpu> {
        let adapters = self.adapters(native)?;
        let Some(adapter) = adapters.get(index as usize) else {
            let (native, reason) =
                (Device::Cuda(native.number), webgpu::no_such_adapter(adapters.len()));
            return Err(NoGpu::NoAdapter { native, reason });
        };
        let device = Device::Wgpu(index);
        if adapter.is_software {
            let model = adapter.name.escaped();
            let why = format!("{device} is software, {model}; it shows whether kernels are right");
            return Err(NoGpu::Software(why));
        }
        if !is_same(native, adapter) {
            return Err(NoGpu::TwoGpus {
                native: Device::Cuda(native.number),
                adapter: device,
                native_model: described(&native.name, &native.pci_bus_id),
                adapter_model: described(&adapter.name, &adapter.pci_bus_id),
            });
        }
        Ok(index)
    }

    /// The first adapter that is the same GPU.
    fn same_adapter(&self, native: &CudaGpu) -> Result<u32, NoGpu> {
        let adapters = self.adapters(native)?;
        let mut hardware = adapters.iter().filter(|adapter| !adapter.is_software);
        let same = hardware.find(|adapter| is_same(native, adapter));
        let name = |adapter: &Adapter| {
            format!("{} ({})", Device::Wgpu(adapter.number), adapter.name.escaped())
        };
        same.map(|adapter| adapter.number).ok_or_else(|| NoGpu::Unknown {
            native: Device::Cuda(native.number),
            model: native.name.escaped().to_string(),
            known: adapters.iter().map(name).collect::<Vec<_>>().join(", "),
        })
    }
}

impl OneGpu {
    /// The devices that its kernels are timed on: native ones twice, shaders trusted and checked.
    pub(super) fn devices(self) -> Vec<Device> {
        let natives = [Device::Cuda(self.native), Device::CudaAgain(self.native)];
        let shaders = self.adapter.map(Device::Wgpu);
        let shaders = shaders.into_iter().flat_map(|device| [device, device.checked()]);
        natives.into_iter().chain(shaders).collect()
    }
}

/// Returns the requested indices.
fn named(asked: &[Device]) -> Result<(u32, Option<u32>), NoGpu> {
    let mut native = None;
    let mut adapter = None;
    for &device in asked {
        let earlier = match device {
            Device::Cuda(index) => native.replace(index),
            Device::Wgpu(index) => adapter.replace(index),
            device => return Err(refused(device)),
        };
        if earlier.is_some() {
            return Err(NoGpu::SeveralGpus);
        }
    }
    match native {
        Some(native) => Ok((native, adapter)),
        None if asked.is_empty() => Ok((0, None)),
        None => Err(NoGpu::NoNative),
    }
}

fn refused(device: Device) -> NoGpu {
    match device {
        Device::Emulator => {
            NoGpu::Software(only_verifies(device).expect("the emulator measures nothing"))
        }
        device => NoGpu::Neither(device),
    }
}

fn is_same(native: &CudaGpu, adapter: &Adapter) -> bool {
    native.is_same_as(&adapter.name, &adapter.pci_bus_id)
}

/// `NVIDIA H100 at 0000:65:00.0`.
fn described(model: &str, address: &str) -> String {
    match address {
        "" => model.escaped().to_string(),
        address => format!("{} at {}", model.escaped(), address.escaped()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSES: [&str; 2] = ["0000:65:00.0", "0000:CA:00.0"];

    fn native(index: u32) -> CudaGpu {
        CudaGpu {
            number: index,
            name: "NVIDIA H100".into(),
            compute_capability: (9, 0),
            multiprocessors: 132,
            multiprocessor_threads: 2048,
            l2_bytes: 50 << 20,
            memory_bytes: 80 << 30,
            shared_bytes: 227 << 10,
            pci_bus_id: BUSES[index as usize].into(),
        }
    }

    fn adapter(index: u32, name: &str, bus: &str) -> Adapter {
        let name = name.to_owned();
        let pci_bus_id = bus.to_owned();
        Adapter { number: index, name, pci_bus_id, ..Adapter::default() }
    }

    fn software(index: u32) -> Adapter {
        Adapter { is_software: true, ..adapter(index, "llvmpipe", "") }
    }

    fn two_gpus() -> Gpus {
        let adapters = vec![
            adapter(0, "NVIDIA H100", "00000000:ca:00.0"),
            adapter(1, "NVIDIA H100", "0000:65:00.0"),
            software(2),
        ];
        Gpus { cuda: Ok(vec![native(0), native(1)]), adapters: Ok(adapters) }
    }

    fn chosen(gpus: &Gpus, asked: &str) -> Result<(u32, Option<u32>), NoGpu> {
        let names = asked.split(',').filter(|name| !name.is_empty());
        let devices: Vec<Device> = names.map(|name| name.parse().expect("a device")).collect();
        gpus.choose(&devices).map(|gpu| (gpu.native, gpu.adapter))
    }

    #[test]
    fn a_gpu_is_known_by_its_address_under_both_names() {
        let gpus = two_gpus();
        assert_eq!(chosen(&gpus, ""), Ok((0, Some(1))));
        assert_eq!(chosen(&gpus, "cuda:1,wgpu:0"), Ok((1, Some(0))));
        assert_eq!(chosen(&gpus, "cuda:1"), Ok((1, None)));
        let refused = chosen(&gpus, "cuda:0,wgpu:0").expect_err("the other one");
        let text = refused.to_string();
        assert!(text.contains("at 0000:65:00.0 and NVIDIA H100 at 00000000:ca:00.0"), "{text}");
        assert!(refused.is_usage());
    }

    #[test]
    fn without_an_address_it_is_known_by_its_model() {
        let adapters = vec![adapter(0, "Radeon", ""), adapter(1, "NVIDIA H100", "")];
        let gpus = Gpus { cuda: Ok(vec![native(0)]), adapters: Ok(adapters) };
        assert_eq!(chosen(&gpus, ""), Ok((0, Some(1))));
        assert!(matches!(chosen(&gpus, "cuda:0,wgpu:0"), Err(NoGpu::TwoGpus { .. })));
    }

    #[test]
    fn missing_parts_are_reported_with_the_fix() {
        let none = Gpus { cuda: Err("there is no NVIDIA driver".into()), ..two_gpus() };
        let text = chosen(&none, "").expect_err("no GPU").to_string();
        assert!(text.contains("there is no NVIDIA driver"), "{text}");
        let not_built =
            Gpus { adapters: Err("build it with `--features wgpu`".into()), ..two_gpus() };
        let text = chosen(&not_built, "").expect_err("no adapters").to_string();
        assert!(
            text.contains("--features wgpu") && text.contains("--device cuda:0 alone"),
            "{text}"
        );
        assert_eq!(chosen(&not_built, "cuda:0"), Ok((0, None)), "no shaders are asked for");
        let only_software = Gpus { adapters: Ok(vec![software(0)]), ..two_gpus() };
        let text = chosen(&only_software, "").expect_err("not that GPU").to_string();
        assert!(text.contains("but wgpu:0 (llvmpipe); in a container"), "{text}");
        let beyond = chosen(&two_gpus(), "cuda:2").expect_err("two only").to_string();
        assert!(beyond.contains("cuda:0 to cuda:1"), "{beyond}");
        let beyond = chosen(&two_gpus(), "cuda:0,wgpu:3").expect_err("three only").to_string();
        assert!(beyond.contains("wgpu:0 to wgpu:2"), "{beyond}");
    }

    #[test]
    fn software_is_nothing_to_measure_and_other_devices_make_no_sense() {
        let gpus = two_gpus();
        for name in ["cuda:0,wgpu:2", "emulator"] {
            let refused = chosen(&gpus, name).expect_err(name);
            assert!(matches!(refused, NoGpu::Software(_)) && !refused.is_usage(), "{name}");
        }
        for (asked, expected) in [
            ("cpu", NoGpu::Neither(Device::Cpu)),
            ("cuda:0,wgpu:1+checked", NoGpu::Neither(Device::WgpuChecked(1))),
            ("wgpu:0", NoGpu::NoNative),
            ("cuda:0,cuda:1", NoGpu::SeveralGpus),
        ] {
            let refused = chosen(&gpus, asked).expect_err(asked);
            assert!(refused.is_usage());
            assert_eq!(refused, expected);
        }
    }

    #[test]
    fn native_kernels_are_timed_twice_and_shaders_in_both_ways() {
        let names = |gpu: OneGpu| gpu.devices().iter().map(Device::to_string).collect::<Vec<_>>();
        let alone = OneGpu { native: 1, adapter: None };
        assert_eq!(names(alone), ["cuda:1", "cuda:1+again"]);
        let both = OneGpu { adapter: Some(0), ..alone };
        assert_eq!(names(both), ["cuda:1", "cuda:1+again", "wgpu:0", "wgpu:0+checked"]);
    }
}
