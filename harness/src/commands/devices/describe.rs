//! Text description of the machine.

use std::fmt::Write;
use std::path::Path;

use portable_gpu::cuda::{self, CudaGpu, Driver};
use portable_gpu::hip::{self, HipGpu};
use portable_gpu::monitor::Monitor;
use portable_gpu::webgpu::{self, Adapter};
use reports::record::{CacheLevel, Machine};
use reports::table::{Side, aligned};
use reports::units::{self, counted};
use text::Untrusted;

use crate::platform::{self, Topology};

/// Indentation of the properties of a device.
pub(super) const INDENT: u16 = 2;

/// The host and its GPUs.
pub(super) fn machine(topology: &Topology) -> String {
    let machine = platform::machine(topology);
    let environment = platform::environment();
    let mut text = format!("cpu: {} ({})\n", machine.cpu_model, machine.architecture);
    let unknown = || "not known here".to_owned();
    let lines = [
        ("topology", shape(&machine)),
        ("usable", usable(environment.usable_threads)),
        ("caches", caches(&machine.caches)),
        ("memory", main_memory(machine.memory_bytes, environment.available_memory_bytes)),
        ("core kinds", core_kinds()),
        ("governor", environment.governor.unwrap_or_else(unknown)),
        ("CPU quota", quota(environment.cpu_quota)),
        (
            "clock",
            clock(environment.clock_source.unwrap_or_else(unknown), environment.clock_read_s),
        ),
        ("huge pages", environment.transparent_huge_pages.unwrap_or_else(unknown)),
        ("kernel", environment.kernel),
        ("counters", platform::counters::availability()),
        ("key", machine.key()),
    ];
    text.push_str(&named(&lines));
    for line in platform::draw(topology, &platform::usable_cpus()).lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str(&gpus());
    text.push_str(&hip_gpus());
    text.push_str(&adapters());
    text
}

/// `2 performance, up to 5200 MHz (0,1); 4 efficiency, up to 3900 MHz (2,3,4,5)`, or one kind.
fn core_kinds() -> String {
    let kinds = platform::core_kinds(Path::new("/sys"), &platform::usable_cpus());
    if kinds.len() < 2 {
        return "one".to_owned();
    }
    let words = kinds.iter().map(|kind| {
        let clock = kind.max_mhz.map(|mhz| format!(", up to {mhz} MHz"));
        let cpus = platform::placement::list(&kind.cpus);
        format!("{} {}{} ({cpus})", kind.cpus.len(), kind.name, clock.unwrap_or_default())
    });
    words.collect::<Vec<_>>().join("; ")
}

/// `4 hardware threads by this process`
fn usable(threads: usize) -> String {
    let assumption = platform::assumption().map(|note| format!("; {note}"));
    let threads = counted(threads, "hardware thread");
    format!("{threads} by this process{}", assumption.unwrap_or_default())
}

/// `25 GB, 20 GB available`
fn main_memory(all: u64, available: u64) -> String {
    if all == 0 {
        return "not known here".to_owned();
    }
    format!("{}, {} available", units::bytes(all as f64), units::bytes(available as f64))
}

/// `1.5 CPUs`
fn quota(cpus: Option<f64>) -> String {
    cpus.map_or_else(|| "none".to_owned(), |cpus| format!("{cpus:.1} CPUs"))
}

/// `tsc, 25 ns a reading`
fn clock(source: String, price_s: Option<f64>) -> String {
    let price = price_s.map(|price| format!(", {} a reading", units::seconds(price, 2)));
    source + price.as_deref().unwrap_or("")
}

/// Describes each NVIDIA GPU, or why there is none.
fn gpus() -> String {
    match cuda::devices() {
        Err(reason) => format!("gpu: none; {reason}\n"),
        Ok((driver, gpus)) => gpus.iter().map(|gpu| gpu_lines(gpu, &driver)).collect(),
    }
}

fn gpu_lines(gpu: &CudaGpu, driver: &Driver) -> String {
    let (major, minor) = gpu.compute_capability;
    let lines = [
        ("compute", format!("capability {major}.{minor}, {} multiprocessors", gpu.multiprocessors)),
        (
            "memory",
            format!(
                "{}, L2 {}",
                units::bytes(gpu.memory_bytes as f64),
                platform::size(gpu.l2_bytes)
            ),
        ),
        ("card", card(gpu)),
        ("driver", format!("for {}", driver.name())),
        ("clocks", clocks(gpu)),
    ];
    let mut text = format!("gpu: cuda:{}, {}\n", gpu.number, gpu.name);
    text.push_str(&named(&lines));
    text
}

