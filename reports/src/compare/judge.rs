//! Statistical comparison of two series of samples, and the limits for a change.

use serde::{Deserialize, Serialize};
use statistics::{
    Evidence, Interval, MANY, MIN_SAMPLES, Paired, RatioEstimate, Series, mann_whitney,
    ratio_freedom,
};

use super::Verdict;
use super::measured::Samples;
use super::rounds::{Quantity, paired};
use super::scatter::RunScatter;

/// Result of the comparison of two series of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The new median over the base's; NaN without samples.
    pub estimate: RatioEstimate,
    /// Degrees of freedom of the interval, if they are known.
    pub df: Option<f64>,
    /// Two-sided p-value of the rank test.
    pub p_value: Option<f64>,
    /// Two-sided p-value of "the change is within the minimum effect", by which the points of a
    /// comparison are ranked. A change without it is ranked by the rank test's.
    pub p_change: Option<f64>,
    /// Verdict.
    pub verdict: Verdict,
    /// Reason.
    pub why: Why,
    /// Number of rounds of a paired run.
    pub rounds: Option<usize>,
    /// Compared quantity.
    pub quantity: Quantity,
    /// Scatter between runs of the same code, as a fraction, if it is a part of the interval.
    pub runs_differ: Option<f64>,
}

/// Reason of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The whole interval lies beyond the minimum effect, and the ranks agree.
    BeyondMinimum,
    /// The samples are the same numbers.
    IdenticalSamples,
    /// There may be a change, but too small to count.
    BelowMinimum,
    /// The interval includes no change, and is narrow.
    NoChangeSeen,
    /// A change, but perhaps smaller than the minimum effect.
    AroundMinimum,
    /// The interval is too wide to exclude a change that matters.
    TooWide,
    /// The interval and the rank test contradict each other.
    RanksDisagree,
    /// A change, but other processes used the cores in one of the runs.
    Disturbed,
    /// The samples are clear, but runs of the same code differ by as much.
    RunsDiffer,
    /// Clear by itself, but expected by chance among the number of points.
    ByChance,
    /// The machine was busy, and the scatter between runs is not known.
    Busy,
    /// The machine was busy with different loads.
    UnlikeLoads,
    /// The machine code is the same, in another executable.
    SameCode,
    /// Too few samples for an interval.
    TooFewSamples,
    /// Too few rounds for an interval, or samples of no duration.
    TooFewRounds,
    /// Samples of no duration have no ratio.
    NoDuration,
}

/// Judges the new samples by those of the base.
pub fn judge(base: &Series, new: &Series, thresholds: &Thresholds) -> Judgement {
    let enough = base.samples().min(new.samples()) >= MIN_SAMPLES;
    let estimate = RatioEstimate::from_series(base, new);
    let p_value = mann_whitney(base.sorted(), new.sorted());
    let identical = base.samples() > 0 && base.sorted() == new.sorted();
    let (verdict, why) = match estimate.interval {
        _ if identical => (Verdict::Same, Why::IdenticalSamples),
        Some(interval) => by_limits(interval, p_value, thresholds),
        None if enough => (Verdict::Inconclusive, Why::NoDuration),
        None => (Verdict::Inconclusive, Why::TooFewSamples),
    };
    let judgement = Judgement {
        df: Some(ratio_freedom(base, new)),
        p_value,
        verdict,
        ..Judgement::unclear(estimate, why)
    };
    let p_change = |evidence: Evidence| evidence.p_value(thresholds.min_effect.ln_1p());
    Judgement { p_change: judgement.evidence().filter(|_| !identical).map(p_change), ..judgement }
}

impl Judgement {
    /// Inconclusive: only the ratio is known.
    pub(super) fn unclear(estimate: RatioEstimate, why: Why) -> Self {
        Judgement {
            estimate,
            df: None,
            p_value: None,
            p_change: None,
            verdict: Verdict::Inconclusive,
            why,
            rounds: None,
            quantity: Quantity::Wall,
            runs_differ: None,
        }
    }

    /// True if the verdict is SLOWER or FASTER.
    pub fn is_change(&self) -> bool {
        matches!(self.verdict, Verdict::Slower | Verdict::Faster)
    }

    /// Evidence that the interval provides for further tests.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        Evidence::from_interval(self.estimate.interval?, self.df.unwrap_or(MANY))
    }
}

