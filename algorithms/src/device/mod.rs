//! Where variants run.

use text::Foreign;

mod arena;
mod buffers;
mod cpu;
#[cfg(target_arch = "x86_64")]
pub(crate) mod cpu_features;
pub mod emulator;
pub mod gpu;
mod prefetch;
mod processor;
mod shared;
mod streaming;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vectors;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use arena::Arena;
pub(crate) use arena::{InputId, Leave};
pub(crate) use buffers::{ArenaVec, Buffers, Poison, buffers};
pub use cpu::{InnerTeams, Team, TeamError};
use gpu::Gpu;
use gpu::webgpu::Checks;
pub(crate) use prefetch::{prefetch, prefetch_to_second};
pub(crate) use processor::is_amd;
pub(crate) use shared::{Apart, SharedSlice, atomic};
pub(crate) use streaming::{Stores, streaming};

/// Why a variant can't run here, or not on such an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// What a variant is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Threads on the host.
    Cpu,
    /// CUDA kernels, for GPUs by NVIDIA and, by HIP, AMD.
    Cuda,
    /// Shaders that do the same as those, for GPUs of any make.
    Wgpu,
}

/// A device by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The host's processors.
    Cpu,
    /// A GPU by its number.
    Cuda(u32),
    /// The same, opened once more: what it takes for more or less time than the other is noise.
    CudaAgain(u32),
    /// A GPU by AMD by its number, which runs the same kernels.
    Hip(u32),
    /// A GPU by the number that wgpu has for it, or software that does what one would do.
    Wgpu(u32),
    /// The same, with all checks that wgpu makes of shaders.
    WgpuChecked(u32),
    /// Kernels run on the host, for correctness only.
    Emulator,
}

/// Behind the name of a GPU that is opened once more.
const AGAIN: &str = "+again";
/// Behind the name of a GPU whose shaders are checked.
const CHECKED: &str = "+checked";

/// Where to run: a device, and the threads of the host that serve it.
pub struct Target<'a> {
    /// The device.
    pub device: Device,
    /// The GPU, if the device is one, or the emulator.
    pub gpu: Option<Arc<Gpu>>,
    /// The threads.
    pub team: &'a Team,
}

impl<'a> Target<'a> {
    /// The threads alone.
    pub fn host(team: &'a Team) -> Self {
        Target { device: Device::Cpu, gpu: None, team }
    }

    /// An emulator, started by a thread of the team.
    pub fn emulated(gpu: Arc<Gpu>, team: &'a Team) -> Self {
        Target { device: Device::Emulator, gpu: Some(gpu), team }
    }

    /// The GPU, for variants that are kernels.
    ///
    /// # Errors
    /// If the device is none.
    pub(crate) fn required_gpu(&self) -> Result<Arc<Gpu>, Unavailable> {
        let gpu = self.gpu.as_ref().map(Arc::clone);
        gpu.ok_or_else(|| Unavailable(format!("{} is no GPU", self.device)))
    }
}

impl Device {
    /// The backend whose variants run there.
    pub fn backend(self) -> Backend {
        match self {
            Device::Cpu => Backend::Cpu,
            Device::Cuda(_) | Device::CudaAgain(_) | Device::Hip(_) | Device::Emulator => {
                Backend::Cuda
            }
            Device::Wgpu(_) | Device::WgpuChecked(_) => Backend::Wgpu,
        }
    }

    /// The number of a GPU by the driver of NVIDIA; `None` if it is none.
    pub fn cuda_number(self) -> Option<u32> {
        match self {
            Device::Cuda(number) | Device::CudaAgain(number) => Some(number),
            _ => None,
        }
    }

    /// The number of a GPU by wgpu, and what its shaders are checked for; `None` if it is none.
    pub fn adapter(self) -> Option<(u32, Checks)> {
        match self {
            Device::Wgpu(number) => Some((number, Checks::None)),
            Device::WgpuChecked(number) => Some((number, Checks::All)),
            _ => None,
        }
    }

    /// The same GPU with its shaders checked; others, as they are.
    #[must_use]
    pub fn checked(self) -> Self {
        self.adapter().map_or(self, |(number, _)| Device::WgpuChecked(number))
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
            Device::Cuda(number) => write!(f, "cuda:{number}"),
            Device::CudaAgain(number) => write!(f, "cuda:{number}{AGAIN}"),
            Device::Hip(number) => write!(f, "hip:{number}"),
            Device::Wgpu(number) => write!(f, "wgpu:{number}"),
            Device::WgpuChecked(number) => write!(f, "wgpu:{number}{CHECKED}"),
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
        let (kind, number) = text.split_once(':').unwrap_or((text, "0"));
        if let ("cuda", Some(number)) = (kind, number.strip_suffix(AGAIN)) {
            return number.parse().map(Device::CudaAgain).map_err(|_| unknown());
        }
        if let ("wgpu", Some(number)) = (kind, number.strip_suffix(CHECKED)) {
            return number.parse().map(Device::WgpuChecked).map_err(|_| unknown());
        }
        match kind {
            "cpu" | "emulator" if text != kind => Err(unknown()),
            "cpu" => Ok(Device::Cpu),
            "emulator" => Ok(Device::Emulator),
            "cuda" => number.parse().map(Device::Cuda).map_err(|_| unknown()),
            "hip" => number.parse().map(Device::Hip).map_err(|_| unknown()),
            "wgpu" => number.parse().map(Device::Wgpu).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_come_back_from_their_names() {
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
