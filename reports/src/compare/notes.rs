//! Other differences between two runs, and reasons to doubt them.

use std::collections::BTreeSet;

use statistics::MIN_BLOCKS;
use text::Untrusted;

use super::judge::CompareOptions;
use super::measured::{Load, Measured};
use super::scatter::Origin;
use crate::program::renamed;
use crate::record::{Environment, RunRecord};
use crate::units;

/// Smaller relative differences of clocks explain no relevant change.
const UNLIKE_CLOCKS: f64 = 0.03;
/// Cost of reading the clock, in seconds, from which on it is mentioned.
const DEAR_CLOCK_S: f64 = 1e-7;

/// Notes on the comparison as a whole.
pub fn notes(base: &Measured, new: &Measured, options: &CompareOptions) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(calibration(base, new, options));
    for (name, run) in [("base", base), ("new run", new)] {
        notes.extend(unfinished(name, run));
        notes.extend(clock_jump(name, run));
        notes.extend(disturbed(name, run));
        notes.extend(blocks(name, run).filter(|_| !base.is_paired_with(new)));
    }
    notes.extend(differences(base, new));
    notes.extend(gpus(base, new));
    notes.extend(clocks(base, new));
    notes.extend(price_of_clock(base, new));
    notes.extend((randomised([base, new]) == Some(true)).then(random_addresses));
    notes
}

/// Version of the NVIDIA driver, of which a machine has one; empty without GPUs.
fn driver(run: &RunRecord) -> String {
    let gpu = run.machine.gpus.first();
    gpu.map_or_else(String::new, |gpu| gpu.driver.escaped().to_string())
}

/// Changes of the GPUs that points of both runs ran on.
fn gpus(base: &Measured, new: &Measured) -> Vec<String> {
    let a = &base.record;
    let b = &new.record;
    let devices = new.points.iter().map(|point| point.key.point.device.as_str());
    let devices: BTreeSet<&str> = devices.collect();
    let pairs = devices.into_iter().filter_map(|device| {
        let pair = a.cuda_gpu(device).zip(b.cuda_gpu(device))?;
        Some((device, pair))
    });
    let mut notes = Vec::new();
    for (device, (a, b)) in pairs {
        let changes = [
            ("the power limit", a.power_limit_w.map(watts), b.power_limit_w.map(watts)),
            (
                "the power limit in force",
                a.enforced_power_limit_w.map(watts),
                b.enforced_power_limit_w.map(watts),
            ),
            (
                "the highest memory clock",
                a.max_memory_clock_mhz.map(mhz),
                b.max_memory_clock_mhz.map(mhz),
            ),
            (
                "the application clock of the memory",
                a.application_memory_clock_mhz.map(mhz),
                b.application_memory_clock_mhz.map(mhz),
            ),
            ("the highest clock", a.max_clock_mhz.map(mhz), b.max_clock_mhz.map(mhz)),
            (
                "the application clock",
                a.application_clock_mhz.map(mhz),
                b.application_clock_mhz.map(mhz),
            ),
            ("ECC", a.ecc.map(on_off), b.ecc.map(on_off)),
            ("the card", a.uuid.clone(), b.uuid.clone()),
        ];
        for (what, a, b) in changes {
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                notes.push(format!(
                    "{what} of {device} changed from {} to {}",
                    a.escaped(),
                    b.escaped()
                ));
            }
        }
    }
    notes
}

/// A value, or `unknown`: unknown values are not compared.
fn known(value: Option<String>) -> String {
    value.map_or_else(String::new, |value| value.escaped().to_string())
}

/// Limits of all processors that are in force: `package-0 long_term 125 W`.
fn power_caps(environment: &Environment) -> String {
    let caps = environment.power_caps.iter().filter(|cap| cap.enabled != Some(false));
    let words = caps.map(|cap| {
        let package = cap.package.escaped();
        format!("{package} {} {}", cap.constraint.escaped(), watts(cap.limit_w))
    });
    words.collect::<Vec<_>>().join(", ")
}

fn frequencies([min, max]: [f64; 2]) -> String {
    format!("{min:.0} to {max:.0} MHz")
}

fn cpus(quota: f64) -> String {
    format!("{quota:.1} CPUs")
}

/// True if addresses were randomised in the processes of a paired run; `None` for separate runs,
/// and where it is not recorded.
pub(super) fn randomised([base, new]: [&Measured; 2]) -> Option<bool> {
    let of_both = [base, new].into_iter().filter_map(|run| run.record.environment.aslr);
    of_both.max().filter(|_| base.is_paired_with(new))
}

/// Explains the effect of randomised addresses on verdicts.
fn random_addresses() -> String {
    "addresses were randomised, because the system does not allow to disable it: processes of the \
     same code differ by some per cent, which the intervals include; fewer small changes are \
     detected"
        .to_owned()
}

/// Clocks of both runs, if they differ by enough to change times.
fn clocks(base: &Measured, new: &Measured) -> Vec<String> {
    let devices = new.clock_mhz.iter().filter_map(|(device, new)| {
        let base = base.clock_mhz.get(device)?;
        let change = new / base - 1.0;
        let way = if change < 0.0 { "lower" } else { "higher" };
        (change.abs() >= UNLIKE_CLOCKS).then(|| {
            format!(
                "clocks of {device} were {} {way} in the new run: {base:.0} MHz in the base, \
                 {new:.0} MHz in the new run",
                units::percent(change.abs())
            )
        })
    });
    devices.collect()
}

