//! Change points of the level of a series: E-divisive.
//!
//! Matteson and James (J. Am. Stat. Assoc. 109 (2014) 334): the series is split where both sides
//! differ most, and so are the sides, as long as a permutation test finds the split significant. If
//! nothing changes, all orders of the values are equally likely, so the false-positive rate is
//! exactly the level of the test, for any noise.
//!
//! A level that lasts for a while and then returns is hidden from single splits: where none is
//! significant, the segment that differs most from the rest is tested, by a test of the same kind.
//!
//! This is for the level of one series. For many series, [`false_steps`](super::false_steps)
//! removes the change points that they would show by chance.

use std::ops::Range;

use super::energy::Segment;
use super::permutations::{Kind, Orders, Permuted};

/// Parameters of the search for change points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Probability that a segment without a change is split in two; half of it is the probability
    /// that a segment of it is taken for a level that returned.
    pub significance: f64,
    /// Number of permutations that a split is first compared with.
    pub permutations: usize,
    /// Minimum number of values of a segment.
    pub shortest: usize,
    /// Seed of the random orders.
    pub seed: u64,
}

/// An index at which the level changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first value after the change.
    pub at: usize,
    /// Probability that a series without a change has a split as significant as this.
    pub p_value: f64,
    /// The test that found it, by its number in [`Examined::clear`].
    pub(super) test: usize,
}

/// A series that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// The change points, the earliest first.
    pub changes: Vec<ChangePoint>,
    /// The tests that found them.
    pub(super) clear: Vec<ClearTest>,
    /// Number of tested segments, those without a change included.
    pub(super) segments: usize,
}

/// A test of a segment that found a change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClearTest {
    pub range: Range<usize>,
    pub kind: Kind,
    pub orders: Orders,
}

impl Default for Search {
    fn default() -> Self {
        Search { significance: 0.005, permutations: 399, shortest: 3, seed: 1 }
    }
}

impl Search {
    /// The change points of a series, with the tests that were made. Values have to be finite.
    pub fn examine(&self, values: &[f64]) -> Examined {
        let mut found = Examined { changes: Vec::new(), clear: Vec::new(), segments: 0 };
        let whole = 0..values.len();
        let mut segments = vec![whole];
        while let Some(range) = segments.pop() {
            found.segments += 1;
            let Some((splits, clear)) = self.first_clear(values, &range) else {
                continue;
            };
            let mut start = range.start;
            let test = found.clear.len();
            for at in splits.into_iter().map(|split| range.start + split) {
                found.changes.push(ChangePoint { at, p_value: clear.orders.p_value(), test });
                segments.push(start..at);
                start = at;
            }
            segments.push(start..range.end);
            found.clear.push(clear);
        }
        found.changes.sort_by_key(|change| change.at);
        self.refine(values, &mut found.changes);
        found
    }

    /// The best split of a segment, if it is significant; otherwise the bounds of a segment within
    /// it that differs significantly from the rest. That test is the second one, so it is made at
    /// half the level.
    fn first_clear(&self, values: &[f64], range: &Range<usize>) -> Option<(Vec<usize>, ClearTest)> {
        let kinds = [(Kind::Split, self.significance), (Kind::Excursion, self.significance / 2.0)];
        kinds.into_iter().find_map(|(kind, level)| {
            let mut permuted = self.permuted(values, range, kind)?;
            let orders = permuted.within(level, self.permutations)?;
            Some((permuted.ends, ClearTest { range: range.clone(), kind, orders }))
        })
    }

    /// A segment, ready for comparison with random orders of itself: the same ones each time.
    pub(super) fn permuted(
        &self,
        values: &[f64],
        range: &Range<usize>,
        kind: Kind,
    ) -> Option<Permuted> {
        let seed = self.seed ^ range.start as u64;
        Permuted::new(&values[range.clone()], kind, self.shortest, seed)
    }

