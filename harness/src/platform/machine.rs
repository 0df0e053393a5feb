//! What identifies this machine.

use algorithms::device::gpu::cuda;
use reports::record::{Gpu, Machine};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::Topology;

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