/// Describes each AMD GPU, or why there is none.
fn hip_gpus() -> String {
    match hip::devices() {
        Err(reason) => format!("hip: none; {reason}\n"),
        Ok(gpus) => gpus.iter().map(hip_lines).collect(),
    }
}

fn hip_lines(gpu: &HipGpu) -> String {
    let shared = platform::size(gpu.shared_bytes.into());
    let kernels = hip::problem_of(gpu.number);
    let lines = [
        ("compute", format!("{}, {} compute units", gpu.architecture.escaped(), gpu.compute_units)),
        ("warps", format!("of {} lanes; {shared} of shared memory for a block", gpu.lanes)),
        (
            "memory",
            format!(
                "{}, L2 {}",
                units::bytes(gpu.memory_bytes as f64),
                platform::size(gpu.l2_bytes)
            ),
        ),
        ("runtime", gpu.runtime.clone()),
        ("kernels", kernels.unwrap_or_else(|| "are there".to_owned())),
    ];
    format!("gpu: hip:{}, {}\n", gpu.number, gpu.name.escaped()) + &named(&lines)
}

/// Describes each GPU known to wgpu, if this build has it, or why there is none.
fn adapters() -> String {
    match webgpu::adapters() {
        Err(_) if !webgpu::IS_BUILT => String::new(),
        Err(reason) => format!("wgpu: none; {reason}\n"),
        Ok(adapters) => adapters.iter().map(adapter_lines).collect(),
    }
}

fn adapter_lines(adapter: &Adapter) -> String {
    let lanes = match adapter.lanes {
        None => "none".to_owned(),
        Some((least, most)) if least == most => format!("of {least} lanes"),
        Some((least, most)) => format!("of {least} to {most} lanes"),
    };
    let block = format!(
        "{} threads, {} of workgroup memory",
        adapter.max_threads,
        platform::size(adapter.shared_bytes.into())
    );
    let times = match (adapter.is_software, adapter.has_times) {
        (true, _) => "mean nothing: it is software, which verifies only",
        (_, true) => "by the device",
        (_, false) => "by the host alone",
    };
    let lines = [
        ("driver", format!("{}, by {}", adapter.driver.escaped(), adapter.interface)),
        ("block", format!("{block} at most")),
        ("subgroups", lanes),
        ("buffers", format!("{} at most", units::bytes(adapter.largest_buffer as f64))),
        ("times", times.to_owned()),
    ];
    format!("gpu: wgpu:{}, {}\n", adapter.number, adapter.name.escaped()) + &named(&lines)
}

fn named(lines: &[(&str, String)]) -> String {
    let rows = lines.iter().map(|(name, value)| [(*name).to_owned(), value.clone()]);
    aligned(INDENT, [Side::Left; 2], rows.collect())
}

/// `00000000:65:00.0, GPU-…`: its address on the PCI bus, and its UUID where that is known.
fn card(gpu: &CudaGpu) -> String {
    let uuid = cuda::settings(gpu).uuid.map(|uuid| format!(", {uuid}"));
    format!("{}{}", gpu.pci_bus_id, uuid.unwrap_or_default())
}

fn clocks(gpu: &CudaGpu) -> String {
    let monitor = cuda::monitor(gpu);
    let both = monitor.clock_mhz().and_then(|now| Ok((now, monitor.max_clock_mhz()?)));
    match both {
        Ok((now, most)) => format!("{now} MHz now, {most} MHz at most"),
        Err(reason) => format!("not known here: {reason}"),
    }
}

fn shape(machine: &Machine) -> String {
    [
        counted(machine.packages, "package"),
        counted(machine.cores, "core"),
        counted(machine.hardware_threads, "hardware thread"),
        counted(machine.numa_nodes, "NUMA node"),
    ]
    .join(", ")
}

fn caches(levels: &[CacheLevel]) -> String {
    if levels.is_empty() {
        return "not known here".to_owned();
    }
    let cache = |cache: &CacheLevel| {
        let size = platform::size(cache.bytes);
        format!("L{} {} × {size}", cache.level, cache.count)
    };
    levels.iter().map(cache).collect::<Vec<_>>().join(", ")
}
