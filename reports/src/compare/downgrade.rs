//! Downgrading of verdicts: the samples are clear, but their conditions are not.

use statistics::ScatterBetweenRuns;

use super::Thresholds;
use super::comparison::Verdict;
use super::judge::{Judgement, Why, by_limits};
use super::load::RunConditions;

/// Slow-down of a thread that shares a core with one other thread.
const BY_LOAD: f64 = 2.0;

/// Verdict if the samples are clear, but runs scatter.
const RUNS_DIFFER: (Verdict, Why) = (Verdict::Inconclusive, Why::RunsDiffer);

impl Judgement {
    /// Downgrades the verdict if many samples were disturbed: a change that other load can cause is
    /// inconclusive.
    #[must_use]
    pub fn downgraded(self) -> Self {
        let by_load = self.ratio.ln().abs() < BY_LOAD.ln();
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
        let found = by_limits(both.interval(), self.p_value, thresholds);
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
            interval: Some(both.interval()),
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

#[cfg(test)]
mod tests {
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
}
