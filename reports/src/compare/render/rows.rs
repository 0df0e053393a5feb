//! What tables of a comparison have in common, whoever reads them.

use super::Listing;
use crate::compare::{Comparison, Key, PointVerdict, Unmatched, Verdict};
use crate::record::{SelfTest, Trial};
use crate::shape::{self, Axes};
use crate::units;

/// So few points are listed all, whatever their verdicts.
const FEW: usize = 24;

/// The columns of a table of points.
pub const COLUMNS: [&str; 7] = ["verdict", "point", "base", "new", "ratio", "95 % CI", "why"];

/// The points to be listed, the most urgent first, the largest change first.
pub fn listed(comparison: &Comparison, listing: Listing) -> Vec<&PointVerdict> {
    let all = listing == Listing::All || comparison.points.len() <= FEW;
    let wanted = |point: &&PointVerdict| all || point.verdict != Verdict::Same;
    let mut points: Vec<_> = comparison.points.iter().filter(wanted).collect();
    points.sort_by(|a, b| a.by_urgency(b));
    points
}

/// What all points of a comparison have in common: it is said once.
pub fn common(comparison: &Comparison) -> Axes {
    let points = comparison.points.iter();
    let axes = points.map(|point| shape::point_axes(&point.key.point));
    match comparison.points.len() {
        1 => Axes::new(),
        _ => shape::common(axes),
    }
}

/// The cells of a point, in the order of [`COLUMNS`], but for what all points
/// have in common.
pub fn cells(point: &PointVerdict, common: &[(String, String)]) -> [String; 7] {
    let time = |seconds: f64| match seconds.is_finite() {
        true => units::seconds(seconds, 4),
        false => "-".to_owned(),
    };
    let interval = point.interval.map_or("-".to_owned(), |interval| {
        format!("[{:.3}, {:.3}]", interval.low, interval.high)
    });
    let ratio = match point.ratio.is_finite() {
        true => format!("{:.3}", point.ratio),
        false => "-".to_owned(),
    };
    [
        point.verdict.to_string(),
        short_words(&point.key, common),
        time(point.base.median_s),
        time(point.new.median_s),
        ratio,
        interval,
        point.reason.clone(),
    ]
}

/// `sort rdst · 2 M digis · 24 segments · order random · 2 threads`.
pub fn words(key: &Key) -> String {
    short_words(key, &[])
}

/// The same without what all points have in common.
fn short_words(key: &Key, common: &[(String, String)]) -> String {
    let name = format!("{} {}", key.point.algorithm, key.name());
    let mut axes = shape::point_axes(&key.point);
    axes.retain(|axis| !common.contains(axis));
    let shape = shape::phrases(&axes);
    let separator = if shape.is_empty() {
        ""
    } else {
        shape::SEPARATOR
    };
    format!("{name}{separator}{shape}")
}

/// `68 points: 1 SLOWER, 2 INCONCLUSIVE, 0 FASTER, 65 SAME`.
pub fn counts(comparison: &Comparison) -> String {
    let plural = if comparison.points.len() == 1 {
        ""
    } else {
        "s"
    };
    let counts = Verdict::ALL.map(|verdict| format!("{} {verdict}", comparison.count(verdict)));
    format!(
        "{} point{plural}: {}",
        comparison.points.len(),
        counts.join(", ")
    )
}

/// Base and new run, a line each.
pub fn names(comparison: &Comparison) -> [String; 2] {
    [("base", &comparison.base), ("new ", &comparison.new)].map(|(side, run)| {
        let commit = run.git_commit.as_deref().map_or(String::new(), |commit| {
            format!(", commit {}", commit.get(..12).unwrap_or(commit))
        });
        format!("{side}  {} ({}{commit})", run.folder, run.started)
    })
}

/// What to do, each step once, with the number of points that it is for.
pub fn steps(comparison: &Comparison) -> Vec<String> {
    let mut steps: Vec<(&str, usize)> = Vec::new();
    for step in comparison
        .points
        .iter()
        .filter_map(|point| point.next.as_deref())
    {
        match steps.iter_mut().find(|(known, _)| *known == step) {
            Some((_, count)) => *count += 1,
            None => steps.push((step, 1)),
        }
    }
    let said = |(step, count): &(&str, usize)| match count {
        1 => (*step).to_owned(),
        count => format!("{step} ({count} points)"),
    };
    steps.iter().map(said).collect()
}

/// Points without a partner, some of them by name.
pub fn unmatched(comparison: &Comparison) -> Vec<String> {
    const NAMED: usize = 5;
    let sides = [
        ("base", &comparison.only_base),
        ("new run", &comparison.only_new),
    ];
    let mut lines = Vec::new();
    for (side, points) in sides.iter().filter(|(_, points)| !points.is_empty()) {
        lines.push(format!(
            "{} points have samples only in the {side}:",
            points.len()
        ));
        let named = |point: &Unmatched| format!("  {}: {}", words(&point.key), point.reason);
        lines.extend(points.iter().take(NAMED).map(named));
        if points.len() > NAMED {
            lines.push(format!("  and {} more", points.len() - NAMED));
        }
    }
    lines
}

/// How often the gate errs.
pub fn gate(comparison: &Comparison) -> String {
    let terms = comparison.thresholds;
    let of_same_terms = |gate: &&SelfTest| {
        (gate.min_effect, gate.significance) == (terms.min_effect, terms.significance)
    };
    let Some(gate) = comparison.gate.as_ref() else {
        return "How often this gate errs on this machine is not known: run `bench selftest`"
            .to_owned();
    };
    if !of_same_terms(&gate) {
        return "How often the gate errs with these limits is not known: the self-test is of the \
                default ones"
            .to_owned();
    }
    let gates = [("run after run", &gate.trials), ("in turn", &gate.in_turn)];
    let gates = gates.iter().filter(|(_, trials)| !trials.is_empty());
    let rates: Vec<_> = gates
        .map(|(name, trials)| format!("{name}: {}", rates(trials)))
        .collect();
    let date = gate.finished.get(..10).unwrap_or(&gate.finished);
    format!(
        "This gate on this machine (selftest of {date}): {}",
        rates.join("; ")
    )
}

/// `false alarms in 1.0 % of 64 points · 5.0 % slower found in 98 %`.
fn rates(trials: &[Trial]) -> String {
    let percent = |rate: f64| format!("{} %", units::significant(100.0 * rate, 2));
    let said = |trial: &Trial| {
        let rate = percent(trial.rate()?);
        Some(match trial.slowdown {
            0.0 => format!("false alarms in {rate} of {} points", trial.points),
            slowdown => format!("{} slower found in {rate}", percent(slowdown)),
        })
    };
    let said: Vec<_> = trials.iter().filter_map(said).collect();
    said.join(" · ")
}
