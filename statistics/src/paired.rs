//! Paired measurements: interleaved samples that share all drifts.
//!
//! On a machine with other users the times of the same code drift by several per cent within
//! minutes, because caches and memory bandwidth are shared. Two executables that run one right
//! after the other see nearly the same drift, so the ratio of such a pair is stable where neither
//! time is (Bulej et al. 2020 call it duet benchmarking). Each round of a pair is one observation.
//!
//! The layout of code and data in memory is the same for all rounds of a process, and has an effect
//! of some per cent, even if both sides are the same executable. So the processes are restarted
//! after some rounds, and each restart is one observation: the median of its rounds.
//! Other users disturb some rounds, and an unlucky memory layout some restarts, by a lot: these are
//! trimmed, and signs of rounds replace ranks.
//!
//! There are several interim looks at the restarts, and points with a significant result get no
//! more of them. Each look has its share of the total allowed error (the bound of Bonferroni, with
//! weights): the first ones little of it, the last one most, so that early looks cost hardly any
//! power at the last one.

use std::collections::BTreeMap;

use super::description::median;
use super::estimate::RatioEstimate;
use super::evidence::Evidence;
use super::hypotheses::sign_test;
use super::interval::Interval;

/// Minimum number of restarts for an estimate of their scatter.
pub const MIN_RESTARTS: usize = 4;
/// Numbers of restarts at which there is an interim look, each with its share of the error.
const LOOKS: [(usize, f64); 4] =
    [(MIN_RESTARTS, 0.05), (8, 0.10), (12, 0.15), (MAX_RESTARTS, 0.70)];
/// Maximum number of restarts: more of them add little.
pub const MAX_RESTARTS: usize = 24;
/// Number of round indices per restart: those of restart `n` start at `n * ROUNDS_PER_RESTART`.
pub const ROUNDS_PER_RESTART: usize = 64;
/// The error of an interval over all looks.
const ERROR: f64 = 0.05;
/// The share of restarts that is trimmed at either end.
const TRIMMED: f64 = 0.1;

/// The ratios of pairs, round by round.
#[derive(Clone, Debug)]
pub struct Paired {
    /// Logarithms of the ratios, round by round.
    logarithms: Vec<f64>,
    restarts: usize,
    /// Evidence from the restarts.
    evidence: Evidence,
}

/// True if there is an interim look after this number of restarts.
pub fn is_look(restarts: usize) -> bool {
    LOOKS.iter().any(|(look, _)| *look == restarts)
}

impl Paired {
    /// From the times of base and new in each round, in seconds, with the rounds'
    /// numbers; `None` for fewer than [`MIN_RESTARTS`], or if a time is none.
    pub fn from_rounds(rounds: impl IntoIterator<Item = (usize, (f64, f64))>) -> Option<Self> {
        let mut restarts: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (round, (base, new)) in rounds {
            let restart = restarts.entry(round / ROUNDS_PER_RESTART).or_default();
            restart.push((new / base).ln());
        }
        if restarts.len() < MIN_RESTARTS {
            return None;
        }
        let logarithms = restarts.values().flatten().copied().collect();
        let medians: Vec<f64> = restarts.values().map(|ratios| median(ratios)).collect();
        let evidence = Evidence::from_logarithms(&medians, TRIMMED)?;
        Some(Paired { logarithms, restarts: restarts.len(), evidence })
    }

    /// Number of rounds.
    pub fn rounds(&self) -> usize {
        self.logarithms.len()
    }

    /// The trimmed mean of the ratios: an unlucky process counts little. The interval contains the
    /// ratio in at least 95 % of all series, at whichever look they ended.
    pub fn estimate(&self) -> RatioEstimate {
        let interval = Some(self.interval());
        RatioEstimate { ratio: self.evidence.centre.exp(), interval }
    }

    /// The interval of [`Paired::estimate`].
    pub fn interval(&self) -> Interval {
        self.evidence.interval_of(ERROR * self.weight())
    }

    /// The two-sided p-value of the sign test, over rounds.
    pub fn p_value(&self) -> Option<f64> {
        sign_test(&self.logarithms)
    }

    /// The probability of at least this change at any look, if there is none beyond `min_effect` (a
    /// fraction). 1 if the observed change is not beyond it.
    pub fn p_beyond(&self, min_effect: f64) -> f64 {
        (self.evidence.p_value(min_effect.ln_1p()) / self.weight()).min(1.0)
    }

    /// Degrees of freedom of the interval.
    pub fn df(&self) -> f64 {
        self.evidence.df()
    }

