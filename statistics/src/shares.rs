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
        // The contribution of each part: their sum is the difference, exactly.
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
mod tests;