/// Verdict by an interval and the p-value of a rank test. Changes up and down are symmetric: half
/// as fast and twice as fast are equally far from 1.
pub(super) fn by_limits(
    interval: Interval,
    p_value: Option<f64>,
    thresholds: &Thresholds,
) -> (Verdict, Why) {
    let ranks_differ = p_value.is_some_and(|p| p < thresholds.significance);
    let low = interval.low.ln();
    let high = interval.high.ln();
    let minimum = thresholds.min_effect.ln_1p();
    let resolution = thresholds.resolution.ln_1p().max(minimum);
    let slower = low > minimum;
    let faster = high < -minimum;
    if slower || faster {
        return match (ranks_differ, slower) {
            (true, true) => (Verdict::Slower, Why::BeyondMinimum),
            (true, false) => (Verdict::Faster, Why::BeyondMinimum),
            (false, _) => (Verdict::Inconclusive, Why::RanksDisagree),
        };
    }
    if low >= -minimum && high <= minimum {
        (Verdict::Same, Why::BelowMinimum)
    } else if low > 0.0 || high < 0.0 {
        (Verdict::Inconclusive, Why::AroundMinimum)
    } else if low >= -resolution && high <= resolution {
        (Verdict::Same, Why::NoChangeSeen)
    } else {
        (Verdict::Inconclusive, Why::TooWide)
    }
}

/// Judges a paired run by the ratios of the rounds: drift from round to round cancels, as it is
/// common to both sides.
pub(super) fn judge_rounds(base: &Samples, new: &Samples, thresholds: &Thresholds) -> Judgement {
    match paired(&base.rounds, &new.rounds) {
        (Some(found), quantity) => judge_paired(&found, quantity, thresholds),
        (None, _) => {
            let ratio = new.all.median() / base.all.median();
            let estimate = RatioEstimate::without_interval(ratio);
            Judgement { rounds: Some(0), ..Judgement::unclear(estimate, Why::TooFewRounds) }
        }
    }
}

/// Judges the rounds so far; may be called at any time during a run.
pub fn judge_paired(found: &Paired, quantity: Quantity, thresholds: &Thresholds) -> Judgement {
    let p_value = found.p_value();
    let (verdict, why) = by_limits(found.interval(), p_value, thresholds);
    Judgement {
        df: Some(found.df()),
        p_value,
        p_change: Some(found.p_beyond(thresholds.min_effect)),
        verdict,
        rounds: Some(found.rounds()),
        quantity,
        ..Judgement::unclear(found.estimate(), why)
    }
}

/// Limits of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// The smallest change that counts, as a fraction of the base.
    pub min_effect: f64,
    /// A point is SAME only if larger changes than this are excluded.
    pub resolution: f64,
    /// Upper limit of the p-value of the rank test.
    pub significance: f64,
    /// Limit of the expected share of false positives among the points that are SLOWER or FASTER;
    /// if nothing has changed at all, of the share of comparisons with any.
    #[serde(default = "false_discovery")]
    pub false_discovery: f64,
    /// The smallest drop of quality that counts: of shares as a difference, of other metrics relative
    /// to the base.
    #[serde(default = "quality_drop")]
    pub quality_drop: f64,
}

/// Default, also for comparisons that were stored before this limit existed.
fn false_discovery() -> f64 {
    0.02
}

/// Default, also for comparisons that were stored before quality was judged.
fn quality_drop() -> f64 {
    0.001
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            min_effect: 0.01,
            resolution: 0.05,
            significance: 0.01,
            false_discovery: false_discovery(),
            quality_drop: quality_drop(),
        }
    }
}

/// Options of a comparison.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Limits for a change.
    pub thresholds: Thresholds,
    /// True if runs of different machines may be compared.
    pub across_machines: bool,
    /// Command-line flags that repeat the comparison, word by word: `--store DIR`. Advice that can
    /// be copied contains them.
    pub flags: Vec<String>,
    /// Scatter between runs of the same code on the machine, if it is known.
    pub scatter: Option<RunScatter>,
}

#[cfg(test)]
pub(super) mod tests {
    use statistics::ScatterBetweenRuns;

    use super::*;

