//! What is measured in turn: pairs that share whatever drifts.
//!
//! On a machine with neighbours the times of the same code drift by several per
//! cent within minutes: caches and memory bandwidth are shared. Two executables
//! that run one right after the other see nearly the same of it, so the ratio of
//! such a pair holds still where neither time does (Bulej et al. 2020 call it
//! duet benchmarking). Each round of a pair is one observation.
//!
//! Where code and data happen to lie in memory is the same for all rounds of a process,
//! and makes some per cent: for the same executable on both sides, too. So the processes
//! are started anew after some rounds, and it is these generations that count: each is
//! one observation, the median of its rounds. What a neighbour makes of some rounds, and
//! what an unlucky process makes of some generations, is far off: such are trimmed, and
//! what the ranks are elsewhere, the signs of rounds are here.
//!
//! Generations are looked at several times, and whoever is clear has no more of them. Each
//! look has its share of the error that is allowed in all (the bound of Bonferroni, with
//! weights): the first ones little of it, the last one most, so that looking early costs
//! those hardly anything that need them all.

use std::collections::BTreeMap;

use super::description::median;
use super::evidence::Evidence;
use super::interval::Interval;
use super::ranks::sign_test;

/// Fewer generations have no scatter to speak of.
pub const MIN_GENERATIONS: usize = 4;
/// After so many generations they are looked at, each time with this share of the error.
const LOOKS: [(usize, f64); 4] =
    [(MIN_GENERATIONS, 0.05), (8, 0.10), (12, 0.15), (MOST_GENERATIONS, 0.70)];
/// More generations tell little more.
pub const MOST_GENERATIONS: usize = 24;
/// The rounds that a generation has numbers for: those of the first one are 0 and more,
/// those of the second one this and more.
pub const GENERATION: usize = 64;
/// The error of an interval over all looks.
const ERROR: f64 = 0.05;
/// The share of generations that is trimmed at either end.
const TRIMMED: f64 = 0.1;

/// The ratios of pairs, round by round.
#[derive(Clone, Debug)]
pub struct Paired {
    /// Of the ratios, round by round.
    logarithms: Vec<f64>,
    generations: usize,
    /// Of the generations.
    evidence: Evidence,
}

/// Whether so many generations are to be looked at.
pub fn is_look(generations: usize) -> bool {
    LOOKS.iter().any(|(look, _)| *look == generations)
}

impl Paired {
    /// From the times of base and new in each round, in seconds, with the rounds'
    /// numbers; `None` for fewer than [`MIN_GENERATIONS`], or if a time is none.
    pub fn of(rounds: impl IntoIterator<Item = (usize, (f64, f64))>) -> Option<Self> {
        let mut generations: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (round, (base, new)) in rounds {
            let generation = generations.entry(round / GENERATION).or_default();
            generation.push((new / base).ln());
        }
        if generations.len() < MIN_GENERATIONS {
            return None;
        }
        let logarithms = generations.values().flatten().copied().collect();
        let medians: Vec<f64> = generations.values().map(|ratios| median(ratios)).collect();
        let evidence = Evidence::of_logarithms(&medians, TRIMMED)?;
        Some(Paired { logarithms, generations: generations.len(), evidence })
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        self.logarithms.len()
    }

    /// The trimmed mean of the ratios: an unlucky process counts little.
    pub fn ratio(&self) -> f64 {
        self.evidence.centre.exp()
    }

    /// An interval that holds the ratio in 95 % of all series at least, whenever they
    /// ended.
    pub fn interval(&self) -> Interval {
        self.evidence.interval_of(ERROR * self.weight())
    }

    /// The two-sided p-value of the sign test, over rounds.
    pub fn p_value(&self) -> Option<f64> {
        sign_test(&self.logarithms)
    }

    /// The probability to see as much of a change, at any look, if there is none beyond
    /// `min_effect` (a fraction). 1 if what is seen is not beyond it.
    pub fn p_beyond(&self, min_effect: f64) -> f64 {
        (self.evidence.p_value(min_effect.ln_1p()) / self.weight()).min(1.0)
    }

    /// The degrees of freedom behind the interval.
    pub fn df(&self) -> f64 {
        self.evidence.df()
    }

