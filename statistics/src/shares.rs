//! Shares and means of items, such as efficiencies, and their differences.
//!
//! A value is a sum over a number of items, both over parts of the data. A share has the interval of
//! Wilson (J. Am. Stat. Assoc. 22 (1927) 209). A mean and a width have that of the bootstrap over
//! parts (Efron 1979): items of a part, such as hits of an event, need not be independent.
//!
//! Two values of the same data are compared part by part, because most parts have the same result:
//! what fluctuates is the difference only. Where few parts differ, gains and losses of items are
//! counted as McNemar does (Psychometrika 12 (1947) 153), with the intervals of Poisson counts of
//! Garwood (Biometrika 28 (1936) 437). Values of different data have the interval of Newcombe
//! (Stat. Med. 17 (1998) 873), from the interval of each.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Gamma};

use super::description::sorted;
use super::evidence::{MANY, p_value, t95};
use super::interval::{Interval, TAIL};

/// Minimum number of parts with items for a bootstrap.
pub const MIN_PARTS: usize = 6;
/// Number of parts that differ from which on their scatter is known well enough.
const MANY_DIFFER: usize = 10;
/// Resamples of a bootstrap: ends of intervals are known to a few per cent of their width.
const RESAMPLES: usize = 1000;
const SEED: u64 = 67;

/// Sum over the items of a part of the data, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// Number of passed items, or the sum of a property.
    pub sum: f64,
    /// Number of items.
    pub count: f64,
}

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Items {
    /// Each item passes or fails.
    PassOrFail,
    /// Each item has a number.
    Numbers,
}

fn total(parts: &[Part]) -> Part {
    let add =
        |sum: Part, part: &Part| Part { sum: sum.sum + part.sum, count: sum.count + part.count };
    parts.iter().fold(Part::default(), add)
}

/// The 95 % interval of a share by Wilson; `None` without items.
pub fn binomial_interval(parts: &[Part]) -> Option<Interval> {
    let Part { sum: passed, count: all } = total(parts);
    if all < 1.0 {
        return None;
    }
    let z = t95(MANY);
    let share = passed / all;
    let scale = 1.0 / (1.0 + z * z / all);
    let centre = scale * (share + z * z / (2.0 * all));
    let variance = share * (1.0 - share) / all + z * z / (4.0 * all * all);
    let half = scale * z * variance.max(0.0).sqrt();
    // Rounding must not exclude the value itself.
    Some(Interval {
        low: (centre - half).clamp(0.0, share),
        high: (centre + half).clamp(share, 1.0),
    })
}

/// The 95 % interval of a mean by the bootstrap over parts, the same each time; `None` for fewer
/// than [`MIN_PARTS`] parts with items.
pub fn bootstrap_interval(parts: &[Part]) -> Option<Interval> {
    let parts: Vec<Part> = parts.iter().copied().filter(|part| part.count > 0.0).collect();
    if parts.len() < MIN_PARTS {
        return None;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut resampled = |_| {
        let draws = (0..parts.len()).map(|_| parts[index_below(&mut random, parts.len())]);
        let Part { sum, count } = total(&draws.collect::<Vec<_>>());
        sum / count
    };
    let means: Vec<f64> = (0..RESAMPLES).map(&mut resampled).collect();
    let means = sorted(&means);
    let tail = (TAIL * RESAMPLES as f64) as usize;
    Some(Interval { low: means[tail], high: means[RESAMPLES - 1 - tail] })
}

fn index_below(random: &mut Xoshiro256PlusPlus, count: usize) -> usize {
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

/// Difference of two values, the new one minus that of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Its value.
    pub value: f64,
    /// The 95 % interval.
    pub interval: Interval,
    /// Degrees of freedom of the interval.
    df: f64,
}

/// Comparison of two values of the same data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairedParts {
    /// All parts have the same result.
    Identical,
    /// Some parts differ.
    Differ(Difference),
    /// Some parts differ, but too few for an interval: the difference, and their number.
    TooFew {
        /// The difference.
        value: f64,
        /// Number of parts that differ.
        parts: usize,
    },
    /// The runs have no parts, or other ones.
    Unpaired,
}

impl PairedParts {
    /// Compares the parts of two runs on the same data.
    pub fn new(items: Items, base: &[Part], new: &[Part]) -> Self {
        let before = total(base);
        let after = total(new);
        if base.len() != new.len() || before.count == 0.0 || after.count == 0.0 {
            return PairedParts::Unpaired;
        }
        let rate = before.sum / before.count;
        // What each part adds to the difference: their sum is the difference, exactly.
        let added: Vec<f64> = base
            .iter()
            .zip(new)
            .map(|(base, new)| (new.sum - base.sum) - rate * (new.count - base.count))
            .collect();
        let differing = base.iter().zip(new).filter(|(base, new)| base != new).count();
        if differing == 0 {
            return PairedParts::Identical;
        }
        let value = after.sum / after.count - rate;
        if differing >= MANY_DIFFER || items == Items::Numbers && differing >= MIN_PARTS {
            let squares = added.iter().zip(new).map(|(added, new)| added - value * new.count);
            let parts = base.len() as f64;
            let squares: f64 = squares.map(|residual| residual * residual).sum();
            let error = (parts / (parts - 1.0) * squares).sqrt() / after.count;
            let df = (differing - 1) as f64;
            return PairedParts::Differ(Difference::normal(value, error, df));
        }
        match items {
            Items::PassOrFail => {
                PairedParts::Differ(by_gains_and_losses(value, &added, after.count))
            }
            Items::Numbers => PairedParts::TooFew { value, parts: differing },
        }
    }
}

