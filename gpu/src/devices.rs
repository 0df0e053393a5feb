//! Devices by their names.

use cuda_emulator::{Config, Execution};
use text::Untrusted;

use super::cuda::ContextSharing;
use super::webgpu::Checks;
use super::{DeviceError, Gpu, cuda, emulated, hip, webgpu};

/// A device that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDevice {
    /// Name for [`Gpu::open`]: `cuda:0`, `emulator`.
    pub name: String,
    /// The model.
    pub model: String,
}

/// A device by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Cuda(u32),
    Hip(u32),
    Wgpu(u32),
    /// An emulator by its full name.
    Emulator(String),
}

impl Gpu {
    /// Opens a device by its name: `cuda:0`, `hip:0`, `wgpu:0`, `emulator` or `emulator:0`; a name
    /// without a number is that of the first one.
    ///
    /// GPUs with CUDA are used in their primary context, as by the CUDA runtime. The modules
    /// [`cuda`], [`hip`] and [`webgpu`] and [`Gpu::emulated`] have more choices.
    ///
    /// # Errors
    /// If there is no such device, with the reason.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        let mut opened = Self::open_all(&[name])?;
        Ok(opened.remove(0))
    }

    /// Opens several devices by their names. Emulators among them are devices of one machine, whose
    /// queues wait for each other as those of GPUs do.
    ///
    /// # Errors
    /// If one of them does not exist, with the reason.
    pub fn open_all<S: AsRef<str>>(names: &[S]) -> Result<Vec<Self>, DeviceError> {
        let names = names.iter().map(|name| Name::parse(name.as_ref()));
        let names: Vec<Name> = names.collect::<Result<_, _>>()?;
        let emulators = names.iter().filter_map(|name| match name {
            Name::Emulator(name) => Some(name.clone()),
            _ => None,
        });
        let emulators: Vec<String> = emulators.collect();
        let mut machine = Vec::new();
        if !emulators.is_empty() {
            machine = emulated::emulated(Config::default(), Execution::Eager, &emulators)?;
        }
        let mut machine = machine.into_iter();
        let open = |name: Name| match name {
            Name::Cuda(index) => cuda::open(index, ContextSharing::Primary),
            Name::Hip(index) => hip::open(index),
            Name::Wgpu(index) => webgpu::open(index, Checks::None),
            Name::Emulator(name) => machine.next().ok_or(DeviceError::UnknownName { name }),
        };
        names.into_iter().map(open).collect()
    }

    /// Returns all devices of this machine that this program can use: GPUs with CUDA, HIP and wgpu,
    /// and the emulator. [`Gpu::open`] reports why others can't be used.
    pub fn list() -> Vec<ListedDevice> {
        let listed = |engine: &str, index: u32, model: &str| ListedDevice {
            name: format!("{engine}:{index}"),
            model: model.to_owned(),
        };
        let mut devices = Vec::new();
        if let Ok((_, gpus)) = cuda::devices() {
            devices.extend(gpus.iter().map(|gpu| listed("cuda", gpu.number, &gpu.name)));
        }
        if let Ok(gpus) = hip::devices() {
            let usable = gpus.iter().filter(|gpu| hip::problem_of(gpu.number).is_none());
            devices.extend(usable.map(|gpu| listed("hip", gpu.number, &gpu.name)));
        }
        if let Ok(adapters) = webgpu::adapters() {
            devices.extend(adapters.iter().map(|one| listed("wgpu", one.number, &one.name)));
        }
        if emulated::unavailable().is_none() {
            let model = "kernels on the host".to_owned();
            devices.push(ListedDevice { name: "emulator".to_owned(), model });
        }
        devices
    }
}

impl Name {
    fn parse(name: &str) -> Result<Self, DeviceError> {
        let (engine, number) = name.split_once(':').unwrap_or((name, "0"));
        let unknown = || DeviceError::UnknownName { name: name.escaped().to_string() };
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let index = number.parse().ok().filter(|_| is_number).ok_or_else(unknown)?;
        match engine {
            "cuda" => Ok(Name::Cuda(index)),
            "hip" => Ok(Name::Hip(index)),
            "wgpu" => Ok(Name::Wgpu(index)),
            "emulator" => Ok(Name::Emulator(name.to_owned())),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_an_engine_and_a_number() {
        assert_eq!(Name::parse("cuda:3"), Ok(Name::Cuda(3)));
        assert_eq!(Name::parse("wgpu"), Ok(Name::Wgpu(0)));
        assert_eq!(Name::parse("emulator:1"), Ok(Name::Emulator("emulator:1".to_owned())));
        for wrong in ["", "gpu:0", "cuda:", "cuda:x", "cuda:+1", "cuda:-1", "cuda:0:1", "CUDA:0"] {
            let refused = Gpu::open(wrong).err();
            let name = wrong.to_owned();
            assert_eq!(refused, Some(DeviceError::UnknownName { name }), "{wrong}");
        }
        let refused = Gpu::open("cuda:4000000000").err().map(|error| error.to_string());
        assert!(refused.is_some_and(|text| text.contains("cuda:4000000000 can't be used")));
    }

    #[test]
    fn every_listed_device_can_be_opened() {
        for ListedDevice { name, .. } in Gpu::list() {
            let gpu = Gpu::open(&name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(gpu.properties().device, name);
        }
    }

    #[test]
    fn several_devices_are_opened_in_order() {
        let Ok(gpus) = Gpu::open_all(&["emulator:1", "emulator:0"]) else { return };
        let names: Vec<_> = gpus.iter().map(|gpu| gpu.properties().device.as_str()).collect();
        assert_eq!(names, ["emulator:1", "emulator:0"]);
        assert_eq!(
            Gpu::open_all(&["emulator", "cuda"].map(|name| name.to_uppercase())).err(),
            Some(DeviceError::UnknownName { name: "EMULATOR".to_owned() })
        );
    }
}
