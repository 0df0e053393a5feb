//! Generated time frames: shares of noisy pads agree with the parameters.

use super::{ChargeMaps, PadActivity, TpcNoisyPads, reference};
use tasks::algorithm::Algorithm;

/// A sector with few collisions: only bad pads are busy.
const QUIET: [(&str, &str); 3] = [("sectors", "1"), ("orbits", "2"), ("rate", "1000")];

fn maps(values: &[(&'static str, &str)]) -> ChargeMaps {
    let params = QUIET.iter().chain(values).copied().collect();
    let plan = TpcNoisyPads.plan(params).expect("a time frame");
    TpcNoisyPads.generate(&plan.params, 1).expect("maps")
}

fn found(values: &[(&'static str, &str)]) -> Vec<PadActivity> {
    reference::find(&maps(values))
}

/// The share of pads that are noisy.
fn noisy(values: &[(&'static str, &str)]) -> f64 {
    let found = found(values);
    found.iter().filter(|pad| pad.is_noisy()).count() as f64 / found.len() as f64
}

/// True if a share of 14 560 pads agrees with the request within statistics.
fn is_near(found: f64, asked: f64) -> bool {
    let deviation = (asked * (1.0 - asked) / 14_560.0).sqrt();
    (found - asked).abs() <= 4.0 * deviation
}

#[test]
fn share_of_noisy_pads_matches_the_parameter() {
    for (text, share) in [("0", 0.0), ("0.01", 0.01), ("0.1", 0.1)] {
        let found = noisy(&[("noisy-pads", text), ("hot-pads", "0")]);
        assert!(is_near(found, share), "{found} for {share}");
    }
}

#[test]
fn hot_pads_are_noisy_only_without_saturation() {
    let hot = [("noisy-pads", "0"), ("hot-pads", "0.05")];
    let pads = found(&hot);
    let busy = pads.iter().filter(|pad| pad.charges > 600).count();
    assert!(is_near(busy as f64 / pads.len() as f64, 0.05), "{busy}");
    assert!(!pads.iter().any(PadActivity::is_noisy));
    let unprotected = noisy(&[hot[0], hot[1], ("saturation", "2000")]);
    assert!(is_near(unprotected, 0.05), "{unprotected}");
}

#[test]
fn thresholds_are_a_share_and_a_count() {
    let thresholds = |orbits| *maps(&[("orbits", orbits), ("max-occupancy", "0.25")]).thresholds();
    let one = thresholds("1");
    let eight = thresholds("8");
    assert_eq!((one.charges, one.run), (446 / 4, 200));
    assert_eq!((eight.charges, eight.run), (3564 / 4, 200));
}

#[test]
fn either_threshold_is_enough() {
    let with = |charges, run| {
        let pads = [("noisy-pads", "0.1"), ("hot-pads", "0")];
        noisy(&[pads[0], pads[1], ("max-occupancy", charges), ("max-run", run)])
    };
    assert_eq!(with("1", "1000"), 0.0, "neither can be exceeded");
    assert!(is_near(with("0.5", "1000"), 0.1));
    assert!(is_near(with("1", "30"), 0.1));
    // Runs are drawn up to 80, and some are adjacent without a gap.
    let long = with("1", "85");
    assert!((0.01..0.09).contains(&long), "{long}");
}

#[test]
fn golden() {
    let pads = found(&[("noisy-pads", "0.02"), ("hot-pads", "0.01")]);
    let sum = |value: fn(&PadActivity) -> u64| pads.iter().map(value).sum::<u64>();
    let sums = [
        sum(|pad| pad.charges.into()),
        sum(|pad| pad.longest_run.into()),
        sum(|pad| pad.largest.into()),
        sum(|pad| pad.verdict as u64),
    ];
    assert_eq!(sums, [346_071, 40_344, 3_102_551, 284]);
}