    /// Looks for each change once more between its neighbours: where it was found, others
    /// were on its sides.
    pub(super) fn refine(&self, values: &[f64], found: &mut [ChangePoint]) {
        for i in 0..found.len() {
            let start = i.checked_sub(1).map_or(0, |before| found[before].at);
            let end = found.get(i + 1).map_or(values.len(), |next| next.at);
            let mut segment = Segment::new(&values[start..end]);
            if let Some(split) = segment.best_split(self.shortest.max(2)) {
                found[i].at = start + split.at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// Logarithms of times that scatter by 1 %, with steps at some indices.
    fn series(seed: u64, length: usize, steps: &[(usize, f64)]) -> Vec<f64> {
        let mut noise = Noise::new(seed);
        let value = |i: usize| {
            let steps = steps.iter().filter(|(at, _)| *at <= i);
            0.01 * noise.normal() + steps.map(|(_, step)| step).sum::<f64>()
        };
        (0..length).map(value).collect()
    }

    fn indices_of_changes(values: &[f64]) -> Vec<usize> {
        let found = Search::default().examine(values).changes;
        found.into_iter().map(|change| change.at).collect()
    }

    /// Counts the series of 200 runs with a constant level that have a change point nevertheless.
    #[test]
    fn a_level_that_stays_is_rarely_cut() {
        let alarms = |noise: fn(&mut Noise) -> f64| {
            let is_cut = |seed: &u64| {
                let mut source = Noise::new(*seed);
                let values: Vec<f64> = (0..200).map(|_| 0.01 * noise(&mut source)).collect();
                !indices_of_changes(&values).is_empty()
            };
            (0..1000).filter(is_cut).count()
        };
        // The tests are exact, so 7.5 at most are expected.
        let normal = alarms(Noise::normal);
        let heavy = alarms(Noise::heavy);
        assert!(normal <= 15 && heavy <= 15, "{normal} and {heavy} of 1000");
    }

    /// A step of three times the noise, after histories of all lengths, with five runs
    /// after it.
    #[test]
    fn a_step_is_found_within_five_runs() {
        let found = |seed: &u64| {
            let at = 20 + (seed * 7 % 175) as usize;
            let values = series(*seed, at + 5, &[(at, 0.03)]);
            indices_of_changes(&values).iter().any(|found| found.abs_diff(at) <= 2)
        };
        let found = (0..1000).filter(found).count();
        assert!(found >= 950, "{found} of 1000");
    }

    #[test]
    fn several_steps_are_separated_and_a_level_that_returned_has_two_ends() {
        let apart = [(30, 0.05), (70, -0.05), (100, 0.08)];
        for (length, steps) in [(120, &apart[..]), (90, &[(30, 0.05), (45, -0.05)])] {
            let found = indices_of_changes(&series(3, length, steps));
            assert_eq!(found.len(), steps.len(), "{found:?}");
            for (found, (at, _)) in found.iter().zip(steps) {
                assert!(found.abs_diff(*at) <= 1, "{found} {at}");
            }
        }
    }

    /// Outliers are not a level: one or two nightly runs on a busy machine.
    #[test]
    fn single_outliers_are_not_a_change() {
        let mut values = series(5, 60, &[]);
        for at in [20, 41, 59] {
            values[at] += 0.5;
        }
        assert!(indices_of_changes(&values).is_empty());
    }

    #[test]
    fn constant_and_empty_series_have_no_change() {
        assert!(indices_of_changes(&[]).is_empty());
        assert!(indices_of_changes(&[1.0; 100]).is_empty());
        assert!(indices_of_changes(&[1.0, 1.0, 1.0, 2.0, 2.0]).is_empty());
    }

    #[test]
    fn the_same_seed_finds_the_same() {
        let values = series(8, 100, &[(60, 0.012)]);
        let search = Search::default();
        assert_eq!(search.examine(&values), search.examine(&values));
    }
}
