//! How often the gate of comparisons errs.

use super::time::day;
use crate::record::SelfTest;

/// The rates that `bench selftest` measured, in words.
pub fn sentence(gate: Option<&SelfTest>) -> String {
    let Some(gate) = gate else {
        return "How often such verdicts err on this machine was not measured; \
            bench selftest does so."
            .to_owned();
    };
    let known = gate.trials.iter().map(|trial| trial.slowdown);
    let known = known.filter(|slowdown| *slowdown > 0.0);
    let found = known.filter_map(|slowdown| {
        let rate = gate.rate(slowdown)?;
        Some(format!(
            "{} of those of {}",
            percent(rate),
            percent(slowdown)
        ))
    });
    let found: Vec<String> = found.collect();
    let alarms = gate.rate(0.0).map_or_else(
        || "false alarms were not counted".to_owned(),
        |rate| format!("{} of unchanged points were called a change", percent(rate)),
    );
    let found = match found.is_empty() {
        true => String::new(),
        false => format!("; of known slowdowns it found {}", found.join(", ")),
    };
    let day = day(&gate.finished);
    format!("The gate's own test on this machine ({day}): {alarms}{found}.")
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
            "The gate's own test on this machine (2026-01-01): 0.5 % of unchanged points were \
             called a change; of known slowdowns it found 75 % of those of 2 %, 100 % of those of 5 %."
        );
        assert!(sentence(None).contains("bench selftest"));
    }
}
