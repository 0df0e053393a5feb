//! What is measured in turn: pairs that share whatever drifts.
//!
//! On a machine with neighbours the times of the same code drift by several per
//! cent within minutes: caches and memory bandwidth are shared. Two executables
//! that run one right after the other see nearly the same of it, so the ratio of
//! such a pair holds still where neither time does (Bulej et al. 2020 call it
//! duet benchmarking). Each round of a pair is one observation.
//!
//! Short rounds can't tell a neighbour who is there all the time from how the
//! machine usually is: some of their ratios are far off. So a large share is
//! trimmed, and what the ranks are elsewhere, the signs are here.
//!
//! Rounds are looked at several times, and whoever is clear has no more of them. Each
//! look has its share of the error that is allowed in all (the bound of Bonferroni, with
//! weights): the first ones little of it, the last one most, so that looking early costs
//! those hardly anything that need all rounds.

use super::interval::Interval;
use super::sign_test::sign_test;
use super::visits::Scatter;

/// Fewer rounds can't reach a significance of 1 % by their signs: eight, all to
/// one side, have p = 2/2⁸.
pub const MIN_ROUNDS: usize = 8;
/// After so many rounds they are looked at, each time with this share of the error.
const LOOKS: [(usize, f64); 4] = [
    (MIN_ROUNDS, 0.05),
    (16, 0.10),
    (24, 0.15),
    (MOST_ROUNDS, 0.70),
];
/// More rounds tell little more.
pub const MOST_ROUNDS: usize = 48;
/// The error of an interval over all looks.
const ERROR: f64 = 0.05;
/// The share of rounds that is trimmed at either end.
const TRIMMED: f64 = 0.2;

/// The ratios of pairs, round by round.
#[derive(Clone, Debug)]
pub struct Paired {
    logarithms: Vec<f64>,
    scatter: Scatter,
}

/// Whether so many rounds are to be looked at.
pub fn is_look(rounds: usize) -> bool {
    LOOKS.iter().any(|(look, _)| *look == rounds)
}

impl Paired {
    /// From the times of base and new in each round, in seconds; `None` for
    /// fewer than [`MIN_ROUNDS`], or if a time is none.
    pub fn of(rounds: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let ratios = rounds.into_iter().map(|(base, new)| (new / base).ln());
        let logarithms: Vec<_> = ratios.collect();
        if logarithms.len() < MIN_ROUNDS {
            return None;
        }
        let scatter = Scatter::of_logarithms(logarithms.clone(), TRIMMED)?;
        Some(Paired {
            logarithms,
            scatter,
        })
    }

    /// How many there are.
    pub fn rounds(&self) -> usize {
        self.logarithms.len()
    }

    /// The trimmed mean of the ratios: a wild round counts little.
    pub fn ratio(&self) -> f64 {
        self.scatter.middle()
    }

    /// An interval that holds the ratio in 95 % of all series at least, whenever they
    /// ended.
    pub fn interval(&self) -> Interval {
        self.scatter.interval_of(ERROR * self.weight())
    }

    /// The two-sided p-value of the sign test.
    pub fn p_value(&self) -> Option<f64> {
        sign_test(&self.logarithms)
    }

    /// The probability to see as much of a change, at any look, if there is none beyond
    /// `min_effect` (a fraction). 1 if what is seen is not beyond it.
    pub fn p_beyond(&self, min_effect: f64) -> f64 {
        (self.scatter.p_beyond(min_effect.ln_1p()) / self.weight()).min(1.0)
    }

    /// The degrees of freedom behind the interval.
    pub fn df(&self) -> f64 {
        self.scatter.df()
    }

