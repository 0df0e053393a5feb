//! Where the level of a series changes: E-divisive.
//!
//! Matteson and James (J. Am. Stat. Assoc. 109 (2014) 334): the series is cut where both
//! sides are the most unlike, and so are the sides, as long as a permutation test takes
//! the cut for more than chance. If nothing changes, all orders of the values are equally
//! likely, so the test errs exactly as often as its level says, whatever the noise is like.
//!
//! A level that lasts for a while and then goes back is hidden from single cuts: where none
//! is clear, a stretch that is unlike the rest is looked for, by the same kind of test.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::energy::{Scratch, Stretch};
use super::excursion::{Ranks, Weights};

/// How to look for change points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How often a stretch without a change may be cut in two; half as often it may be
    /// taken for one with a level that went back.
    pub significance: f64,
    /// The orders that a cut is held against.
    pub permutations: usize,
    /// The shortest stretch: fewer values than this are no level.
    pub shortest: usize,
    /// Of the random orders: the same seed finds the same.
    pub seed: u64,
}

/// A place where the level changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first value after the change.
    pub at: usize,
    /// How often a series without a change would have a cut as clear as this.
    pub p_value: f64,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            significance: 0.005,
            permutations: 399,
            shortest: 3,
            seed: 1,
        }
    }
}

impl Search {
    /// The change points of a series, the earliest first. Values have to be finite.
    pub fn change_points(&self, values: &[f64]) -> Vec<ChangePoint> {
        let mut found = Vec::new();
        let whole = 0..values.len();
        let mut stretches = vec![whole];
        while let Some(range) = stretches.pop() {
            let stretch = &values[range.clone()];
            let random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ range.start as u64);
            let clear = self.clear_cut(stretch, random.clone());
            let Some((cuts, p_value)) = clear.or_else(|| self.clear_excursion(stretch, random))
            else {
                continue;
            };
            let mut start = range.start;
            for at in cuts.into_iter().map(|cut| range.start + cut) {
                found.push(ChangePoint { at, p_value });
                stretches.push(start..at);
                start = at;
            }
            stretches.push(start..range.end);
        }
        found.sort_by_key(|change| change.at);
        self.refine(values, &mut found);
        found
    }

    /// The best cut of a stretch with its p-value, if it is clear.
    fn clear_cut(&self, values: &[f64], random: Xoshiro256PlusPlus) -> Option<(Vec<usize>, f64)> {
        // A mean distance within a side needs two values.
        let shortest = self.shortest.max(2);
        let (mut stretch, mut scratch) = (Stretch::new(values), Scratch::default());
        let cut = stretch.best_cut(shortest, &mut scratch)?;
        let p_value = self.test(self.significance, random, |random| {
            shuffle(&mut stretch.points, random);
            let by_chance = stretch.best_cut(shortest, &mut scratch);
            by_chance.is_some_and(|by_chance| by_chance.energy >= cut.energy)
        })?;
        Some((vec![cut.at], p_value))
    }

    /// Where a stretch within a stretch begins and ends that is clearly unlike the rest.
    /// This is asked second, so at half the level.
    fn clear_excursion(
        &self,
        values: &[f64],
        random: Xoshiro256PlusPlus,
    ) -> Option<(Vec<usize>, f64)> {
        let (mut ranks, mut weights) = (Ranks::new(values), Weights::new(values.len()));
        let (range, unlike) = weights.most_unlike(&ranks, self.shortest.max(1))?;
        let p_value = self.test(self.significance / 2.0, random, |random| {
            shuffle(&mut ranks.0, random);
            let by_chance = weights.most_unlike(&ranks, self.shortest.max(1));
            by_chance.is_some_and(|(_, by_chance)| by_chance >= unlike)
        })?;
        let ends = [range.start, range.end].into_iter();
        Some((ends.filter(|end| *end > 0).collect(), p_value))
    }

    /// Looks for each change once more between its neighbours: where it was found, others
    /// were on its sides.
    fn refine(&self, values: &[f64], found: &mut [ChangePoint]) {
        let mut scratch = Scratch::default();
        for i in 0..found.len() {
            let start = i.checked_sub(1).map_or(0, |before| found[before].at);
            let end = found.get(i + 1).map_or(values.len(), |next| next.at);
            let stretch = Stretch::new(&values[start..end]);
            if let Some(cut) = stretch.best_cut(self.shortest.max(2), &mut scratch) {
                found[i].at = start + cut.at;
            }
        }
    }

    /// The p-value, if it is within the level; `is_as_clear` says of a random order whether
    /// what is to be tested is as clear there.
    fn test(
        &self,
        level: f64,
        mut random: Xoshiro256PlusPlus,
        mut is_as_clear: impl FnMut(&mut Xoshiro256PlusPlus) -> bool,
    ) -> Option<f64> {
        // The order that was measured is one of those that are equally likely.
        let p_value = |as_clear: usize| (1 + as_clear) as f64 / (1 + self.permutations) as f64;
        let mut as_clear = 0;
        for _ in 0..self.permutations {
            as_clear += usize::from(is_as_clear(&mut random));
            // Further orders can't make it clear any more.
            if p_value(as_clear) > level {
                return None;
            }
        }
        Some(p_value(as_clear)).filter(|p_value| *p_value <= level)
    }
}

