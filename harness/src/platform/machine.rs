//! What identifies this machine, the state that it is in, and what is odd about that.

use std::path::Path;

use algorithms::device::gpu::cuda;
use reports::record::{Environment, Gpu, Machine};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use text::Foreign;

use super::pages::transparent_huge_pages;
use super::{Topology, available_memory, sysfs, usable_threads};

/// The key of this machine.
pub fn machine_key() -> String {
    machine(&Topology::of_this_machine()).key()
}

/// This machine, with the topology given.
pub fn machine(topology: &Topology) -> Machine {
    let wanted = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(wanted).ok();
    let model = system.as_ref().and_then(|system| {
        let name = system.cpus().first()?.brand().trim().to_owned();
        (!name.is_empty()).then_some(name)
    });
    Machine {
        cpu_model: model.unwrap_or_else(|| "unknown".into()),
        architecture: std::env::consts::ARCH.to_owned(),
        packages: topology.packages(),
        cores: topology.cores(),
        hardware_threads: topology.cpus.len(),
        numa_nodes: topology.nodes(),
        caches: topology.cache_levels(),
        memory_bytes: system.map_or(0, |system| system.total_memory()),
        gpus: gpus(),
    }
}

/// All GPUs that can be used.
fn gpus() -> Vec<Gpu> {
    let Ok((driver, gpus)) = cuda::devices() else {
        return Vec::new();
    };
    // Without a management library the driver knows only what it is for.
    let version = cuda::driver_version().unwrap_or_else(|_| driver.name());
    let gpu = |gpu: cuda::CudaGpu| Gpu {
        model: gpu.name,
        driver: version.clone(),
        memory_bytes: gpu.memory_bytes,
    };
    gpus.into_iter().map(gpu).collect()
}

/// The state at this moment.
pub fn environment() -> Environment {
    let sys = Path::new("/sys");
    let governor = sys.join("devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let name = System::name().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let kernel = System::kernel_version().unwrap_or_default();
    Environment {
        kernel: format!("{name}, kernel {kernel}"),
        governor: sysfs::text(&governor),
        transparent_huge_pages: transparent_huge_pages(),
        load_1min: System::load_average().ok().map(|load| load.one),
        available_memory_bytes: available_memory(),
        usable_threads: usable_threads(),
    }
}

/// What makes measuring on such a machine doubtful, with a hint each.
pub fn oddities(environment: &Environment) -> Vec<String> {
    let mut oddities = Vec::new();
    let threads = environment.usable_threads as f64;
    if let Some(load) = environment.load_1min
        && load > 0.25 * threads
    {
        oddities.push(format!(
            "the load was {load:.1} on {threads} usable CPUs at the start: other work may \
             disturb the samples; wait for it to end"
        ));
    }
    if let Some(governor) = &environment.governor
        && governor != "performance"
    {
        oddities.push(format!(
            "the CPU frequency governor is {}: the clock may vary; \
             `cpupower frequency-set -g performance` fixes it",
            governor.quoted()
        ));
    }
    oddities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_and_governor_are_told() {
        let mut environment = environment();
        environment.load_1min = Some(0.0);
        environment.governor = Some("performance".into());
        assert_eq!(oddities(&environment), [""; 0]);
        environment.load_1min = Some(environment.usable_threads as f64);
        environment.governor = Some("powersave".into());
        assert_eq!(oddities(&environment).len(), 2);
    }
}
