//! Downgrading of verdicts: the samples are clear, but their conditions are not, or many points
//! were compared.
//!
//! Correction for multiple comparisons: a change has to be clearer than what many points show by
//! chance.
//!
//! Two families are corrected separately: complete runs (stage `total`), and their parts. Parts of
//! a run change along with it, and a variant with many stages must not make its total harder to
//! judge. With two families, among comparisons in which nothing has changed at most twice
//! [`Thresholds::false_discovery`] have any false alarm.

use statistics::{RatioEstimate, ScatterBetweenRuns, critical_p_value};

use super::judge::{Judgement, Why, by_limits};
use super::measured::RunConditions;
use super::{Thresholds, Verdict};

/// Slow-down of a thread that shares a core with one other thread.
const BY_LOAD: f64 = 2.0;

/// Verdict if the samples are clear, but runs scatter.
const RUNS_DIFFER: (Verdict, Why) = (Verdict::Inconclusive, Why::RunsDiffer);

impl Judgement {
    /// Downgrades the verdict if many samples were disturbed: a change that other load can cause is
    /// inconclusive.
    #[must_use]
    pub fn downgraded(self) -> Self {
        let by_load = self.estimate.ratio.ln().abs() < BY_LOAD.ln();
        match self.verdict {
            Verdict::Slower | Verdict::Faster if by_load => self.inconclusive(Why::Disturbed),
            _ => self,
        }
    }

    /// Downgrades the verdict of separate runs by the known scatter between runs of the same code,
    /// which a change has to exceed.
    #[must_use]
    pub fn of_runs_that_differ(self, between: ScatterBetweenRuns, thresholds: &Thresholds) -> Self {
        let own = self.evidence().filter(|_| self.why != Why::IdenticalSamples);
        let Some(both) = own.map(|own| own.between_runs(between)) else {
            return self;
        };
        let p_change = both.p_value(thresholds.min_effect.ln_1p());
        let certain = p_change < thresholds.significance;
        let interval = both.interval();
        let found = by_limits(interval, self.p_value, thresholds);
        let (verdict, why) = match found {
            _ if self.why == Why::Disturbed => (self.verdict, self.why),
            (verdict, _) if self.is_change() && !(certain && verdict == self.verdict) => {
                RUNS_DIFFER
            }
            // Was clear, or was inconclusive for another reason.
            (Verdict::Inconclusive, why) if why != self.why => RUNS_DIFFER,
            _ => found,
        };
        Judgement {
            estimate: RatioEstimate { interval: Some(interval), ..self.estimate },
            df: Some(both.df()),
            p_change: Some(p_change),
            verdict,
            why,
            runs_differ: Some(between.of_two()),
            ..self
        }
    }

    /// Downgrades the verdict of separate runs on a busy machine if the scatter between runs is
    /// unknown, or if the loads differed.
    #[must_use]
    pub fn under(self, conditions: RunConditions) -> Self {
        let why = match conditions {
            RunConditions { unlike: true, .. } => Why::UnlikeLoads,
            RunConditions { busy: true, .. } if self.runs_differ.is_none() => Why::Busy,
            _ => return self,
        };
        let is_settled = self.verdict == Verdict::Inconclusive || self.why == Why::IdenticalSamples;
        if is_settled { self } else { self.inconclusive(why) }
    }

    /// Downgrades the verdict of a paired run of the same machine code in two executables: only the
    /// addresses of code and data differ, and any other change to the program moves these as well.
    #[must_use]
    pub fn of_the_same_code(self) -> Self {
        if self.is_change() { self.inconclusive(Why::SameCode) } else { self }
    }

    /// Makes the verdict inconclusive, with this reason.
    #[must_use]
    pub fn inconclusive(self, why: Why) -> Self {
        Judgement { verdict: Verdict::Inconclusive, why, ..self }
    }
}

/// The p-value of a 95 % interval.
const OF_INTERVAL: f64 = 0.05;

/// Family of points that are judged together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Family {
    /// Number of points that were judged together.
    pub points: usize,
    /// Maximum p-value of one more change among them.
    pub needed: f64,
}

/// Rejects the changes that are expected by chance among all judgements. The flag of each is true
/// for complete runs.
pub(super) fn hold_back(
    judged: &mut [(bool, &mut Judgement)],
    thresholds: &Thresholds,
) -> impl Fn(bool) -> Family + use<> {
    let [parts, wholes] = [false, true].map(|whole| {
        let of_family = judged.iter().filter(|(of, _)| *of == whole);
        let p_values: Vec<f64> = of_family.map(|(_, judgement)| p_value(judgement)).collect();
        let critical = critical_p_value(&p_values, thresholds.false_discovery);
        let is_clear = |p: f64| critical.is_some_and(|critical| p <= critical);
        for (_, judgement) in judged.iter_mut().filter(|(of, _)| *of == whole) {
            if judgement.is_change() && !is_clear(p_value(judgement)) {
                **judgement = judgement.inconclusive(Why::ByChance);
            }
        }
        let changes = p_values.iter().filter(|p| is_clear(**p)).count();
        let points = p_values.len();
        let needed = thresholds.false_discovery * (changes + 1) as f64 / points.max(1) as f64;
        Family { points, needed: needed.min(OF_INTERVAL) }
    });
    move |whole| if whole { wholes } else { parts }
}

