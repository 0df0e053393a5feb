//! What else differs between two runs, or makes them doubtful.

use std::collections::BTreeSet;

use statistics::MIN_VISITS;
use text::Foreign;

use super::busy::Load;
use super::join::Terms;
use super::measured::Measured;
use super::scatter::Origin;
use crate::record::RunRecord;
use crate::units;

/// Clocks that differ by less explain no change that matters.
const UNLIKE_CLOCKS: f64 = 0.03;
/// Reading the clock is worth a word from this price in seconds on.
const DEAR_CLOCK_S: f64 = 1e-7;

/// What a reader should know about the comparison as a whole.
pub fn notes(base: &Measured, new: &Measured, terms: &Terms) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(calibration(base, new, terms));
    for (name, run) in [("base", base), ("new run", new)] {
        notes.extend(unfinished(name, run));
        notes.extend(clock_jump(name, run));
        notes.extend(disturbed(name, run));
        notes.extend(visits(name, run).filter(|_| !base.is_in_turn_with(new)));
    }
    notes.extend(differences(base, new));
    notes.extend(gpus(base, new));
    notes.extend(clocks(base, new));
    notes.extend(price_of_clock(base, new));
    notes.extend((randomised([base, new]) == Some(true)).then(random_addresses));
    notes
}

/// Version of the driver of the GPUs by NVIDIA, which a machine has one of; empty without any.
fn driver(run: &RunRecord) -> String {
    let gpu = run.machine.gpus.first();
    gpu.map_or_else(String::new, |gpu| gpu.driver.shown().to_string())
}

/// Changes of the GPUs that points of both runs ran on.
fn gpus(base: &Measured, new: &Measured) -> Vec<String> {
    let (a, b) = (&base.record, &new.record);
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
                    a.shown(),
                    b.shown()
                ));
            }
        }
    }
    notes
}

/// Nothing is said of what one of the runs does not know.
fn known(value: Option<String>) -> String {
    value.map_or_else(String::new, |value| value.shown().to_string())
}

fn cpus(quota: f64) -> String {
    format!("{quota:.1} CPUs")
}

/// Whether addresses were randomised in processes that were measured in turn; `None` for runs one
/// after the other, and where it is not recorded.
pub(super) fn randomised([base, new]: [&Measured; 2]) -> Option<bool> {
    let of_both = [base, new].into_iter().filter_map(|run| run.record.environment.aslr);
    of_both.max().filter(|_| base.is_in_turn_with(new))
}

/// What randomised addresses mean for verdicts.
fn random_addresses() -> String {
    "addresses were randomised, because the system does not allow otherwise: processes of the same \
     code differ by some per cent, which the intervals over many processes include; fewer small \
     changes are found"
        .to_owned()
}

/// Clocks of both runs, where they differ by so much that times do, too.
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

/// The price of reading the clock, where one of the runs paid much more.
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

/// What is known of differences that are the machine's.
fn calibration(base: &Measured, new: &Measured, terms: &Terms) -> Option<String> {
    if base.is_in_turn_with(new) {
        return None;
    }
    match &terms.scatter {
        Some(scatter) if scatter.origin() == Origin::History => Some(format!(
            "how much runs of the same code differ is known from {} of the store",
            units::counted(scatter.runs(), "run")
        )),
        Some(_) => None,
        None => {
            let in_turn = match new.record.suite {
                Some(_) => "`bench run SUITE --against BASE`",
                None => "`bench compare BASE NEW --confirm`",
            };
            Some(format!(
                "how much runs of the same code differ on this machine is not known, so a change \
                 may be the machine's: five runs in a store tell, or `bench selftest`; {in_turn} \
                 measures both in turn and needs neither"
            ))
        }
    }
}

fn unfinished(name: &str, run: &Measured) -> Option<String> {
    let finished = run.record.finished.is_some();
    (!finished).then(|| format!("the {name} was not finished: only the points that it has"))
}

fn clock_jump(name: &str, run: &Measured) -> Option<String> {
    let finished = run.record.finished.as_ref()?;
    // Both are UTC in RFC 3339: texts sort by time.
    (*finished < run.record.started).then(|| {
        format!("the {name} ended before it began: the system's clock was set back meanwhile")
    })
}

fn disturbed(name: &str, run: &Measured) -> Option<String> {
    let percent = Load::of(run).percent_disturbed()?;
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

/// Without visits an interval does not know how a run differs from the next.
fn visits(name: &str, run: &Measured) -> Option<String> {
    let samples = run.points.iter().filter_map(|point| point.samples.as_ref().ok());
    let without = samples.filter(|samples| !samples.all.has_visits()).count();
    (without > 0).then(|| {
        format!(
            "{} of the {name} with fewer than {MIN_VISITS} visits: their intervals \
             leave out what differs from run to run; measure with more --samples",
            units::counted(without, "point")
        )
    })
}

/// What was not the same, though it should be.
fn differences(base: &Measured, new: &Measured) -> Vec<String> {
    let (a, b) = (&base.record, &new.record);
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let (ea, eb) = (&a.environment, &b.environment);
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
        ("the clock source", known(ea.clock_source.clone()), known(eb.clock_source.clone())),
        ("the CPU quota", known(ea.cpu_quota.map(cpus)), known(eb.cpu_quota.map(cpus))),
        ("huge pages", text(&ea.transparent_huge_pages), text(&eb.transparent_huge_pages)),
        ("the number of usable CPUs", ea.usable_threads.to_string(), eb.usable_threads.to_string()),
        ("the compiler", a.software.compiler.clone(), b.software.compiler.clone()),
        ("the build", a.software.build_profile.clone(), b.software.build_profile.clone()),
        ("the CPU that was built for", a.software.built_for.clone(), b.software.built_for.clone()),
    ];
    let differ = |(what, a, b): (&str, String, String)| {
        // Earlier versions recorded neither the host nor what they were built for.
        let is_known = !a.is_empty() && !b.is_empty();
        (is_known && a != b).then(|| format!("{what} changed from {a} to {b}"))
    };
    pairs.into_iter().filter_map(differ).collect()
}