    /// The share of the error that the rounds so far have: that of the look that they
    /// are on the way to, if they ended before it.
    fn weight(&self) -> f64 {
        let look = LOOKS.iter().find(|(look, _)| *look >= self.rounds());
        let (_, weight) = look.copied().unwrap_or(LOOKS[LOOKS.len() - 1]);
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// Rounds with a drift of ±10 % that both sides share, and noise of their own.
    fn drifting(seed: u64, rounds: usize, change: f64, noise: f64) -> Paired {
        let mut random = Noise::new(seed);
        let pairs = (0..rounds).map(|_| {
            let drift = 1.0 + 0.1 * random.normal();
            let mut side = |middle: f64| middle * drift.max(0.5) * (noise * random.normal()).exp();
            (side(1.0), side(1.0 + change))
        });
        let pairs: Vec<_> = pairs.collect();
        Paired::of(pairs).expect("enough rounds")
    }

    fn beyond(paired: &Paired, limit: f64) -> bool {
        paired.interval().low > 1.0 + limit && paired.p_value().is_some_and(|p| p < 0.01)
    }

    #[test]
    fn a_drift_that_both_share_neither_hides_a_change_nor_makes_one() {
        let count = |change: f64| {
            let runs = (0..400).map(|seed| drifting(seed, 36, change, 0.01));
            runs.filter(|paired| beyond(paired, 0.01)).count()
        };
        assert_eq!(count(0.0), 0);
        assert!(count(0.02) > 360, "{}", count(0.02));
        assert_eq!(count(0.05), 400);
    }

    #[test]
    fn the_interval_holds_the_ratio_as_often_as_it_promises() {
        let holds = |seed: &u64| {
            let found = drifting(*seed, 20, 0.03, 0.02).interval();
            found.low <= 1.03 && 1.03 <= found.high
        };
        let share = (0..2000).filter(holds).count() as f64 / 2000.0;
        assert!((0.92..0.97).contains(&share), "{share}");
    }

    /// A third of the rounds has a neighbour on one side or the other, who takes
    /// up to twice the time.
    #[test]
    fn neighbours_in_some_rounds_do_not_hide_a_change() {
        let loaded = |seed: u64, change: f64| {
            let mut random = Noise::new(seed);
            let pairs = (0..48).map(|_| {
                let mut side = |middle: f64| {
                    let neighbour = random.uniform() < 1.0 / 6.0;
                    let load = if neighbour {
                        1.0 + random.uniform()
                    } else {
                        1.0
                    };
                    middle * load * (0.01 * random.normal()).exp()
                };
                (side(1.0), side(1.0 + change))
            });
            let pairs: Vec<_> = pairs.collect();
            Paired::of(pairs).expect("enough rounds")
        };
        let count = |change| {
            (0..400)
                .filter(|&seed| beyond(&loaded(seed, change), 0.01))
                .count()
        };
        assert!(count(0.0) <= 1, "{}", count(0.0));
        assert!(count(0.05) > 390, "{}", count(0.05));
    }

    #[test]
    fn a_wild_round_counts_little() {
        let pairs = |wild: f64| (0..20).map(move |i| (1.0, if i == 7 { wild } else { 1.03 }));
        let paired = Paired::of(pairs(3.0)).expect("enough rounds");
        assert!((paired.ratio() - 1.03).abs() < 1e-12);
        assert!(beyond(&paired, 0.01));
        assert_eq!(paired.rounds(), 20);
    }

    #[test]
    fn few_rounds_or_none_say_nothing() {
        assert!(Paired::of([(1.0, 2.0); MIN_ROUNDS - 1]).is_none());
        assert!(Paired::of([(0.0, 1.0); MIN_ROUNDS]).is_none());
        assert!(Paired::of([(1.0, 0.0); MIN_ROUNDS]).is_none());
        assert!(Paired::of([(1.0, 2.0); MIN_ROUNDS]).is_some());
    }

    /// A point that is looked at until it is clear, or has all rounds: the p-value then,
    /// and whether the interval holds the change.
    fn looked_at(seed: u64, change: f64, heavy: bool) -> (f64, bool) {
        let mut random = Noise::new(seed);
        let mut pairs = Vec::new();
        loop {
            let noise = if heavy {
                random.heavy()
            } else {
                random.normal()
            };
            pairs.push((1.0, (change.ln_1p() + 0.01 * noise).exp()));
            if !is_look(pairs.len()) {
                continue;
            }
            let paired = Paired::of(pairs.iter().copied()).expect("enough rounds");
            let p = paired.p_beyond(0.01);
            if p < 0.05 || pairs.len() == MOST_ROUNDS {
                let Interval { low, high } = paired.interval();
                return (p, low <= 1.0 + change && 1.0 + change <= high);
            }
        }
    }

    /// At the very limit of what is no change, where errors are most frequent.
    #[test]
    fn looking_again_and_again_makes_no_more_errors_than_allowed() {
        for heavy in [false, true] {
            let all: Vec<_> = (0..4000).map(|seed| looked_at(seed, 0.01, heavy)).collect();
            let errors = all.iter().filter(|(p, _)| *p < 0.05).count();
            assert!(errors <= 4000 * 5 / 100, "{errors}, heavy tails: {heavy}");
            let held = all.iter().filter(|(_, held)| *held).count();
            assert!(held >= 4000 * 94 / 100, "{held}, heavy tails: {heavy}");
        }
    }

    #[test]
    fn a_change_is_found_as_often_as_by_one_look() {
        let found = (0..1000).filter(|&seed| looked_at(seed, 0.02, false).0 < 0.001);
        let found = found.count();
        assert!(found > 900, "{found}");
    }

    #[test]
    fn what_is_not_beyond_the_minimum_is_nothing() {
        let still = Paired::of([(1.0, 1.005); 8]).expect("enough rounds");
        assert_eq!(still.p_beyond(0.01), 1.0);
        let moved = Paired::of([(1.0, 1.05); 8]).expect("enough rounds");
        assert_eq!(moved.p_beyond(0.01), 0.0);
    }
}
