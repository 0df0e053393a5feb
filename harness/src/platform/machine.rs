//! Identity of this machine, its current state, and conditions that may disturb measurements.

use std::path::Path;

use portable_gpu::cuda;
use reports::record::{Environment, Gpu, Machine};
use reports::units;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use text::Untrusted;

use super::address_space::transparent_huge_pages;
use super::affinity::assumption;
use super::control_groups::CpuQuota;
use super::cores::{Frequency, core_kinds, mixed_kinds};
use super::{Topology, available_memory, clock, powercap, usable_cpus, usable_threads};

/// Description of this machine.
pub fn this_machine() -> Machine {
    machine(&Topology::this_machine())
}

/// Description of this machine, with a given topology.
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

/// All usable GPUs.
fn gpus() -> Vec<Gpu> {
    let Ok((driver, gpus)) = cuda::devices() else {
        return Vec::new();
    };
    // Without a management library the driver only reports the CUDA version it supports.
    let version = cuda::driver_version().unwrap_or_else(|_| driver.name());
    let gpu = |gpu: cuda::CudaGpu| {
        let settings = cuda::settings(&gpu);
        Gpu {
            is_instance: gpu.is_instance(),
            model: gpu.name,
            driver: version.clone(),
            memory_bytes: gpu.memory_bytes,
            pci_address: Some(gpu.pci_bus_id),
            uuid: settings.uuid,
            ecc: settings.ecc,
            power_limit_w: settings.power_limit_w,
            default_power_limit_w: settings.default_power_limit_w,
            enforced_power_limit_w: settings.enforced_power_limit_w,
            application_clock_mhz: settings.application_clock_mhz,
            application_memory_clock_mhz: settings.application_memory_clock_mhz,
            max_clock_mhz: settings.max_clock_mhz,
            max_memory_clock_mhz: settings.max_memory_clock_mhz,
        }
    };
    gpus.into_iter().map(gpu).collect()
}

/// Host name of this node.
pub fn host_name() -> Option<String> {
    System::host_name().ok().filter(|name| !name.is_empty())
}

/// Current state.
pub fn environment() -> Environment {
    let sys = Path::new("/sys");
    let frequency = Frequency::read(sys, &usable_cpus());
    let name = System::name().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let kernel = System::kernel_version().unwrap_or_default();
    Environment {
        kernel: format!("{name}, kernel {kernel}"),
        governor: frequency.governor,
        energy_preference: frequency.preference,
        turbo: frequency.turbo,
        frequency_limits_mhz: frequency.limits_mhz,
        power_caps: powercap::caps(&powercap::folder()),
        clock_source: clock::source(sys),
        clock_read_s: Some(clock::price_s()),
        cpu_quota: CpuQuota::for_this_process().map(|quota| quota.cpus),
        aslr: None,
        visible_devices: std::env::var("CUDA_VISIBLE_DEVICES").ok(),
        transparent_huge_pages: transparent_huge_pages(),
        load_1min: System::load_average().ok().map(|load| load.one),
        available_memory_bytes: available_memory(),
        usable_threads: usable_threads(),
    }
}

/// Notes on conditions that make measurements unreliable, each with advice.
pub fn environment_warnings(environment: &Environment) -> Vec<String> {
    let mut warnings = Vec::new();
    let threads = environment.usable_threads as f64;
    if let Some(load) = environment.load_1min
        && load > 0.25 * threads
    {
        warnings.push(format!(
            "the load was {load:.1} on {} at the start: other work may disturb the samples; wait for \
             it to end",
            units::counted(environment.usable_threads, "usable CPU")
        ));
    }
    if let Some(governor) = &environment.governor
        && governor != "performance"
    {
        warnings.push(format!(
            "the CPU frequency governor is {}: the clock may vary; \
             `cpupower frequency-set -g performance` fixes it",
            governor.quoted()
        ));
    }
    warnings.extend(assumption());
    warnings.extend(mixed_kinds(&core_kinds(Path::new("/sys"), &usable_cpus())));
    warnings
}

/// A note for a run with more threads than CPUs, or than the quota of the control group allows.
pub fn crowded(environment: &Environment, threads: usize) -> Vec<String> {
    let cpus = environment.usable_threads;
    let shared = (threads > cpus).then(|| {
        format!(
            "{threads} threads share {}: they wait for each other, and what is measured of clocks \
             and other load says nothing",
            units::counted(cpus, "CPU")
        )
    });
    let quota = environment.cpu_quota.filter(|quota| threads.min(cpus) as f64 > *quota);
    let stopped = quota.map(|quota| {
        format!(
            "the control group gives {quota:.1} CPUs: {} will be stopped when the time of a period \
             is used up; samples in which that happened are marked",
            units::counted(threads, "thread")
        )
    });
    shared.into_iter().chain(stopped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_and_governor_are_noted() {
        let mut environment = environment();
        environment.load_1min = Some(0.0);
        environment.governor = Some("performance".into());
        assert_eq!(environment_warnings(&environment), [""; 0]);
        environment.load_1min = Some(environment.usable_threads as f64);
        environment.governor = Some("powersave".into());
        assert_eq!(environment_warnings(&environment).len(), 2);
    }

    #[test]
    fn too_many_threads_are_noted() {
        let environment =
            Environment { usable_threads: 2, cpu_quota: Some(1.0), ..Environment::default() };
        let of = |threads| crowded(&environment, threads).join("\n");
        assert_eq!(of(1), "");
        assert!(of(2).starts_with("the control group gives 1.0 CPUs: 2 threads will be stopped"));
        assert!(of(99).starts_with("99 threads share 2 CPUs"), "{}", of(99));
    }
}
