//! `bench devices`

use std::fmt::Write;

use algorithms::device::Team;
use algorithms::device::gpu::cuda::{self, Clocks, CudaGpu, Driver};
use reports::record::{CacheLevel, Machine};
use reports::units;

use crate::failure::{Exit, Failure};
use crate::measure::measure_bandwidth;
use crate::platform::{self, Topology};

pub(super) fn run(measure: bool) -> Result<Exit, Failure> {
    let topology = Topology::of_this_machine();
    super::print(&description(&topology))?;
    if measure {
        print_ceilings(&topology)?;
    }
    Ok(Exit::Success)
}

fn description(topology: &Topology) -> String {
    let machine = platform::machine(topology);
    let environment = platform::environment();
    let mut text = format!("cpu: {} ({})\n", machine.cpu_model, machine.architecture);
    let unknown = || "not known here".to_owned();
    let lines = [
        ("topology", shape(&machine)),
        (
            "usable",
            format!(
                "{} hardware threads by this process",
                environment.usable_threads
            ),
        ),
        ("caches", caches(&machine.caches)),
        (
            "memory",
            format!(
                "{}, {} available",
                units::bytes(machine.memory_bytes as f64),
                units::bytes(environment.available_memory_bytes as f64)
            ),
        ),
        ("governor", environment.governor.unwrap_or_else(unknown)),
        (
            "huge pages",
            environment.transparent_huge_pages.unwrap_or_else(unknown),
        ),
        ("kernel", environment.kernel),
        ("key", machine.key()),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<11}{value}");
    }
    for line in platform::draw(topology, &platform::usable_cpus()).lines() {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str(&gpus());
    text
}

/// Each GPU, or why there is none.
fn gpus() -> String {
    match cuda::devices() {
        Err(reason) => format!("gpu: none; {reason}\n"),
        Ok((driver, gpus)) => gpus.iter().map(|gpu| describe(gpu, &driver)).collect(),
    }
}

fn describe(gpu: &CudaGpu, driver: &Driver) -> String {
    let (major, minor) = gpu.compute_capability;
    let lines = [
        (
            "compute",
            format!(
                "capability {major}.{minor}, {} multiprocessors",
                gpu.multiprocessors
            ),
        ),
        (
            "memory",
            format!(
                "{}, L2 {}",
                units::bytes(gpu.memory_bytes as f64),
                platform::size(gpu.l2_bytes)
            ),
        ),
        ("driver", format!("for {}", driver.name())),
        ("clocks", clocks(gpu)),
    ];
    let mut text = format!("gpu: cuda:{}, {}\n", gpu.number, gpu.name);
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<11}{value}");
    }
    text
}

fn clocks(gpu: &CudaGpu) -> String {
    match cuda::clocks(gpu) {
        Ok(Clocks { now_mhz, most_mhz }) => format!("{now_mhz} MHz now, {most_mhz} MHz at most"),
        Err(reason) => format!("not known here: {reason}"),
    }
}

fn shape(machine: &Machine) -> String {
    let count = |number: usize, name: &str| {
        let plural = if number == 1 { "" } else { "s" };
        format!("{number} {name}{plural}")
    };
    [
        count(machine.packages, "package"),
        count(machine.cores, "core"),
        count(machine.hardware_threads, "hardware thread"),
        count(machine.numa_nodes, "NUMA node"),
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

fn print_ceilings(topology: &Topology) -> Result<(), Failure> {
    let all = platform::usable_threads();
    let mut counts = vec![1, all];
    counts.dedup();
    super::print("memory bandwidth, read and write counted:\n")?;
    for threads in counts {
        let team = Team::new(threads)?;
        let bandwidth = measure_bandwidth(&team, topology.last_level_bytes());
        super::print(&format!(
            "  {threads:>3} thread{} copy {}, triad {}\n",
            if threads == 1 { ": " } else { "s:" },
            units::bytes_per_second(bandwidth.copy_bytes_per_s),
            units::bytes_per_second(bandwidth.triad_bytes_per_s),
        ))?;
    }
    Ok(())
}