/// Fisher and Yates; `usize` positions of so short series fit 32 bits.
fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        let j = (u64::from(random.next_u32()) * (i as u64 + 1)) >> 32;
        items.swap(i, j as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// Logarithms of times that scatter by 1 %, and step to others at some places.
    fn series(seed: u64, length: usize, steps: &[(usize, f64)]) -> Vec<f64> {
        let mut noise = Noise::new(seed);
        let value = |i: usize| {
            let steps = steps.iter().filter(|(at, _)| *at <= i);
            0.01 * noise.normal() + steps.map(|(_, step)| step).sum::<f64>()
        };
        (0..length).map(value).collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        let found = Search::default().change_points(values);
        found.into_iter().map(|change| change.at).collect()
    }

    /// Of series of 200 runs whose level stays, so many have a change point all the same.
    #[test]
    fn a_level_that_stays_is_rarely_cut() {
        let alarms = |noise: fn(&mut Noise) -> f64| {
            let is_cut = |seed: &u64| {
                let mut source = Noise::new(*seed);
                let values: Vec<f64> = (0..200).map(|_| 0.01 * noise(&mut source)).collect();
                !places(&values).is_empty()
            };
            (0..1000).filter(is_cut).count()
        };
        // The tests are exact, so 7.5 at most are to be expected.
        let (normal, heavy) = (alarms(Noise::normal), alarms(Noise::heavy));
        assert!(normal <= 15 && heavy <= 15, "{normal} and {heavy} of 1000");
    }

    /// A step of three times the noise, after histories of all lengths, with five runs
    /// after it.
    #[test]
    fn a_step_is_found_within_five_runs() {
        let found = |seed: &u64| {
            let at = 20 + (seed * 7 % 175) as usize;
            let values = series(*seed, at + 5, &[(at, 0.03)]);
            places(&values).iter().any(|found| found.abs_diff(at) <= 2)
        };
        let found = (0..1000).filter(found).count();
        assert!(found >= 950, "{found} of 1000");
    }

    #[test]
    fn several_steps_are_told_apart() {
        let values = series(3, 120, &[(30, 0.05), (70, -0.05), (100, 0.08)]);
        let found = places(&values);
        assert_eq!(found.len(), 3, "{found:?}");
        for (found, at) in found.iter().zip([30, 70, 100]) {
            assert!(found.abs_diff(at) <= 1, "{found} {at}");
        }
    }

    #[test]
    fn a_level_that_went_back_has_two_ends() {
        let values = series(3, 90, &[(30, 0.05), (45, -0.05)]);
        let found = places(&values);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].abs_diff(30) <= 1 && found[1].abs_diff(45) <= 1,
            "{found:?}"
        );
    }

    /// What is no level is no change: a night or two that were busy.
    #[test]
    fn single_wild_values_are_no_change() {
        let mut values = series(5, 60, &[]);
        for at in [20, 41, 59] {
            values[at] += 0.5;
        }
        assert!(places(&values).is_empty());
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert!(places(&[]).is_empty());
        assert!(places(&[1.0; 100]).is_empty());
        assert!(places(&[1.0, 1.0, 1.0, 2.0, 2.0]).is_empty());
    }

    #[test]
    fn the_same_seed_finds_the_same() {
        let values = series(8, 100, &[(60, 0.012)]);
        let search = Search::default();
        assert_eq!(search.change_points(&values), search.change_points(&values));
    }
}
