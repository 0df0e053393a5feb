//! Whether two series of samples differ.

use super::Thresholds;
use super::comparison::Verdict;
use super::rounds::Quantity;
use crate::statistics::{Between, Interval, MIN_SAMPLES, Series, mann_whitney, ratio_interval};

/// What samples say of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The new median over the base's; NaN without samples.
    pub ratio: f64,
    /// The 95 % interval of the ratio.
    pub interval: Option<Interval>,
    /// Two-sided p-value of the rank test.
    pub p_value: Option<f64>,
    /// What comes of it.
    pub verdict: Verdict,
    /// Why.
    pub why: Why,
    /// The rounds, of what was measured in turn.
    pub rounds: Option<usize>,
    /// What was compared.
    pub quantity: Quantity,
    /// By how much two runs of the same code differ, as a fraction, where that
    /// is a part of the interval.
    pub runs_differ: Option<f64>,
}

/// What a verdict rests on.
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
    /// A change, but others used the cores of one of the runs.
    Disturbed,
    /// The samples are clear, but runs of the same code differ as much.
    RunsDiffer,
    /// Too few samples for an interval.
    TooFewSamples,
    /// Too few rounds for an interval, or samples of no duration.
    TooFewRounds,
    /// Samples of no duration have no ratio.
    NoDuration,
}

/// Who shares a core with one other thread takes up to twice as long.
const BY_LOAD: f64 = 2.0;

/// The samples are clear, the runs are not.
const RUNS_DIFFER: (Verdict, Why) = (Verdict::Inconclusive, Why::RunsDiffer);

/// Judges the new samples by those of the base.
pub fn judge(base: &Series, new: &Series, thresholds: &Thresholds) -> Judgement {
    let ratio = new.median() / base.median();
    let interval = ratio_interval(base, new);
    let p_value = mann_whitney(base.sorted(), new.sorted());
    let (verdict, why) = if base.samples() > 0 && base.sorted() == new.sorted() {
        (Verdict::Same, Why::IdenticalSamples)
    } else if base.samples().min(new.samples()) < MIN_SAMPLES {
        (Verdict::Inconclusive, Why::TooFewSamples)
    } else if let Some(interval) = interval {
        by_limits(interval, p_value, thresholds)
    } else {
        (Verdict::Inconclusive, Why::NoDuration)
    };
    Judgement {
        ratio,
        interval,
        p_value,
        verdict,
        why,
        rounds: None,
        quantity: Quantity::Wall,
        runs_differ: None,
    }
}

impl Judgement {
    /// The same where many samples were disturbed: a change that other load can
    /// make is not clear.
    #[must_use]
    pub fn doubted(self) -> Self {
        let by_load = self.ratio.ln().abs() < BY_LOAD.ln();
        match self.verdict {
            Verdict::Slower | Verdict::Faster if by_load => Judgement {
                verdict: Verdict::Inconclusive,
                why: Why::Disturbed,
                ..self
            },
            _ => self,
        }
    }

    fn is_change(&self) -> bool {
        matches!(self.verdict, Verdict::Slower | Verdict::Faster)
    }

    /// The same of runs one after the other, where it is known how much runs of
    /// the same code differ. A change has to be beyond that, too.
    #[must_use]
    pub fn of_runs_that_differ(self, between: Between, thresholds: &Thresholds) -> Self {
        let Some(interval) = self.interval.filter(|_| self.why != Why::IdenticalSamples) else {
            return self;
        };
        let widened = between.widen(interval);
        let beyond = self.ratio.ln().abs() - thresholds.min_effect.ln_1p();
        let certain = between.p_value(beyond, interval) < thresholds.significance;
        let found = by_limits(widened, self.p_value, thresholds);
        let (verdict, why) = match found {
            _ if self.why == Why::Disturbed => (self.verdict, self.why),
            (verdict, _) if self.is_change() && !(certain && verdict == self.verdict) => {
                RUNS_DIFFER
            }
            // What was clear, or was not for another reason.
            (Verdict::Inconclusive, why) if why != self.why => RUNS_DIFFER,
            _ => found,
        };
        Judgement {
            interval: Some(widened),
            verdict,
            why,
            runs_differ: Some(between.of_two()),
            ..self
        }
    }
}

