//! Interpretation of hardware counters: more work, or the same work with more waiting?

use crate::record::Params;
use crate::units;

/// Relative difference below which numbers of instructions count as equal.
const SAME: f64 = 0.005;
/// Minimum relative difference of other counts, which scatter more.
const WORTH_A_WORD: f64 = 0.02;

/// The metric of the instructions.
const INSTRUCTIONS: &str = "instructions_per_item";
/// The other metrics with their names.
const OTHERS: [(&str, &str); 4] = [
    ("llc_misses_per_item", "last-level cache misses"),
    ("tlb_misses_per_item", "TLB misses"),
    ("branch_misses_per_item", "branch misses"),
    ("cycles_per_item", "cycles"),
];

/// `same instructions, 12 % more last-level cache misses`, if both rows have counts.
pub fn words(base: &Params, new: &Params) -> Option<String> {
    let instructions = ratio(base, new, INSTRUCTIONS)?;
    if (instructions - 1.0).abs() >= SAME {
        return Some(more(instructions, "instructions"));
    }
    let changed = OTHERS.iter().filter_map(|(metric, name)| {
        let ratio = ratio(base, new, metric)?;
        ((ratio - 1.0).abs() >= WORTH_A_WORD).then(|| more(ratio, name))
    });
    let phrases: Vec<_> = std::iter::once("same instructions".to_owned()).chain(changed).collect();
    Some(phrases.join(", "))
}

fn ratio(base: &Params, new: &Params, metric: &str) -> Option<f64> {
    let ratio = new.number(metric)? / base.number(metric)?;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// `12 % more cycles`.
fn more(ratio: f64, what: &str) -> String {
    let (size, way) = if ratio >= 1.0 { (ratio - 1.0, "more") } else { (1.0 - ratio, "fewer") };
    format!("{} {way} {what}", units::percent(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(base: &str, new: &str) -> Option<String> {
        let params = |text: &str| text.parse::<Params>().expect("well formed");
        words(&params(base), &params(new))
    }

    #[test]
    fn longer_waiting_is_distinguished_from_more_work() {
        let base = "cycles_per_item=10;instructions_per_item=20;llc_misses_per_item=0.1";
        let waits = "cycles_per_item=11;instructions_per_item=20.05;llc_misses_per_item=0.112";
        assert_eq!(
            phrases(base, waits).as_deref(),
            Some("same instructions, 12 % more last-level cache misses, 10 % more cycles")
        );
        let works = "cycles_per_item=11;instructions_per_item=21.8;llc_misses_per_item=0.1";
        assert_eq!(phrases(base, works).as_deref(), Some("9.0 % more instructions"));
        assert_eq!(phrases(works, base).as_deref(), Some("8.3 % fewer instructions"));
    }

    #[test]
    fn missing_counters_explain_nothing() {
        assert_eq!(phrases("", "instructions_per_item=1"), None);
        assert_eq!(phrases("instructions_per_item=0", "instructions_per_item=1"), None);
        assert_eq!(phrases("instructions_per_item=x", "instructions_per_item=1"), None);
        let alone = "instructions_per_item=5";
        assert_eq!(phrases(alone, alone).as_deref(), Some("same instructions"));
        let odd = "instructions_per_item=5;llc_misses_per_item=0";
        assert_eq!(phrases(odd, odd).as_deref(), Some("same instructions"));
    }
}
