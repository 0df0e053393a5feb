//! `bench devices`
//!
//! | module | does |
//! |---|---|
//! | `describe` | describes devices |
//! | `measurements` | describes measurements, which this module makes |

mod describe;
mod measurements;

use std::fmt::Display;

use portable_gpu::{Gpu, cuda, hip, webgpu};
use reports::charts;
use reports::clock::now;
use reports::record::{CEILINGS_VERSION, CeilingsRecord};
use reports::store::{claim_ceilings, write_ceilings};
use reports::table::Format;
use reports::units::counted;
use tasks::device::{Device, Team};
use text::Untrusted;

use crate::commands::say;
use crate::failure::{Exit, Failure};
use crate::measure::{gpu_ceilings, measure_bandwidth};
use crate::platform::gpus::{Gpus, only_verifies, problem_of};
use crate::platform::{self, Topology, last_level_bytes};
use crate::request::{DeviceSet, DevicesRequest};
use crate::throughput::{Links, StreamGpus};

pub(super) fn run(request: &DevicesRequest) -> Result<Exit, Failure> {
    let topology = Topology::this_machine();
    let printed = request.format.stdout;
    // At once: measuring takes its time.
    if printed == Format::Table {
        super::print(&describe::machine(&topology))?;
    }
    let mut record = unmeasured(&topology);
    if request.measure {
        super::refuse_development_build()?;
        request.out.as_deref().map_or(Ok(()), claim_ceilings)?;
        measure_ceilings(&topology, &mut record)?;
    }
    keep(request, &record)?;
    super::write_files(&request.format, |format| match format {
        Format::Json => json(&record),
        _ => Ok(describe::machine(&topology) + &measurements::measured(&record)),
    })?;
    match printed {
        Format::Json => super::print(&json(&record)?)?,
        _ => super::print(&measurements::measured(&record))?,
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
    charts::write(folder, &charts::draw_links(record)?)?;
    super::say(&format!("ceilings: {}", folder.escaped()));
    Ok(())
}

/// The machine, before anything is measured.
fn unmeasured(topology: &Topology) -> CeilingsRecord {
    let machine = platform::machine(topology);
    CeilingsRecord {
        schema_version: CEILINGS_VERSION,
        started: now(),
        machine_key: machine.key(),
        machine,
        ceilings: Default::default(),
        links: Vec::new(),
        links_at_once: Vec::new(),
        latencies: Default::default(),
        notes: Vec::new(),
    }
}

/// Measures the host with one and with all threads, then each GPU.
fn measure_ceilings(topology: &Topology, record: &mut CeilingsRecord) -> Result<(), Failure> {
    let mut counts = vec![1, platform::usable_threads()];
    counts.dedup();
    for threads in counts {
        let of = counted(threads, "thread");
        say(&format!("measuring the bandwidth of {of}"));
        let team = Team::new(threads)?;
        let bandwidth = measure_bandwidth(&team, last_level_bytes(topology).0, None);
        record.ceilings.insert(format!("cpu/{threads}"), bandwidth);
    }
    let gpus = Gpus::default();
    let devices = measurable(record);
    for device in devices.iter().flatten() {
        measure_gpu(&gpus, *device, record);
    }
    drop(gpus);
    for kind in devices {
        measure_links(kind, record);
    }
    Ok(())
}

/// Returns the GPUs of each kind that can be measured; notes why others are skipped.
fn measurable(record: &mut CeilingsRecord) -> [Vec<Device>; 3] {
    let cuda = 0..cuda::devices().map_or(0, |(_, gpus)| gpus.len());
    let cuda = cuda.map(|number| Device::Cuda(number as u32)).collect();
    let mut usable = |device: Device, problem: Option<String>| {
        let is_usable = problem.is_none();
        record.notes.extend(problem);
        is_usable.then_some(device)
    };
    let hip = hip::devices().unwrap_or_default();
    let hip = hip.iter().map(|gpu| Device::Hip(gpu.number));
    let hip = hip.filter_map(|device| usable(device, problem_of(device))).collect();
    let adapters = webgpu::adapters().unwrap_or_default();
    let adapters = adapters.iter().map(|adapter| Device::Wgpu(adapter.number));
    let adapters = adapters.filter_map(|device| usable(device, only_verifies(device))).collect();
    [cuda, hip, adapters]
}

/// The links of all GPUs of a kind, alone and at the same time.
fn measure_links(devices: Vec<Device>, record: &mut CeilingsRecord) {
    let Some(device_set) = DeviceSet::from_devices(devices) else { return };
    if let [one] = device_set.devices() {
        let note = format!("links of several GPUs at once: there is but one, {one}");
        return record.notes.push(note);
    }
    say(&format!("measuring the links of {device_set}, alone and at once"));
    let gpus = StreamGpus::default();
    let links = Links::open(&device_set, &gpus).and_then(|mut links| links.alone_and_at_once());
    match links {
        Ok(links) => record.links_at_once.extend(links),
        Err(error) => {
            let note = format!("the links of {device_set} could not be measured at once: {error}");
            record.notes.push(note);
        }
    }
}

fn measure_gpu(gpus: &Gpus, device: Device, record: &mut CeilingsRecord) {
    let name = device.to_string();
    let mut notes = Vec::new();
    let mut note = |what: &str, error: &dyn Display| {
        notes.push(format!("the {what} of {name} could not be measured: {error}"));
    };
    let mut tried = |what: &str, take: &mut dyn FnMut(&Gpu) -> Result<(), String>| {
        say(&format!("measuring the {what} of {name}"));
        // Anew each time: after a failed kernel only that helps.
        let gpu = gpus.gpu(device).map_err(|error| error.to_string());
        if let Err(error) = gpu.and_then(|gpu| take(&gpu)) {
            note(what, &error);
        }
    };
    tried("bandwidth", &mut |gpu| {
        let bandwidth = gpu_ceilings::bandwidth(gpu).map_err(|error| error.to_string())?;
        record.ceilings.insert(name.clone(), bandwidth);
        Ok(())
    });
    tried("link", &mut |gpu| {
        let curves = gpu_ceilings::link_curves(gpu).map_err(|error| error.to_string())?;
        record.links.extend(curves);
        Ok(())
    });
    tried("latency", &mut |gpu| {
        let latencies = gpu_ceilings::latencies(gpu).map_err(|error| error.to_string())?;
        record.latencies.insert(name.clone(), latencies);
        Ok(())
    });
    record.notes.extend(notes);
}