/// What an interval and the p-value of a rank test say together.
pub(super) fn by_limits(
    interval: Interval,
    p_value: Option<f64>,
    thresholds: &Thresholds,
) -> (Verdict, Why) {
    let ranks_differ = p_value.is_some_and(|p| p < thresholds.significance);
    by_interval(interval, ranks_differ, thresholds)
}

/// Up and down are alike: half as fast and twice as fast are as far from 1.
fn by_interval(interval: Interval, ranks_differ: bool, thresholds: &Thresholds) -> (Verdict, Why) {
    let (low, high) = (interval.low.ln(), interval.high.ln());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples that spread evenly over `width` times the middle.
    fn series(n: usize, middle: f64, width: f64) -> Series {
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
        assert_eq!(
            verdict(&noisy, &noisy),
            (Verdict::Same, Why::IdenticalSamples)
        );
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
    fn what_the_samples_do_not_tell_is_not_told() {
        let base = series(30, 1.0, 0.01);
        let around = series(30, 1.011, 0.01);
        assert_eq!(
            verdict(&base, &around),
            (Verdict::Inconclusive, Why::AroundMinimum)
        );
        let wide = series(30, 1.02, 0.8);
        assert_eq!(verdict(&base, &wide), (Verdict::Inconclusive, Why::TooWide));
        let few = series(5, 1.5, 0.01);
        assert_eq!(
            verdict(&base, &few),
            (Verdict::Inconclusive, Why::TooFewSamples)
        );
        let none = Series::new(&[], &[]);
        assert_eq!(
            verdict(&base, &none),
            (Verdict::Inconclusive, Why::TooFewSamples)
        );
        let still = Series::new(&[0.0; 10], &[0]);
        assert_eq!(
            verdict(&base, &still),
            (Verdict::Inconclusive, Why::NoDuration)
        );
    }

    #[test]
    fn a_change_has_to_be_beyond_what_runs_of_the_same_code_differ_by() {
        let limits = Thresholds::default();
        let judged = |shift: f64, deviation: f64| {
            let (base, new) = (series(30, 1.0, 0.01), series(30, shift, 0.01));
            let between = Between { deviation, df: 8.0 };
            judge(&base, &new, &limits).of_runs_that_differ(between, &limits)
        };
        let verdict = |found: Judgement| (found.verdict, found.why);
        let clear = (Verdict::Slower, Why::BeyondMinimum);
        assert_eq!(verdict(judged(1.05, 0.001)), clear);
        let hidden = judged(1.05, 0.03);
        assert_eq!(verdict(hidden), (Verdict::Inconclusive, Why::RunsDiffer));
        assert!(
            hidden
                .runs_differ
                .is_some_and(|differ| (differ - 0.0424).abs() < 1e-4)
        );
        assert_eq!(judged(1.3, 0.03).verdict, Verdict::Slower);
        assert_eq!(judged(1.0001, 0.001).verdict, Verdict::Same);
        let identical = judged(1.0, 0.03);
        assert_eq!(
            (identical.why, identical.runs_differ),
            (Why::IdenticalSamples, None)
        );
    }

    #[test]
    fn ranks_have_a_say() {
        let (base, new) = (series(8, 1.0, 0.01), series(8, 1.5, 0.01));
        assert_eq!(verdict(&base, &new).0, Verdict::Slower);
        // All of 8 beyond all of 8 others is as much as ranks can say.
        let strict = Thresholds {
            significance: 1e-6,
            ..Thresholds::default()
        };
        let found = judge(&base, &new, &strict);
        assert_eq!(
            (found.verdict, found.why),
            (Verdict::Inconclusive, Why::RanksDisagree)
        );
    }
}
