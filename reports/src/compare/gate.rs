//! Error rates of comparisons, as text.

use super::{Comparison, Thresholds};
use crate::program::renamed;
use crate::record::{SelfTest, Trial};
use crate::units;

/// Error rates that `bench selftest` measured with the limits of a comparison.
pub(crate) fn sentence(comparison: &Comparison) -> String {
    match comparison.gate.as_ref() {
        None => {
            renamed("Error rates on this machine are unknown; run `bench selftest`").into_owned()
        }
        Some(gate) if !has_limits(gate, &comparison.thresholds) => {
            "Error rates with these limits are unknown: the self-test used the default ones".into()
        }
        Some(gate) => rates(gate, comparison.aslr),
    }
}

fn has_limits(gate: &SelfTest, limits: &Thresholds) -> bool {
    (gate.min_effect, gate.significance) == (limits.min_effect, limits.significance)
}

/// Rates of separate and of paired runs. Those of paired runs are valid for fixed or for randomised
/// addresses only.
fn rates(gate: &SelfTest, aslr: Option<bool>) -> String {
    let of_other_case = aslr == Some(true) && gate.aslr != Some(true);
    let paired = (!gate.paired.is_empty()).then(|| {
        if of_other_case {
            renamed(
                "paired runs with randomised addresses: unknown; run `bench selftest` on such a \
                 system",
            )
            .into_owned()
        } else {
            format!("paired runs: {}", rates_of(&gate.paired))
        }
    });
    let separate =
        (!gate.trials.is_empty()).then(|| format!("separate runs: {}", rates_of(&gate.trials)));
    let phrases: Vec<_> = separate.into_iter().chain(paired).collect();
    let day = gate.finished.get(..10).unwrap_or(&gate.finished);
    format!("Error rates on this machine (selftest of {day}): {}", phrases.join("; "))
}

/// `false alarms in 0.5 % of 200 points · 5 % slower detected in 99 %`.
fn rates_of(trials: &[Trial]) -> String {
    let phrases: Vec<_> = trials.iter().filter_map(rate).collect();
    phrases.join(" · ")
}

fn rate(trial: &Trial) -> Option<String> {
    let rate = units::percent(trial.rate()?);
    Some(match trial.slowdown {
        0.0 => format!("false alarms in {rate} of {}", units::counted(trial.points, "point")),
        slowdown => format!("{} slower detected in {rate}", units::percent(slowdown)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::comparison;

    #[test]
    fn rates_are_in_percent() {
        let expected = "Error rates on this machine (selftest of 2026-01-01): separate runs: false \
            alarms in 0.50 % of 200 points · 2.0 % slower detected in 75 % · 5.0 % slower detected \
            in 100 %; paired runs: false alarms in 0 % of 200 points · 5.0 % slower detected in \
            100 %";
        assert_eq!(sentence(&comparison(&[])), expected);
    }

    #[test]
    fn rates_of_fixed_addresses_are_not_those_of_randomised_ones() {
        let mut random = comparison(&[]);
        random.aslr = Some(true);
        let text = sentence(&random);
        assert!(
            text.ends_with(
                "paired runs with randomised addresses: unknown; run `bench selftest` on such a \
                 system"
            ),
            "{text}"
        );
        random.gate.as_mut().expect("a gate").aslr = Some(true);
        assert!(sentence(&random).contains("; paired runs: false alarms in 0 %"));
    }

    #[test]
    fn unmeasured_values_are_omitted() {
        let mut without = comparison(&[]);
        without.gate = None;
        assert!(sentence(&without).contains("bench selftest"));
        let mut other = comparison(&[]);
        other.thresholds.min_effect = 0.05;
        assert!(sentence(&other).contains("with these limits are unknown"));
    }
}