    /// Samples that spread evenly over `width` times the middle.
    pub(in super::super) fn series(n: usize, middle: f64, width: f64) -> Series {
        let step = |i: usize| (i * 7919 % n) as f64 / n as f64 - 0.5;
        let samples: Vec<_> = (0..n).map(|i| middle * (1.0 + width * step(i))).collect();
        Series::new(&samples, &[0])
    }

    fn verdict(base: &Series, new: &Series) -> (Verdict, Why) {
        let found = judge(base, new, &Thresholds::default());
        (found.verdict, found.why)
    }

    #[test]
    fn clear_changes_are_seen_both_ways() {
        let base = series(30, 1.0, 0.02);
        for shift in [1.05, 1.10, 2.0] {
            let new = series(30, shift, 0.02);
            assert_eq!(verdict(&base, &new), (Verdict::Slower, Why::BeyondMinimum));
            assert_eq!(verdict(&new, &base), (Verdict::Faster, Why::BeyondMinimum));
        }
    }

    #[test]
    fn the_same_numbers_are_the_same_however_noisy() {
        let noisy = series(30, 1.0, 0.8);
        assert_eq!(verdict(&noisy, &noisy), (Verdict::Same, Why::IdenticalSamples));
        let few = series(3, 1.0, 0.1);
        assert_eq!(verdict(&few, &few), (Verdict::Same, Why::IdenticalSamples));
    }

    #[test]
    fn small_changes_are_no_changes() {
        let base = series(101, 1.0, 0.01);
        assert_eq!(verdict(&base, &series(101, 1.001, 0.01)).0, Verdict::Same);
        assert_eq!(verdict(&base, &series(97, 1.0, 0.05)).0, Verdict::Same);
    }

    #[test]
    fn ambiguous_samples_have_no_winner() {
        let base = series(30, 1.0, 0.01);
        let around = series(30, 1.011, 0.01);
        assert_eq!(verdict(&base, &around), (Verdict::Inconclusive, Why::AroundMinimum));
        let wide = series(30, 1.02, 0.8);
        assert_eq!(verdict(&base, &wide), (Verdict::Inconclusive, Why::TooWide));
        let few = series(5, 1.5, 0.01);
        assert_eq!(verdict(&base, &few), (Verdict::Inconclusive, Why::TooFewSamples));
        let none = Series::new(&[], &[]);
        assert_eq!(verdict(&base, &none), (Verdict::Inconclusive, Why::TooFewSamples));
        let still = Series::new(&[0.0; 10], &[0]);
        assert_eq!(verdict(&base, &still), (Verdict::Inconclusive, Why::NoDuration));
    }

    #[test]
    fn the_p_value_of_a_change_is_that_of_its_interval() {
        let limits = Thresholds::default();
        let found = |shift: f64| judge(&series(30, 1.0, 0.02), &series(30, shift, 0.02), &limits);
        let p_change = |shift: f64| found(shift).p_change.expect("enough samples");
        assert_eq!(p_change(1.0001), 1.0);
        assert!(p_change(1.05) < 1e-6 && p_change(1.02) > p_change(1.05));
        let same = series(30, 1.0, 0.02);
        assert_eq!(judge(&same, &same, &limits).p_change, None);
        let known = ScatterBetweenRuns { deviation: 0.02, df: 8.0 };
        let of_runs = found(1.05).of_runs_that_differ(known, &limits);
        assert!(of_runs.p_change > found(1.05).p_change);
    }

    #[test]
    fn few_samples_have_no_interval_whatever_their_range() {
        let found = judge(&series(5, 1.0, 0.01), &series(50, 2.0, 0.01), &Thresholds::default());
        assert_eq!(found.why, Why::TooFewSamples);
        assert_eq!((found.estimate.interval, found.p_change), (None, None));
    }

    #[test]
    fn ranks_have_a_say() {
        let base = series(8, 1.0, 0.01);
        let new = series(8, 1.5, 0.01);
        assert_eq!(verdict(&base, &new).0, Verdict::Slower);
        // All of 8 above all of 8 others is the strongest possible result of ranks.
        let strict = Thresholds { significance: 1e-6, ..Thresholds::default() };
        let found = judge(&base, &new, &strict);
        assert_eq!((found.verdict, found.why), (Verdict::Inconclusive, Why::RanksDisagree));
    }
}
