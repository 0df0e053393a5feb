//! Energy counters of processors (RAPL) and GPUs (NVML).

use std::fs;
use std::path::{Path, PathBuf};

use portable_gpu::cuda;
use portable_gpu::monitor::Monitor;
use tasks::device::Device;

/// Folder of the processors' counters on Linux. On most systems only root may read them.
const POWERCAP: &str = "/sys/class/powercap";
/// Name prefix of counters of complete processors; those of their parts are below them.
const PACKAGE: &str = "package-";
/// Unit of the counters, in joules.
const MICROJOULE: f64 = 1e-6;

/// Counters of all processors, and of some GPUs.
pub(crate) struct EnergyCounters {
    packages: Vec<Package>,
    gpus: Vec<Box<dyn Monitor>>,
}

/// Counter values at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EnergyReading {
    /// Energy of each processor, in joules.
    packages: Option<Vec<f64>>,
    /// Energy of all GPUs together, in joules.
    gpus: Option<f64>,
}

/// Joules between two moments; `None` without a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    pub(crate) cpu_j: Option<f64>,
    pub(crate) gpu_j: Option<f64>,
}

/// Counter of a processor.
struct Package {
    folder: PathBuf,
    /// Value at which it wraps around to 0, in joules.
    range: f64,
}

impl EnergyCounters {
    /// Opens the counters of the processors and of these devices.
    pub(crate) fn for_devices(devices: impl IntoIterator<Item = Device>) -> Self {
        Self::below(Path::new(POWERCAP), devices)
    }

    fn below(powercap: &Path, devices: impl IntoIterator<Item = Device>) -> Self {
        let mut numbers: Vec<u32> =
            devices.into_iter().filter_map(|device| device.cuda_number()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let known = if numbers.is_empty() { None } else { cuda::devices().ok() };
        let known = known.map_or_else(Vec::new, |(_, gpus)| gpus);
        let gpus = numbers.iter().filter_map(|&number| known.get(number as usize));
        let monitor = |gpu: &cuda::CudaGpu| -> Box<dyn Monitor> {
            Box::new(cuda::monitor_at(&gpu.pci_bus_id))
        };
        EnergyCounters { packages: packages(powercap), gpus: gpus.map(monitor).collect() }
    }

    /// Current values.
    pub(crate) fn read(&self) -> EnergyReading {
        let packages = self.packages.iter().map(Package::joules).collect::<Option<Vec<_>>>();
        let gpus = self.gpus.iter().map(|gpu| gpu.energy_j().ok()).sum::<Option<f64>>();
        EnergyReading {
            packages: packages.filter(|packages| !packages.is_empty()),
            gpus: gpus.filter(|_| !self.gpus.is_empty()),
        }
    }

    /// Energy since an earlier reading.
    pub(crate) fn since(&self, earlier: &EnergyReading) -> Energy {
        let now = self.read();
        let of_packages = now.packages.zip(earlier.packages.as_ref()).map(|(now, then)| {
            let pairs = self.packages.iter().zip(now.iter().zip(then));
            pairs.map(|(package, (now, then))| package.between(*then, *now)).sum()
        });
        let of_gpus = now.gpus.zip(earlier.gpus).map(|(now, then)| now - then);
        Energy { cpu_j: of_packages, gpu_j: of_gpus }
    }
}

impl Package {
    fn joules(&self) -> Option<f64> {
        number(&self.folder.join("energy_uj"))
    }

    /// Difference of two values; the counter may have wrapped around once.
    fn between(&self, then: f64, now: f64) -> f64 {
        if now < then { now + self.range - then } else { now - then }
    }
}

fn packages(powercap: &Path) -> Vec<Package> {
    let folders = fs::read_dir(powercap).into_iter().flatten().flatten();
    let package = |folder: PathBuf| {
        let name = fs::read_to_string(folder.join("name")).ok()?;
        let range = number(&folder.join("max_energy_range_uj"))?;
        name.starts_with(PACKAGE).then_some(Package { folder, range })
    };
    let mut packages: Vec<_> = folders.filter_map(|entry| package(entry.path())).collect();
    packages.sort_by(|a, b| a.folder.cmp(&b.folder));
    packages
}

/// Value of a file in microjoules, converted to joules.
fn number(path: &Path) -> Option<f64> {
    let text = fs::read_to_string(path).ok()?;
    text.trim().parse::<u64>().ok().map(|micro| micro as f64 * MICROJOULE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the files of a counter as Linux does.
    fn show(powercap: &Path, folder: &str, name: &str, energy: u64) {
        let folder = powercap.join(folder);
        fs::create_dir_all(&folder).expect("made");
        for (file, text) in [
            ("name", name.to_owned()),
            ("max_energy_range_uj", "1000000000".to_owned()),
            ("energy_uj", energy.to_string()),
        ] {
            fs::write(folder.join(file), text + "\n").expect("written");
        }
    }

    #[test]
    fn processor_counters_may_wrap_around() {
        let powercap = tempfile::tempdir().expect("a temporary folder");
        show(powercap.path(), "intel-rapl:0", "package-0", 999_000_000);
        show(powercap.path(), "intel-rapl:0:0", "core", 500_000_000);
        show(powercap.path(), "intel-rapl:1", "package-1", 5_000_000);
        let counters = EnergyCounters::below(powercap.path(), [Device::Cpu]);
        let before = counters.read();
        show(powercap.path(), "intel-rapl:0", "package-0", 2_000_000);
        show(powercap.path(), "intel-rapl:0:0", "core", 900_000_000);
        show(powercap.path(), "intel-rapl:1", "package-1", 9_000_000);
        let Energy { cpu_j, gpu_j } = counters.since(&before);
        assert!((cpu_j.expect("counted") - 7.0).abs() < 1e-6, "{cpu_j:?}");
        assert_eq!(gpu_j, None);
    }

    #[test]
    fn no_counters_yield_no_energy() {
        let nothing = EnergyCounters::below(Path::new("/nowhere"), [Device::Cpu]);
        assert_eq!(nothing.since(&nothing.read()), Energy::default());
        // Independent of the counters of this machine.
        let here = EnergyCounters::for_devices([Device::Cpu]);
        let energy = here.since(&here.read());
        assert!(energy.cpu_j.is_none_or(|joules| joules >= 0.0));
    }
}