/// The difference of a share of which few items changed.
fn by_gains_and_losses(value: f64, added: &[f64], items: f64) -> Difference {
    let gains: f64 = added.iter().map(|added| added.max(0.0)).sum();
    let losses: f64 = added.iter().map(|added| (-added).max(0.0)).sum();
    let [gains, losses] = [gains, losses].map(poisson_interval);
    let interval = Interval {
        low: ((gains.low - losses.high) / items).min(value),
        high: ((gains.high - losses.low) / items).max(value),
    };
    Difference { value, interval, df: MANY }
}

/// The 95 % interval of the expectation of a count by Garwood.
fn poisson_interval(count: f64) -> Interval {
    let quantile = |shape: f64, probability: f64| {
        Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.inverse_cdf(probability))
    };
    Interval {
        low: if count > 0.0 { quantile(count, TAIL) } else { 0.0 },
        high: quantile(count + 1.0, 1.0 - TAIL),
    }
}

impl Difference {
    fn normal(value: f64, error: f64, df: f64) -> Self {
        let half = t95(df) * error;
        Difference { value, interval: Interval { low: value - half, high: value + half }, df }
    }

    /// The difference of values of different data, from the interval of each.
    pub fn unpaired(base: (f64, Interval), new: (f64, Interval)) -> Self {
        let (a, of_base) = base;
        let (b, of_new) = new;
        let value = b - a;
        let interval = Interval {
            low: value - (b - of_new.low).hypot(of_base.high - a),
            high: value + (of_new.high - b).hypot(a - of_base.low),
        };
        Difference { value, interval, df: MANY }
    }

    /// The difference in units of `scale`, which is positive.
    #[must_use]
    pub fn over(self, scale: f64) -> Self {
        Difference { value: self.value / scale, interval: self.interval.times(1.0 / scale), ..self }
    }

    /// The difference with the other sign.
    #[must_use]
    pub fn negative(self) -> Self {
        let Interval { low, high } = self.interval;
        Difference { value: -self.value, interval: Interval { low: -high, high: -low }, ..self }
    }

    /// The difference plus an exactly known number.
    #[must_use]
    pub fn plus(self, shift: f64) -> Self {
        let Interval { low, high } = self.interval;
        let interval = Interval { low: low + shift, high: high + shift };
        Difference { value: self.value + shift, interval, ..self }
    }

