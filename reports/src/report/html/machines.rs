//! Machines, their state, the software, and the bandwidth of memory.

use maud::{Markup, html};
use text::Untrusted;

use super::super::ReportInput;
use super::super::facts::time::day;
use super::super::facts::{counted, grouped};
use super::parts::{facts, scrolling};
use crate::record::{Bandwidth, CacheLevel, Machine, PluginRecord, RunRecord};
use crate::units;

pub fn section(input: &ReportInput) -> Markup {
    let gpus = |record: &RunRecord| -> Vec<String> {
        record.machine.gpus.iter().map(|gpu| gpu.model.clone()).collect()
    };
    let machines = grouped(input.records(), |record| (record.machine_key.clone(), gpus(record)));
    html! {
        section #machines {
            h2 { (if machines.len() == 1 { "Machine" } else { "Machines" }) }
            @if machines.len() > 1 {
                p { "The first one ran what is reported here. Times of different machines are not \
                    compared." }
            }
            @for (_, records) in &machines { (machine(records)) }
        }
    }
}

/// A machine by the first of its records.
fn machine(records: &[&RunRecord]) -> Markup {
    let Some(record) = records.first() else {
        return html! {};
    };
    html! {
        h3 { (record.machine.cpu_model.escaped()) }
        div.columns {
            (facts(&hardware(record, records)))
            (facts(&environment(record)))
            (facts(&software(record)))
        }
        (ceilings(record))
    }
}

fn hardware(record: &RunRecord, records: &[&RunRecord]) -> Vec<(&'static str, Option<String>)> {
    let machine = &record.machine;
    let mut list = vec![
        ("topology", Some(topology(machine))),
        ("architecture", Some(machine.architecture.clone())),
        ("caches", caches(&machine.caches)),
        ("memory", Some(units::bytes(machine.memory_bytes as f64))),
    ];
    for gpu in &machine.gpus {
        let memory = units::bytes(gpu.memory_bytes as f64);
        let words = format!("{}, {memory}, driver {}", gpu.model, gpu.driver);
        list.push(("GPU", Some(words)));
    }
    list.push(("host", record.host_name.clone()));
    list.push(("key", Some(record.machine_key.clone())));
    list.push(("runs", Some(runs(records))));
    list
}

fn topology(machine: &Machine) -> String {
    let parts = [
        counted(machine.packages, "package"),
        counted(machine.cores, "core"),
        counted(machine.hardware_threads, "hardware thread"),
        counted(machine.numa_nodes, "NUMA node"),
    ];
    parts.join(", ")
}

/// `L1 2 × 32 KiB`; `None` if they are not known.
fn caches(levels: &[CacheLevel]) -> Option<String> {
    let words = levels.iter().map(|cache| {
        let kib = cache.bytes / 1024;
        let size = match kib {
            1024.. => format!("{} MiB", units::significant(kib as f64 / 1024.0, 3)),
            _ => format!("{kib} KiB"),
        };
        format!("L{} {} × {size}", cache.level, cache.count)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Number of runs of this machine in the report.
fn runs(records: &[&RunRecord]) -> String {
    let days = || records.iter().map(|record| day(&record.started));
    match (days().min(), days().max()) {
        (Some(first), Some(last)) if first != last => {
            format!("{}, {first} to {last}", counted(records.len(), "run"))
        }
        (Some(day), _) => format!("{}, {day}", counted(records.len(), "run")),
        _ => String::new(),
    }
}

fn environment(record: &RunRecord) -> Vec<(&'static str, Option<String>)> {
    let state = &record.environment;
    let load = state.load_1min.map(|load| format!("{load:.2}"));
    let memory = units::bytes(state.available_memory_bytes as f64);
    vec![
        ("system", Some(state.kernel.clone())),
        ("frequency governor", state.governor.clone()),
        ("transparent huge pages", state.transparent_huge_pages.clone()),
        ("load at the start", load),
        ("memory available", Some(memory)),
        ("usable threads", Some(state.usable_threads.to_string())),
    ]
}

fn software(record: &RunRecord) -> Vec<(&'static str, Option<String>)> {
    let software = &record.software;
    vec![
        ("recobench", Some(software.version.clone())),
        ("commit", software.git_commit.clone()),
        ("compiler", Some(software.compiler.clone())),
        ("profile", Some(software.build_profile.clone())),
        ("target", Some(software.target.clone())),
        ("built for", Some(software.built_for.clone())),
        ("instruction sets", Some(software.target_features.clone())),
        ("plugins", plugins(record)),
    ]
}

/// `mine 1.0 (libmine.so)`
fn plugins(record: &RunRecord) -> Option<String> {
    let plugins = record.plugins.iter();
    let words = plugins.map(|plugin| {
        let PluginRecord { file, name, version, .. } = plugin;
        format!("{name} {version} ({file})")
    });
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Measured directions of a link.
const LINK: [&str; 3] = ["host to device", "device to host", "both directions"];

fn ceilings(record: &RunRecord) -> Markup {
    let has_links = record.ceilings.values().any(|found| found.link.is_some());
    let stores = |bandwidth: &Bandwidth| bandwidth.store_bytes_per_s;
    let has_stores = record.ceilings.values().any(|found| stores(found).is_some());
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "device" }
                th.number scope="col" { "threads" }
                th.number scope="col" { "copy" }
                th.number scope="col" { "triad" }
                @if has_stores { th.number scope="col" { "stores past the caches" } }
                @if has_links { @for name in LINK { th.number scope="col" { (name) } } }
            } }
            tbody { @for (source, bandwidth) in &record.ceilings {
                @let (device, threads) = source.rsplit_once('/').unwrap_or((source, ""));
                tr {
                    th scope="row" { (device.escaped()) }
                    td.number { (threads) }
                    td.number { (units::bytes_per_second(bandwidth.copy_bytes_per_s)) }
                    td.number { (units::bytes_per_second(bandwidth.triad_bytes_per_s)) }
                    @if has_stores {
                        td.number { (stores(bandwidth).map(units::bytes_per_second).unwrap_or_default()) }
                    }
                    @if has_links { @for rate in link(bandwidth) { td.number { (rate) } } }
                }
            } }
        }
    };
    html! {
        @if record.ceilings.is_empty() {
            p.quiet { "No bandwidth was measured in this run." }
        } @else {
            p.quiet {
                "Memory bandwidth measured in the run, reads and writes counted"
                @if has_links { ", and that of the link to GPUs" }
                ":"
            }
            (scrolling("Measured bandwidth", &table))
        }
    }
}

fn link(bandwidth: &Bandwidth) -> [String; 3] {
    let rates = bandwidth
        .link
        .map(|link| [link.h2d_bytes_per_s, link.d2h_bytes_per_s, link.both_bytes_per_s]);
    rates.unwrap_or([f64::NAN; 3]).map(units::bytes_per_second)
}
