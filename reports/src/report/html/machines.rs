//! Machines, their state, the software, the bandwidth of memory, and that of variants relative to
//! it: on a GPU to that of the link for complete runs, to that of the memory for kernels.

use maud::{Markup, html};
use text::Untrusted;

use super::super::ReportInput;
use super::super::facts::{Settings, TOTAL, counted, day, grouped};
use super::{and_more, facts, pixels, scrolling};
use crate::rank::KERNEL;
use crate::record::{Bandwidth, CacheLevel, Ceiling, Machine, PluginRecord, RunRecord, SummaryRow};
use crate::shape::{self, Axes, name};
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

/// Maximum number of bars; further variants are in the tables only.
const MAX_BARS: usize = 40;
const WIDTH: f64 = 300.0;
const BAR: f64 = 18.0;

pub fn ceilings_section(rows: &[&SummaryRow], settings: &Settings) -> Markup {
    let positions = positions(rows);
    let longest = positions.iter().map(|position| position.best).fold(1.0, f64::max);
    html! {
        @if !positions.is_empty() {
            h3 { "Share of the measured ceilings" }
            p.quiet {
                "The bytes that any implementation must move, over the median, as a share of the \
                 copy bandwidth measured with the same number of threads in the same run. Bars \
                 reach to the best setting, the notch is at the worst; the line is the ceiling."
                @if positions.iter().any(|position| position.under == Ceiling::Link) {
                    " On a GPU, that holds for kernels; the ceiling of complete runs is the \
                     bandwidth of the link, both directions at the same time. Sequential copies \
                     reach half of it."
                }
                @if longest > 1.0 { " Bars beyond the line were served by caches." }
            }
            (scrolling("Share of the measured ceilings", &table(&positions, settings, longest)))
            (and_more(positions.len().saturating_sub(MAX_BARS), "variants"))
        }
    }
}

fn table(positions: &[Position], settings: &Settings, longest: f64) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "variant" }
                th.number scope="col" { "threads" }
                th.number scope="col" { "share" }
                th scope="col" { "0 to " (percent(longest)) }
                th.number scope="col" { "bytes/s" }
                th.number scope="col" { "ceiling" }
                th scope="col" { "best at" }
            } }
            tbody { @for position in positions.iter().take(MAX_BARS) { tr {
                th scope="row" { (position.variant.escaped()) }
                td.number { (position.threads) }
                td.number { (percent(position.best)) }
                td { (bar(position, longest)) }
                td.number { (units::bytes_per_second(position.bytes_per_s)) }
                td.number { (ceiling(position)) }
                td.quiet.settings { (settings.apart(&position.at)) }
            } } }
        }
    }
}

fn bar(position: &Position, longest: f64) -> Markup {
    let x = |share: f64| WIDTH * share / longest;
    html! {
        svg.ceiling role="img" aria-label=(words(position)) width=(WIDTH) height=(BAR)
            viewBox={ "0 0 " (WIDTH) " " (BAR) } {
            rect.track x="0" y="3" width=(WIDTH) height="12" {}
            rect.fill x="0" y="3" width=(pixels(x(position.best))) height="12" {}
            @if position.settings > 1 {
                path.notch d={ "M" (pixels(x(position.worst))) " 3v12" } {}
            }
            path.line d={ "M" (pixels(x(1.0).min(WIDTH - 1.0))) " 0v" (BAR) } {}
        }
    }
}

/// `30 GB/s copy`, `100 GB/s link`.
fn ceiling(position: &Position) -> String {
    let name = match position.under {
        Ceiling::Copy => "copy",
        Ceiling::Link => "link",
    };
    format!("{} {name}", units::bytes_per_second(position.ceiling()))
}

