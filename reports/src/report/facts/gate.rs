//! How often the gate of comparisons errs.

use super::time::day;
use crate::record::{SelfTest, Trial};

/// The rates that `bench selftest` measured, in words.
pub fn sentence(gate: Option<&SelfTest>) -> String {
    let Some(gate) = gate else {
        return "How often such verdicts err on this machine was not measured; \
            bench selftest does so."
            .to_owned();
    };
    let day = day(&gate.finished);
    let gates = [
        ("runs one after the other", &gate.trials),
        ("measured in turn", &gate.in_turn),
    ];
    let gates = gates.iter().filter(|(_, trials)| !trials.is_empty());
    let rates: Vec<_> = gates
        .map(|(name, trials)| format!("{name}: {}", rates(trials)))
        .collect();
    format!(
        "The gate's own test on this machine ({day}): {}.",
        rates.join("; ")
    )
}

fn rates(trials: &[Trial]) -> String {
    let unchanged = trials.iter().find(|trial| trial.slowdown == 0.0);
    let alarms = unchanged.and_then(Trial::rate).map_or_else(
        || "false alarms were not counted".to_owned(),
        |rate| format!("{} of unchanged points were called a change", percent(rate)),
    );
    let known = trials.iter().filter(|trial| trial.slowdown > 0.0);
    let found = known.filter_map(|trial| {
        let rate = percent(trial.rate()?);
        Some(format!("{rate} of those of {}", percent(trial.slowdown)))
    });
    let found: Vec<String> = found.collect();
    match found.is_empty() {
        true => alarms,
        false => format!("{alarms}, of known slowdowns it found {}", found.join(", ")),
    }
}

fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent < 10.0 && percent.fract() != 0.0 {
        true => format!("{percent:.1} %"),
        false => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::comparison;
    use super::*;

    #[test]
    fn rates_are_said_in_percent() {
        let gate = comparison(&[]).gate;
        assert_eq!(
            sentence(gate.as_ref()),
            "The gate's own test on this machine (2026-01-01): runs one after the other: 0.5 % of \
             unchanged points were called a change, of known slowdowns it found 75 % of those of \
             2 %, 100 % of those of 5 %; measured in turn: 0 % of unchanged points were called a \
             change, of known slowdowns it found 100 % of those of 5 %."
        );
        assert!(sentence(None).contains("bench selftest"));
    }
}
