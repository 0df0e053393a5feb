//! Permutation tests: comparison of a segment with random orders of it.
//!
//! The p-value is that of Besag and Clifford (Biometrika 78 (1991) 301): permutations are drawn
//! until a fixed number of them is as extreme, or until a maximum. It is exact for any of these
//! ends, and few permutations are spent on random structure.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::energy::Ranked;
use super::energy::Segment;

/// Number of permutations that are as extreme after which further ones add nothing.
const ENOUGH_AS_CLEAR: usize = 10;

/// Structure to be tested in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two unlike sides.
    Split,
    /// A segment within, unlike the rest.
    Excursion,
}

/// Random orders that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    /// Number of permutations.
    pub drawn: usize,
    /// Number of permutations that were as extreme as the measured order.
    pub as_clear: usize,
}

impl Orders {
    /// Probability that a random order is as extreme.
    pub fn p_value(self) -> f64 {
        if self.is_final() {
            self.as_clear as f64 / self.drawn as f64
        } else {
            // The order that was measured is one of those that are equally likely.
            (1 + self.as_clear) as f64 / (1 + self.drawn) as f64
        }
    }

    /// True if enough were as extreme.
    pub fn is_final(self) -> bool {
        self.as_clear >= ENOUGH_AS_CLEAR
    }
}

/// A segment with the structure found in it, for comparison with random orders.
pub(super) struct Permuted {
    values: Values,
    /// Bounds of the structure, as indices in the segment.
    pub ends: Vec<usize>,
    found: f64,
    shortest: usize,
    random: Xoshiro256PlusPlus,
    orders: Orders,
}

/// The permuted data.
enum Values {
    Split(Segment),
    Excursion(Ranked),
}

impl Permuted {
    /// Finds the structure; `None` if the segment is too short for parts of at least `shortest`
    /// values.
    pub fn new(values: &[f64], kind: Kind, shortest: usize, seed: u64) -> Option<Self> {
        let mut values = match kind {
            Kind::Split => Values::Split(Segment::new(values)),
            Kind::Excursion => Values::Excursion(Ranked::new(values)),
        };
        let (ends, found) = values.clearest(shortest)?;
        Some(Permuted {
            values,
            ends,
            found,
            shortest,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            orders: Orders::default(),
        })
    }

    /// Draws up to `orders` permutations, if the structure is significant at this level; stops as
    /// soon as it can't become significant any more.
    pub fn within(&mut self, level: f64, orders: usize) -> Option<Orders> {
        let of_all = |as_clear: usize| (1 + as_clear) as f64 / (1 + orders) as f64;
        while self.orders.drawn < orders && of_all(self.orders.as_clear) <= level {
            self.draw();
        }
        (of_all(self.orders.as_clear) <= level).then_some(self.orders)
    }

    /// Draws permutations until there are `orders`, or enough that are as extreme.
    pub fn up_to(&mut self, orders: usize) -> Orders {
        while self.orders.drawn < orders && !self.orders.is_final() {
            self.draw();
        }
        self.orders
    }

    fn draw(&mut self) {
        self.values.shuffle(&mut self.random);
        let by_chance = self.values.clearest(self.shortest);
        let is_as_clear = by_chance.is_some_and(|(_, by_chance)| by_chance >= self.found);
        self.orders.drawn += 1;
        self.orders.as_clear += usize::from(is_as_clear);
    }
}

impl Values {
    /// Bounds of the most extreme structure, and its statistic.
    fn clearest(&mut self, shortest: usize) -> Option<(Vec<usize>, f64)> {
        match self {
            // A mean distance within a side needs two values.
            Values::Split(segment) => {
                let split = segment.best_split(shortest.max(2))?;
                Some((vec![split.at], split.energy))
            }
            Values::Excursion(ranked) => {
                let (range, unlike) = ranked.most_extreme(shortest.max(1))?;
                let ends = [range.start, range.end].into_iter();
                Some((ends.filter(|end| *end > 0).collect(), unlike))
            }
        }
    }

    fn shuffle(&mut self, random: &mut impl Rng) {
        match self {
            Values::Split(segment) => shuffle(&mut segment.points, random),
            Values::Excursion(ranked) => shuffle(&mut ranked.ranks, random),
        }
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

    /// If nothing changes, the share of p-values below any level equals that level.
    #[test]
    fn p_values_are_exact_for_any_stopping_point() {
        for kind in [Kind::Split, Kind::Excursion] {
            let p_value = |seed: u64| {
                let mut noise = Noise::new(seed);
                let values: Vec<f64> = (0..25).map(|_| noise.heavy()).collect();
                let permuted = Permuted::new(&values, kind, 3, seed);
                permuted.expect("room").up_to(600).p_value()
            };
            let p_values: Vec<f64> = (0..3000).map(p_value).collect();
            for level in [0.01, 0.05, 0.3] {
                let below = p_values.iter().filter(|p| **p <= level).count() as f64 / 3000.0;
                let error = (level * (1.0 - level) / 3000.0).sqrt();
                assert!((below - level).abs() < 4.0 * error, "{kind:?} {level}: {below}");
            }
        }
    }

    #[test]
    fn a_clear_step_needs_all_orders_and_noise_few() {
        let step: Vec<f64> =
            (0..60).map(|i| f64::from(u8::from(i >= 40)) + 0.001 * f64::from(i % 7)).collect();
        let drawn = |values: &[f64]| {
            let orders = Permuted::new(values, Kind::Split, 3, 1).expect("room").up_to(5000);
            (orders.drawn, orders.p_value())
        };
        assert_eq!(drawn(&step), (5000, 1.0 / 5001.0));
        let mut noise = Noise::new(3);
        let flat: Vec<f64> = (0..60).map(|_| noise.normal()).collect();
        let (orders, p) = drawn(&flat);
        assert!(orders < 1000 && p > 0.01, "{orders} {p}");
    }
}