/// p-value for ranking. Changes that other rules have rejected are no evidence for other points
/// either.
fn p_value(judgement: &Judgement) -> f64 {
    if judgement.is_change() {
        judgement.p_change.or(judgement.p_value).unwrap_or(1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::super::judge::judge;
    use super::super::judge::tests::series;
    use super::*;

    #[test]
    fn a_change_has_to_be_beyond_what_runs_of_the_same_code_differ_by() {
        let limits = Thresholds::default();
        let judged = |shift: f64, deviation: f64| {
            let base = series(30, 1.0, 0.01);
            let new = series(30, shift, 0.01);
            let between = ScatterBetweenRuns { deviation, df: 8.0 };
            judge(&base, &new, &limits).of_runs_that_differ(between, &limits)
        };
        let verdict = |found: Judgement| (found.verdict, found.why);
        let clear = (Verdict::Slower, Why::BeyondMinimum);
        assert_eq!(verdict(judged(1.05, 0.001)), clear);
        let hidden = judged(1.05, 0.03);
        assert_eq!(verdict(hidden), (Verdict::Inconclusive, Why::RunsDiffer));
        assert!(hidden.runs_differ.is_some_and(|differ| (differ - 0.0424).abs() < 1e-4));
        assert_eq!(judged(1.3, 0.03).verdict, Verdict::Slower);
        assert_eq!(judged(1.0001, 0.001).verdict, Verdict::Same);
        let identical = judged(1.0, 0.03);
        assert_eq!((identical.why, identical.runs_differ), (Why::IdenticalSamples, None));
    }

    #[test]
    fn busy_machines_are_inconclusive_unless_their_scatter_is_known() {
        let limits = Thresholds::default();
        let clear = judge(&series(30, 1.0, 0.01), &series(30, 3.0, 0.01), &limits);
        let same = judge(&series(30, 1.0, 0.01), &series(30, 1.0001, 0.01), &limits);
        let known =
            clear.of_runs_that_differ(ScatterBetweenRuns { deviation: 0.01, df: 8.0 }, &limits);
        let under = |found: Judgement, busy, unlike| {
            let found = found.under(RunConditions { busy, unlike, ..RunConditions::default() });
            (found.verdict, found.why)
        };
        assert_eq!(under(clear, false, false).0, Verdict::Slower);
        for found in [clear, same] {
            assert_eq!(under(found, true, false), (Verdict::Inconclusive, Why::Busy));
        }
        assert_eq!(under(known, true, false).0, Verdict::Slower);
        assert_eq!(under(known, true, true), (Verdict::Inconclusive, Why::UnlikeLoads));
        let identical = judge(&series(30, 1.0, 0.01), &series(30, 1.0, 0.01), &limits);
        assert_eq!(under(identical, true, true).0, Verdict::Same);
    }

    fn change(p_change: Option<f64>) -> Judgement {
        Judgement {
            p_value: Some(0.004),
            p_change,
            verdict: Verdict::Slower,
            ..Judgement::unclear(RatioEstimate::without_interval(1.1), Why::BeyondMinimum)
        }
    }

    fn same() -> Judgement {
        Judgement { verdict: Verdict::Same, why: Why::BelowMinimum, ..change(Some(1e-9)) }
    }

    fn verdicts(mut judged: Vec<(bool, Judgement)>) -> (Vec<Verdict>, [Family; 2]) {
        let all = judged.iter_mut().map(|(whole, judgement)| (*whole, judgement));
        let family = hold_back(&mut all.collect::<Vec<_>>(), &Thresholds::default());
        let verdicts = judged.iter().map(|(_, judgement)| judgement.verdict);
        (verdicts.collect(), [family(false), family(true)])
    }

    #[test]
    fn among_many_points_a_change_has_to_be_clearer() {
        use Verdict::{Inconclusive, Slower};
        let among = |p: f64, others: usize| {
            let mut judged = vec![(true, same()); others];
            judged.push((true, change(Some(p))));
            verdicts(judged).0.pop()
        };
        assert_eq!(among(0.01, 1), Some(Slower));
        assert_eq!(among(0.01, 2), Some(Inconclusive));
        assert_eq!(among(1e-5, 999), Some(Slower));
        // Paired runs are ranked by the sign test until an interval is known.
        let mut judged = vec![(true, change(None))];
        assert_eq!(verdicts(judged.clone()).0, [Slower]);
        judged.resize(10, (true, same()));
        assert_eq!(verdicts(judged).0[0], Inconclusive);
    }

    #[test]
    fn stages_are_a_family_of_their_own() {
        let mut judged = vec![(false, same()); 999];
        judged.push((true, change(Some(0.01))));
        let (verdicts, [parts, wholes]) = verdicts(judged);
        assert_eq!(verdicts.last(), Some(&Verdict::Slower));
        assert_eq!((parts.points, wholes.points), (999, 1));
        assert!((parts.needed - 0.02 / 999.0).abs() < 1e-12);
        assert!((wholes.needed - 0.04).abs() < 1e-12);
    }
}
