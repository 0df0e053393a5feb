//! What else differs between two runs, or makes them doubtful.

use statistics::MIN_VISITS;

use super::busy::Load;
use super::join::Terms;
use super::measured::Measured;
use super::scatter::Origin;
use crate::units;

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
    notes
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
        None => Some(
            "how much runs of the same code differ on this machine is not known, so a change may \
             be the machine's: five runs in a store tell, or `bench selftest`; `bench run SUITE \
             --against BASE` measures both in turn and needs neither"
                .to_owned(),
        ),
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
    Some(format!(
        "{percent:.0} % of the samples of the {name} were taken while others used the cores"
    ))
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
        ("the kernel", ea.kernel.clone(), eb.kernel.clone()),
        ("the governor", text(&ea.governor), text(&eb.governor)),
        ("huge pages", text(&ea.transparent_huge_pages), text(&eb.transparent_huge_pages)),
        ("the number of usable CPUs", ea.usable_threads.to_string(), eb.usable_threads.to_string()),
        ("the compiler", a.software.compiler.clone(), b.software.compiler.clone()),
        ("the build", a.software.build_profile.clone(), b.software.build_profile.clone()),
        ("the CPU that was built for", a.software.built_for.clone(), b.software.built_for.clone()),
    ];
    let differ = |(what, a, b): (&str, String, String)| {
        // Earlier versions did not say what they were built for.
        let is_known = !a.is_empty() && !b.is_empty();
        (is_known && a != b).then(|| format!("{what} changed from {a} to {b}"))
    };
    pairs.into_iter().filter_map(differ).collect()
}