    /// The share of the error at the current number of restarts: that of the look at them. A series
    /// that ended between two looks, for lack of time, has all that earlier looks have not used.
    fn weight(&self) -> f64 {
        let look = LOOKS.iter().find(|(look, _)| *look == self.restarts);
        let earlier = LOOKS.iter().filter(|(look, _)| *look < self.restarts);
        look.map_or_else(
            || 1.0 - earlier.map(|(_, weight)| weight).sum::<f64>(),
            |(_, weight)| *weight,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// Noise of a machine's ratios.
    #[derive(Clone, Copy)]
    struct Machine {
        /// Standard deviation of rounds.
        rounds: f64,
        /// Noise between processes.
        processes: f64,
        heavy: bool,
    }

    impl Machine {
        /// Generations of two rounds of a change, with a drift that both sides share.
        fn rounds(self, seed: u64, change: f64) -> Vec<(usize, (f64, f64))> {
            let mut random = Noise::new(seed);
            let mut process = 0.0;
            let mut all = Vec::new();
            for index in 0..2 * MAX_RESTARTS {
                let round = index / 2 * ROUNDS_PER_RESTART + index % 2;
                if index % 2 == 0 {
                    process = self.processes * random.normal();
                }
                let noise = if self.heavy { random.heavy() } else { random.normal() };
                let drift = 1.0 + 0.1 * random.uniform();
                let ratio = (change.ln_1p() + process + self.rounds * noise).exp();
                all.push((round, (drift, drift * ratio)));
            }
            all
        }

        /// Looks at a point until it is significant, or has all rounds: returns its last p-value,
        /// and whether the interval contains the change.
        fn looked_at(self, seed: u64, change: f64, enough: f64) -> (f64, bool) {
            let all = self.rounds(seed, change);
            for look in (1..=MAX_RESTARTS).filter(|&restarts| is_look(restarts)) {
                let rounds = all[..2 * look].iter().copied();
                let paired = Paired::from_rounds(rounds).expect("enough restarts");
                let p = paired.p_beyond(0.01);
                if p < enough || look == MAX_RESTARTS {
                    let Interval { low, high } = paired.interval();
                    return (p, low <= 1.0 + change && 1.0 + change <= high);
                }
            }
            unreachable!("the last look is at all")
        }
    }

    const QUIET: Machine = Machine { rounds: 0.005, processes: 0.002, heavy: false };

    /// Exactly at the limit of an irrelevant change, where errors are most frequent.
    #[test]
    fn repeated_looks_keep_the_error_rate() {
        for processes in [0.0, 0.01, 0.03] {
            for heavy in [false, true] {
                let machine = Machine { rounds: 0.01, processes, heavy };
                let all: Vec<_> =
                    (0..3000).map(|seed| machine.looked_at(seed, 0.01, 0.05)).collect();
                let errors = all.iter().filter(|(p, _)| *p < 0.05).count();
                assert!(errors <= 3000 * 5 / 100, "{errors} at {processes}, {heavy}");
                let covered = all.iter().filter(|(_, is_covered)| *is_covered).count();
                assert!(covered >= 3000 * 94 / 100, "{covered} at {processes}, {heavy}");
            }
        }
    }

    #[test]
    fn a_change_is_found_in_spite_of_several_looks() {
        let found = |change: f64| {
            let all = (0..1000).map(|seed| QUIET.looked_at(seed, change, 0.0005).0);
            all.filter(|p| *p < 0.0005).count()
        };
        assert!(found(0.03) > 990, "{}", found(0.03));
        assert!(found(0.02) > 900, "{}", found(0.02));
        assert_eq!(found(0.0), 0);
    }

    /// One of twelve processes has an unlucky memory layout, as was observed: 17 % slower.
    #[test]
    fn an_unlucky_process_neither_hides_nor_fakes_a_change() {
        let unlucky = |change: f64| {
            let mut rounds = QUIET.rounds(7, change);
            for (_, (_, new)) in &mut rounds[2..4] {
                *new *= 0.83;
            }
            Paired::from_rounds(rounds).expect("enough rounds")
        };
        assert!(unlucky(0.05).p_beyond(0.01) < 1e-4);
        assert_eq!(unlucky(0.0).p_beyond(0.01), 1.0);
    }

    /// One round in each of the restarts.
    fn alike(restarts: usize, base: f64, new: f64) -> Option<Paired> {
        Paired::from_rounds(
            (0..restarts).map(move |index| (index * ROUNDS_PER_RESTART, (base, new))),
        )
    }

    #[test]
    fn a_change_within_the_minimum_is_not_significant() {
        let still = alike(8, 1.0, 1.005).expect("enough restarts");
        assert_eq!(still.p_beyond(0.01), 1.0);
        let moved = alike(8, 1.0, 1.05).expect("enough restarts");
        assert_eq!(moved.p_beyond(0.01), 0.0);
        assert_eq!(moved.rounds(), 8);
    }

    #[test]
    fn few_restarts_or_no_times_give_no_result() {
        assert!(alike(MIN_RESTARTS - 1, 1.0, 2.0).is_none());
        assert!(alike(MIN_RESTARTS, 0.0, 1.0).is_none());
        assert!(alike(MIN_RESTARTS, 1.0, 0.0).is_none());
        assert!(alike(MIN_RESTARTS, 1.0, 2.0).is_some());
        let of_one = (0..ROUNDS_PER_RESTART).map(|round| (round, (1.0, 2.0)));
        assert!(Paired::from_rounds(of_one).is_none());
    }

    /// No look before the time was over: none of the error is used.
    #[test]
    fn a_series_that_ends_between_two_looks_has_the_unused_error() {
        let weight = |restarts| alike(restarts, 1.0, 1.1).map(|paired| paired.weight());
        assert_eq!(weight(4), Some(0.05));
        let close =
            |restarts, expected: f64| (weight(restarts).expect("enough") - expected).abs() < 1e-12;
        assert!(close(7, 0.95) && close(11, 0.85) && close(13, 0.70) && close(24, 0.70));
    }
}