    /// The share of the error that the generations so far have: that of the look at them.
    /// Who ended between two looks, for want of time, has all that earlier looks have left.
    fn weight(&self) -> f64 {
        let look = LOOKS.iter().find(|(look, _)| *look == self.generations);
        let earlier = LOOKS.iter().filter(|(look, _)| *look < self.generations);
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

    /// What a machine does to ratios.
    #[derive(Clone, Copy)]
    struct Machine {
        /// Standard deviation of rounds.
        rounds: f64,
        /// That of processes.
        processes: f64,
        heavy: bool,
    }

    impl Machine {
        /// Generations of two rounds of a change, with a drift that both sides share.
        fn rounds(self, seed: u64, change: f64) -> Vec<(usize, (f64, f64))> {
            let mut random = Noise::new(seed);
            let mut process = 0.0;
            let mut all = Vec::new();
            for number in 0..2 * MOST_GENERATIONS {
                let round = number / 2 * GENERATION + number % 2;
                if number % 2 == 0 {
                    process = self.processes * random.normal();
                }
                let noise = if self.heavy { random.heavy() } else { random.normal() };
                let drift = 1.0 + 0.1 * random.uniform();
                let ratio = (change.ln_1p() + process + self.rounds * noise).exp();
                all.push((round, (drift, drift * ratio)));
            }
            all
        }

        /// A point that is looked at until it is clear, or has all rounds: the p-value
        /// then, and whether the interval holds the change.
        fn looked_at(self, seed: u64, change: f64, enough: f64) -> (f64, bool) {
            let all = self.rounds(seed, change);
            for look in (1..=MOST_GENERATIONS).filter(|&generations| is_look(generations)) {
                let rounds = all[..2 * look].iter().copied();
                let paired = Paired::of(rounds).expect("enough generations");
                let p = paired.p_beyond(0.01);
                if p < enough || look == MOST_GENERATIONS {
                    let Interval { low, high } = paired.interval();
                    return (p, low <= 1.0 + change && 1.0 + change <= high);
                }
            }
            unreachable!("the last look is at all")
        }
    }

    const QUIET: Machine = Machine { rounds: 0.005, processes: 0.002, heavy: false };

    /// At the very limit of what is no change, where errors are most frequent.
    #[test]
    fn looking_again_and_again_makes_no_more_errors_than_allowed() {
        for processes in [0.0, 0.01, 0.03] {
            for heavy in [false, true] {
                let machine = Machine { rounds: 0.01, processes, heavy };
                let all: Vec<_> =
                    (0..3000).map(|seed| machine.looked_at(seed, 0.01, 0.05)).collect();
                let errors = all.iter().filter(|(p, _)| *p < 0.05).count();
                assert!(errors <= 3000 * 5 / 100, "{errors} at {processes}, {heavy}");
                let held = all.iter().filter(|(_, held)| *held).count();
                assert!(held >= 3000 * 94 / 100, "{held} at {processes}, {heavy}");
            }
        }
    }

    #[test]
    fn a_change_is_found_though_it_is_looked_at_several_times() {
        let found = |change: f64| {
            let all = (0..1000).map(|seed| QUIET.looked_at(seed, change, 0.0005).0);
            all.filter(|p| *p < 0.0005).count()
        };
        assert!(found(0.03) > 990, "{}", found(0.03));
        assert!(found(0.02) > 900, "{}", found(0.02));
        assert_eq!(found(0.0), 0);
    }

    /// One of twelve processes lies badly in memory, as was seen: by 17 %.
    #[test]
    fn an_unlucky_process_neither_hides_a_change_nor_makes_one() {
        let unlucky = |change: f64| {
            let mut rounds = QUIET.rounds(7, change);
            for (_, (_, new)) in &mut rounds[2..4] {
                *new *= 0.83;
            }
            Paired::of(rounds).expect("enough rounds")
        };
        assert!(unlucky(0.05).p_beyond(0.01) < 1e-4);
        assert_eq!(unlucky(0.0).p_beyond(0.01), 1.0);
    }

    /// A round in each of so many generations.
    fn alike(generations: usize, pair: (f64, f64)) -> Option<Paired> {
        Paired::of((0..generations).map(move |number| (number * GENERATION, pair)))
    }

    #[test]
    fn what_is_not_beyond_the_minimum_is_nothing() {
        let still = alike(8, (1.0, 1.005)).expect("enough generations");
        assert_eq!(still.p_beyond(0.01), 1.0);
        let moved = alike(8, (1.0, 1.05)).expect("enough generations");
        assert_eq!(moved.p_beyond(0.01), 0.0);
        assert_eq!(moved.rounds(), 8);
    }

    #[test]
    fn few_generations_or_no_times_say_nothing() {
        assert!(alike(MIN_GENERATIONS - 1, (1.0, 2.0)).is_none());
        assert!(alike(MIN_GENERATIONS, (0.0, 1.0)).is_none());
        assert!(alike(MIN_GENERATIONS, (1.0, 0.0)).is_none());
        assert!(alike(MIN_GENERATIONS, (1.0, 2.0)).is_some());
        let of_one = (0..GENERATION).map(|round| (round, (1.0, 2.0)));
        assert!(Paired::of(of_one).is_none());
    }

    /// Nobody looked before the time was over: nothing of the error is spent.
    #[test]
    fn who_ends_between_two_looks_has_what_is_left_of_the_error() {
        let weight = |generations| alike(generations, (1.0, 1.1)).map(|paired| paired.weight());
        assert_eq!(weight(4), Some(0.05));
        let close = |generations, expected: f64| {
            (weight(generations).expect("enough") - expected).abs() < 1e-12
        };
        assert!(close(7, 0.95) && close(11, 0.85) && close(13, 0.70) && close(24, 0.70));
    }
}
