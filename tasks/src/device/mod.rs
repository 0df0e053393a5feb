//! Devices and threads that variants run on.

use text::Untrusted;

mod arena;
mod buffers;
mod cached_per_input;
mod cpu;
#[cfg(target_arch = "x86_64")]
pub mod cpu_features;
mod execution;
mod host_streams;
mod processor;
mod staged_array;
mod streaming;
#[cfg(target_arch = "x86_64")]
pub mod vectors;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use portable_gpu::Gpu;
use portable_gpu::webgpu::Checks;

pub use arena::Arena;
pub use arena::{InputId, Reservation};
pub use buffers::{ArenaVec, Buffers, buffers};
pub use cached_per_input::{CachedPerInput, PinnedInput};
pub use cpu::{InnerTeams, Team, TeamError};
pub use execution::Execution;
pub use host_streams::HostStreams;
pub use processor::is_amd;
pub use staged_array::StagedArray;
pub use streaming::{Stores, streaming};

pub use generators_common::element::Poison;

/// Reason why a variant can't run on a device or on an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// Programming model of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Threads on the host.
    Cpu,
    /// CUDA kernels, for GPUs by NVIDIA and, by HIP, AMD.
    Cuda,
    /// Shaders with the functions of the CUDA kernels, for GPUs of any make.
    Wgpu,
}

/// A device by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The host's processors.
    Cpu,
    /// An NVIDIA GPU by its index.
    Cuda(u32),
    /// An NVIDIA GPU opened a second time: differences in time between the two are noise.
    CudaAgain(u32),
    /// An AMD GPU by its index, which runs the CUDA kernels.
    Hip(u32),
    /// A GPU by its index in wgpu, or a software renderer.
    Wgpu(u32),
    /// A GPU by its index in wgpu, with all checks that wgpu makes of shaders.
    WgpuChecked(u32),
    /// Kernels run on the host, for correctness only.
    Emulator,
}

/// Suffix of the name of a GPU that is opened a second time.
const AGAIN: &str = "+again";
/// Suffix of the name of a GPU whose shaders are checked.
const CHECKED: &str = "+checked";

/// A device, and the threads of the host that serve it.
pub struct Target<'a> {
    /// The device.
    pub device: Device,
    /// The GPU, if the device is one, or the emulator.
    pub gpu: Option<Arc<Gpu>>,
    /// The threads.
    pub team: &'a Team,
}

impl<'a> Target<'a> {
    /// The host's threads without a GPU.
    pub fn host(team: &'a Team) -> Self {
        Target { device: Device::Cpu, gpu: None, team }
    }

    /// An emulator with the threads that run it.
    pub fn emulated(gpu: Arc<Gpu>, team: &'a Team) -> Self {
        Target { device: Device::Emulator, gpu: Some(gpu), team }
    }

    /// Returns the GPU, for variants that have kernels.
    pub fn required_gpu(&self) -> Result<Arc<Gpu>, Unavailable> {
        let gpu = self.gpu.as_ref().map(Arc::clone);
        gpu.ok_or_else(|| Unavailable(format!("{} is not a GPU", self.device)))
    }
}

impl Device {
    /// Backend whose variants run on the device.
    pub fn backend(self) -> Backend {
        match self {
            Device::Cpu => Backend::Cpu,
            Device::Cuda(_) | Device::CudaAgain(_) | Device::Hip(_) | Device::Emulator => {
                Backend::Cuda
            }
            Device::Wgpu(_) | Device::WgpuChecked(_) => Backend::Wgpu,
        }
    }

    /// Index of an NVIDIA GPU in its driver; `None` for other devices.
    pub fn cuda_number(self) -> Option<u32> {
        match self {
            Device::Cuda(index) | Device::CudaAgain(index) => Some(index),
            _ => None,
        }
    }

    /// Index of a GPU in wgpu, and the checks of its shaders; `None` for other devices.
    pub fn adapter(self) -> Option<(u32, Checks)> {
        match self {
            Device::Wgpu(index) => Some((index, Checks::None)),
            Device::WgpuChecked(index) => Some((index, Checks::All)),
            _ => None,
        }
    }

    /// This GPU with its shaders checked; other devices unchanged.
    #[must_use]
    pub fn checked(self) -> Self {
        self.adapter().map_or(self, |(index, _)| Device::WgpuChecked(index))
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
            Backend::Wgpu => "wgpu",
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(index) => write!(f, "cuda:{index}"),
            Device::CudaAgain(index) => write!(f, "cuda:{index}{AGAIN}"),
            Device::Hip(index) => write!(f, "hip:{index}"),
            Device::Wgpu(index) => write!(f, "wgpu:{index}"),
            Device::WgpuChecked(index) => write!(f, "wgpu:{index}{CHECKED}"),
            Device::Emulator => f.write_str("emulator"),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            let there_are = "there are cpu, cuda:N, hip:N, wgpu:N, wgpu:N+checked and emulator";
            format!("unknown device {}; {there_are}", text.quoted())
        };
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        if let ("cuda", Some(index)) = (kind, index.strip_suffix(AGAIN)) {
            return index.parse().map(Device::CudaAgain).map_err(|_| unknown());
        }
        if let ("wgpu", Some(index)) = (kind, index.strip_suffix(CHECKED)) {
            return index.parse().map(Device::WgpuChecked).map_err(|_| unknown());
        }
        match kind {
            "cpu" | "emulator" if text != kind => Err(unknown()),
            "cpu" => Ok(Device::Cpu),
            "emulator" => Ok(Device::Emulator),
            "cuda" => index.parse().map(Device::Cuda).map_err(|_| unknown()),
            "hip" => index.parse().map(Device::Hip).map_err(|_| unknown()),
            "wgpu" => index.parse().map(Device::Wgpu).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_round_trip() {
        for name in [
            "cpu",
            "cuda:0",
            "cuda:12",
            "cuda:1+again",
            "hip:3",
            "wgpu:0",
            "wgpu:2+checked",
            "emulator",
        ] {
            assert_eq!(name.parse::<Device>().expect("known").to_string(), name);
        }
        for name in
            ["gpu", "cuda:", "cuda:x", "cuda:-1", "hip:", "wgpu:", "cpu:0", "emulator:0", ""]
        {
            assert!(name.parse::<Device>().is_err(), "{name}");
        }
        for name in
            ["cuda:0+checked", "hip:0+again", "wgpu:0+again", "wgpu:+checked", "cpu+checked"]
        {
            assert!(name.parse::<Device>().is_err(), "{name}");
        }
    }

    #[test]
    fn only_shaders_are_checked() {
        assert_eq!(Device::Wgpu(3).checked(), Device::WgpuChecked(3));
        assert_eq!(Device::WgpuChecked(3).checked(), Device::WgpuChecked(3));
        assert_eq!(Device::Cuda(3).checked(), Device::Cuda(3));
    }
}
