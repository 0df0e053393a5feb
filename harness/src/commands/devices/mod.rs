//! `bench devices`
//!
//! | module | does |
//! |---|---|
//! | `ceilings` | measures what the machine can do at most |
//! | `words` | says what was measured |

mod ceilings;
mod words;

use std::fmt::Write;

use algorithms::device::gpu::cuda::{self, CudaGpu, Driver};
use algorithms::device::gpu::monitor::Monitor;
use reports::charts;
use reports::record::{CacheLevel, CeilingsRecord, Machine};
use reports::store::{claim_ceilings, write_ceilings};
use reports::units;

use crate::failure::{Exit, Failure};
use crate::platform::{self, Topology};
use crate::request::{DevicesFormat, DevicesRequest};

pub(super) fn run(request: &DevicesRequest) -> Result<Exit, Failure> {
    let topology = Topology::of_this_machine();
    let printed = request.format.stdout;
    // At once: measuring takes its time.
    if printed == DevicesFormat::Table {
        super::print(&description(&topology))?;
    }
    let mut record = ceilings::nothing(&topology);
    if request.measure {
        super::refuse_development_build()?;
        request.out.as_deref().map_or(Ok(()), claim_ceilings)?;
        ceilings::measure(&topology, &mut record)?;
    }
    keep(request, &record)?;
    super::write_files(&request.format, |format| match format {
        DevicesFormat::Table => Ok(description(&topology) + &words::of(&record)),
        DevicesFormat::Json => json(&record),
    })?;
    match printed {
        DevicesFormat::Table => super::print(&words::of(&record))?,
        DevicesFormat::Json => super::print(&json(&record)?)?,
    }
    Ok(Exit::Success)
}

fn json(record: &CeilingsRecord) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(record).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

fn keep(request: &DevicesRequest, record: &CeilingsRecord) -> Result<(), Failure> {
    let Some(folder) = &request.out else {
        return Ok(());
    };
    write_ceilings(folder, record)?;
    charts::draw_links(folder, record)?;
    super::say(&format!("ceilings: {}", folder.display()));
    Ok(())
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
        ("counters", platform::counters::availability()),
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
    let monitor = cuda::monitor(gpu);
    let both = monitor
        .clock_mhz()
        .and_then(|now| Ok((now, monitor.most_clock_mhz()?)));
    match both {
        Ok((now, most)) => format!("{now} MHz now, {most} MHz at most"),
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