/// `14 % of the ceiling, 5 % at the worst of 8 settings`.
fn words(position: &Position) -> String {
    let best = format!("{} of the ceiling", percent(position.best));
    match position.settings {
        1 => best,
        count => format!(
            "{best}, {} at the worst of {}",
            percent(position.worst),
            counted(count, "setting")
        ),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// Bandwidth of a variant relative to the ceiling for its threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The variant, with its device if that is not the CPU; or its kernels.
    pub variant: String,
    /// The ceiling.
    pub under: Ceiling,
    /// Threads on the host.
    pub threads: usize,
    /// Number of settings at which it was measured.
    pub settings: usize,
    /// The largest share of the ceiling.
    pub best: f64,
    /// The smallest share of the ceiling.
    pub worst: f64,
    /// Axes at which it was the largest.
    pub at: Axes,
    /// The bandwidth there, in bytes per second.
    pub bytes_per_s: f64,
}

impl Position {
    /// The ceiling in bytes per second.
    pub fn ceiling(&self) -> f64 {
        self.bytes_per_s / self.best
    }
}

/// The positions of all variants and numbers of threads, the best first.
pub fn positions(rows: &[&SummaryRow]) -> Vec<Position> {
    let known = rows.iter().copied().filter(|row| share(row).is_some());
    let groups = grouped(known, |row| (subject(row), row.threads));
    let mut positions: Vec<Position> = groups
        .into_iter()
        .filter_map(|((variant, threads), rows)| position(variant, threads, &rows))
        .collect();
    positions.sort_by(|a, b| b.best.total_cmp(&a.best));
    positions
}

/// `block-merge on cuda:0, kernels`.
fn subject(row: &SummaryRow) -> String {
    match row.stage.as_str() {
        KERNEL => format!("{}, kernels", name(row)),
        _ => name(row),
    }
}

fn share(row: &SummaryRow) -> Option<f64> {
    row.valid_median()?;
    let is_whole = [TOTAL, KERNEL].contains(&row.stage.as_str());
    let share = row.peak_fraction.filter(|_| is_whole && !row.is_in_cache())?;
    (share.is_finite() && share > 0.0).then_some(share)
}

fn position(variant: String, threads: usize, rows: &[&SummaryRow]) -> Option<Position> {
    let shares = || rows.iter().filter_map(|row| Some((share(row)?, *row)));
    let (best, row) = shares().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Position {
        variant,
        under: row.ceiling(),
        threads,
        settings: rows.len(),
        best,
        worst: shares().map(|(share, _)| share).fold(best, f64::min),
        at: shape::axes(row),
        bytes_per_s: row.bytes_per_s.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::row;
    use super::*;

    #[test]
    fn the_best_setting_stands_for_a_variant() {
        let share = |variant: &str, n: u32, share: f64| SummaryRow {
            peak_fraction: Some(share),
            bytes_per_s: Some(share * 1e10),
            ..row(variant, &format!("n={n}"), 1.0)
        };
        let rows = [share("a", 1, 0.1), share("a", 2, 0.4), share("b", 1, 0.5)];
        let positions = positions(&rows.iter().collect::<Vec<_>>());
        assert_eq!(positions[0].variant, "b");
        assert_eq!((positions[1].best, positions[1].worst), (0.4, 0.1));
        assert_eq!(positions[1].ceiling(), 1e10);
        assert!(positions[1].at.contains(&("n".into(), "2".into())));
    }

    #[test]
    fn kernels_are_compared_with_memory_and_complete_runs_with_the_link() {
        let stage = |stage: &str, share: f64| SummaryRow {
            stage: stage.into(),
            device: "cuda:0".into(),
            peak_fraction: Some(share),
            bytes_per_s: Some(share * 1e12),
            ..row("a", "n=1", 1.0)
        };
        let rows =
            [stage("total", 0.3), stage("kernel", 0.4), stage("h2d", 0.9), stage("sort", 0.8)];
        let positions = positions(&rows.iter().collect::<Vec<_>>());
        let found: Vec<_> =
            positions.iter().map(|position| (position.variant.as_str(), position.under)).collect();
        let kernels = ("a on cuda:0, kernels", Ceiling::Copy);
        assert_eq!(found, [kernels, ("a on cuda:0", Ceiling::Link)]);
    }
}