    /// Two-sided p-value of "the difference is at most `limit` in size".
    pub fn p_value(self, limit: f64) -> f64 {
        let beyond = self.value.abs() - limit;
        let to_zero = if self.value > 0.0 {
            self.value - self.interval.low
        } else {
            self.interval.high - self.value
        };
        let error = to_zero / t95(self.df);
        if beyond <= 0.0 {
            1.0
        } else if error == 0.0 {
            0.0
        } else {
            p_value(beyond / error, self.df)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    fn part(sum: f64, count: f64) -> Part {
        Part { sum, count }
    }

    fn close(found: Interval, low: f64, high: f64) {
        let near = (found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4;
        assert!(near, "{found:?} for {low} to {high}");
    }

    #[test]
    fn shares_have_the_interval_of_wilson() {
        // Newcombe (1998), table I: 81 of 263, 15 of 148, none of 20, and one of 29.
        let interval = |passed, all| binomial_interval(&[part(passed, all)]).expect("items");
        close(interval(81.0, 263.0), 0.2553, 0.3662);
        close(interval(15.0, 148.0), 0.0624, 0.1605);
        close(interval(0.0, 20.0), 0.0, 0.1611);
        close(interval(1.0, 29.0), 0.0061, 0.1718);
        close(interval(20.0, 20.0), 0.8389, 1.0);
        assert_eq!(binomial_interval(&[part(0.0, 0.0)]), None);
    }

    #[test]
    fn means_have_an_interval_by_the_scatter_of_parts() {
        let mut noise = Noise::new(3);
        let mut covered = 0;
        for _ in 0..200 {
            let parts: Vec<Part> =
                (0..40).map(|_| part(10.0 * (2.0 + noise.normal()), 10.0)).collect();
            let found = bootstrap_interval(&parts).expect("parts");
            covered += usize::from(found.low <= 2.0 && 2.0 <= found.high);
            let width = found.high - found.low;
            assert!((0.3..1.0).contains(&width), "{width} for 0.62");
        }
        assert!((178..=199).contains(&covered), "{covered} of 200");
        let parts = [part(1.0, 1.0); MIN_PARTS - 1];
        assert_eq!(bootstrap_interval(&parts), None, "few parts");
        let empty = [&parts[..], &[Part::default(); 20]].concat();
        assert_eq!(bootstrap_interval(&empty), None, "empty parts do not count");
    }

    fn differ(items: Items, base: &[Part], new: &[Part]) -> Difference {
        match PairedParts::new(items, base, new) {
            PairedParts::Differ(difference) => difference,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_parts_are_identical_and_unlike_ones_unpaired() {
        let base = [part(3.0, 4.0), part(0.0, 0.0)];
        let judged = |new: &[Part]| PairedParts::new(Items::PassOrFail, &base, new);
        assert_eq!(judged(&base), PairedParts::Identical);
        assert_eq!(judged(&base[..1]), PairedParts::Unpaired);
        assert_eq!(judged(&[Part::default(); 2]), PairedParts::Unpaired);
    }

    /// Parts of which each item passes with a probability, then is lost with another.
    fn parts(noise: &mut Noise, count: usize, loss: f64) -> [Vec<Part>; 2] {
        let mut both = [Vec::new(), Vec::new()];
        for _ in 0..count {
            let items = 100;
            let passed = (0..items).filter(|_| noise.uniform() < 0.9).count();
            let lost = (0..passed).filter(|_| noise.uniform() < loss).count();
            both[0].push(part(passed as f64, f64::from(items)));
            both[1].push(part((passed - lost) as f64, f64::from(items)));
        }
        both
    }

    #[test]
    fn a_loss_in_the_same_data_is_found_far_below_the_error_of_either_value() {
        let mut noise = Noise::new(5);
        let mut covered = 0;
        for _ in 0..100 {
            let [base, new] = parts(&mut noise, 200, 0.005);
            let found = differ(Items::PassOrFail, &base, &new);
            let truth = -0.9 * 0.005;
            covered += usize::from(found.interval.low <= truth && truth <= found.interval.high);
            let exact = total(&new).sum / total(&new).count - total(&base).sum / total(&base).count;
            assert!((found.value - exact).abs() < 1e-12);
            assert!(found.interval.high < -0.001, "{found:?}");
            assert!(found.p_value(0.001) < 1e-4, "{found:?}");
            assert_eq!(found.p_value(0.1), 1.0);
            // Without pairs nothing can be said.
            let [a, b] = [&base, &new].map(|parts| {
                let sum = total(parts);
                (sum.sum / sum.count, binomial_interval(parts).expect("items"))
            });
            let unpaired = Difference::unpaired(a, b);
            assert!(unpaired.interval.high > 0.0 && unpaired.interval.low < found.interval.low);
        }
        assert!(covered >= 90, "{covered} of 100");
    }

    #[test]
    fn few_changes_are_counted_as_gains_and_losses() {
        let base = [part(90.0, 100.0); 100];
        let mut new = base;
        new[3].sum -= 1.0;
        let one = differ(Items::PassOrFail, &base, &new);
        // One event has an expectation of 0.025 to 5.57, none of up to 3.69.
        close(one.interval.times(1e4), -5.572, 3.689 - 0.0253);
        assert!(one.p_value(0.0) > 0.05);
        for part in &mut new[..9] {
            part.sum -= 5.0;
        }
        let many = differ(Items::PassOrFail, &base, &new);
        assert!(many.interval.high < -0.002 && many.p_value(0.001) < 0.001, "{many:?}");
        let numbers = PairedParts::new(
            Items::Numbers,
            &base[..9],
            &{
                let mut new = base;
                new[0].sum += 1.0;
                new
            }[..9],
        );
        assert!(matches!(numbers, PairedParts::TooFew { parts: 1, .. }), "{numbers:?}");
    }

    #[test]
    fn both_counts_of_a_share_may_change() {
        // Ghosts: a found item more that is no ghost lowers the share.
        let base = [part(10.0, 100.0); 12];
        let new = [part(10.0, 101.0); 12];
        let found = differ(Items::PassOrFail, &base, &new);
        assert!((found.value - (10.0 / 101.0 - 0.1)).abs() < 1e-12);
        assert!(found.interval.high < 0.0);
    }

    #[test]
    fn equal_values_of_different_data_raise_no_alarm() {
        let mut noise = Noise::new(9);
        let mut alarms = 0;
        for _ in 0..300 {
            let [base, _] = parts(&mut noise, 50, 0.0);
            let [new, _] = parts(&mut noise, 50, 0.0);
            let value = |parts: &[Part]| {
                let sum = total(parts);
                (sum.sum / sum.count, binomial_interval(parts).expect("items"))
            };
            let found = Difference::unpaired(value(&base), value(&new));
            alarms += usize::from(found.interval.low > 0.0 || found.interval.high < 0.0);
        }
        assert!(alarms <= 27, "{alarms} of 300 for 5 %");
    }

    #[test]
    fn differences_can_be_scaled_shifted_and_turned() {
        let value = |at: f64| (at, Interval { low: at - 0.1, high: at + 0.1 });
        let found = Difference::unpaired(value(1.0), value(3.0)).over(2.0).negative().plus(0.5);
        assert_eq!(found.value, -0.5);
        let half = 0.1 * 2.0_f64.sqrt() / 2.0;
        close(found.interval, -0.5 - half, -0.5 + half);
    }
}