fn watts(watts: f64) -> String {
    format!("{watts:.0} W")
}

fn mhz(clock: u32) -> String {
    format!("{clock} MHz")
}

fn on_off(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

/// Cost of reading the clock, if it was much higher in one of the runs.
fn price_of_clock(base: &Measured, new: &Measured) -> Option<String> {
    let [a, b] = [base, new].map(|run| run.record.environment.clock_read_s);
    let (a, b) = a.zip(b)?;
    (a.max(b) > DEAR_CLOCK_S && a.max(b) > 2.0 * a.min(b)).then(|| {
        format!(
            "reading the clock took {} in the base, {} in the new run: samples include that",
            units::seconds(a, 2),
            units::seconds(b, 2)
        )
    })
}

/// Known scatter between runs on the machine.
fn calibration(base: &Measured, new: &Measured, options: &CompareOptions) -> Option<String> {
    if base.is_paired_with(new) {
        return None;
    }
    match &options.scatter {
        Some(scatter) if scatter.origin() == Origin::History => Some(format!(
            "scatter between runs of the same code: from {} of the store",
            units::counted(scatter.runs(), "run")
        )),
        Some(_) => None,
        None => {
            let paired_run = match new.record.suite {
                Some(_) => "`bench run SUITE --against BASE`",
                None => "`bench compare BASE NEW --confirm`",
            };
            let note = format!(
                "the scatter between runs of the same code is unknown on this machine, so a change \
                 may be noise; store five runs, run `bench selftest`, or make a paired run: \
                 {paired_run}"
            );
            Some(renamed(&note).into_owned())
        }
    }
}

fn unfinished(name: &str, run: &Measured) -> Option<String> {
    let finished = run.record.finished.is_some();
    (!finished).then(|| {
        format!(
            "the {name} was not finished: only its completed points are \
        compared"
        )
    })
}

fn clock_jump(name: &str, run: &Measured) -> Option<String> {
    let finished = run.record.finished.as_ref()?;
    // Both are UTC in RFC 3339: texts sort by time.
    (*finished < run.record.started).then(|| {
        format!("the {name} ended before it began: the system's clock was set back during the run")
    })
}

fn disturbed(name: &str, run: &Measured) -> Option<String> {
    let percent = Load::from_run(run).percent_disturbed()?;
    Some(match run.record.environment.cpu_quota {
        Some(cpus) => format!(
            "{percent:.0} % of the samples of the {name} were stopped by its quota of {cpus:.1} \
             CPUs, or taken while others used the cores"
        ),
        None => format!(
            "{percent:.0} % of the samples of the {name} were taken while others used the cores"
        ),
    })
}

/// Without blocks of samples an interval does not include the scatter between runs.
fn blocks(name: &str, run: &Measured) -> Option<String> {
    let samples = run.points.iter().filter_map(|point| point.samples.as_ref().ok());
    let without = samples.filter(|samples| !samples.all.has_blocks()).count();
    (without > 0).then(|| {
        format!(
            "{} of the {name} with fewer than {MIN_BLOCKS} blocks: their intervals \
             leave out what differs from run to run; measure with more --samples",
            units::counted(without, "point")
        )
    })
}

/// Differences of properties that should be equal.
fn differences(base: &Measured, new: &Measured) -> Vec<String> {
    let a = &base.record;
    let b = &new.record;
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let ea = &a.environment;
    let eb = &b.environment;
    let pairs = [
        ("the seed of the data", a.seed.to_string(), b.seed.to_string()),
        ("the host", known(a.host_name.clone()), known(b.host_name.clone())),
        ("the driver", driver(a), driver(b)),
        ("the kernel", ea.kernel.clone(), eb.kernel.clone()),
        ("the governor", text(&ea.governor), text(&eb.governor)),
        ("turbo", known(ea.turbo.map(on_off)), known(eb.turbo.map(on_off))),
        (
            "the energy preference",
            known(ea.energy_preference.clone()),
            known(eb.energy_preference.clone()),
        ),
        ("the power limits of processors", power_caps(ea), power_caps(eb)),
        (
            "the range of frequencies",
            known(ea.frequency_limits_mhz.map(frequencies)),
            known(eb.frequency_limits_mhz.map(frequencies)),
        ),
        ("the clock source", known(ea.clock_source.clone()), known(eb.clock_source.clone())),
        ("the CPU quota", known(ea.cpu_quota.map(cpus)), known(eb.cpu_quota.map(cpus))),
        ("huge pages", text(&ea.transparent_huge_pages), text(&eb.transparent_huge_pages)),
        ("the number of usable CPUs", ea.usable_threads.to_string(), eb.usable_threads.to_string()),
        ("the compiler", a.software.compiler.clone(), b.software.compiler.clone()),
        ("the build", a.software.build_profile.clone(), b.software.build_profile.clone()),
        ("the CPU that was built for", a.software.built_for.clone(), b.software.built_for.clone()),
    ];
    let differ = |(what, a, b): (&str, String, String)| {
        // Earlier versions recorded neither the host nor the target of the build.
        let is_known = !a.is_empty() && !b.is_empty();
        (is_known && a != b).then(|| format!("{what} changed from {a} to {b}"))
    };
    pairs.into_iter().filter_map(differ).collect()
}
