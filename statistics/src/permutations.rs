//! Permutation tests: is a stretch more unlike in its parts than random orders of it?
//!
//! The p-value is that of Besag and Clifford (Biometrika 78 (1991) 301): orders are drawn
//! until so many are as clear, or until a number that was fixed. It is exact for any of these
//! ends, and few orders are spent on what chance explains.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::energy::Stretch;
use super::excursion::Ranked;

/// After so many orders that are as clear, further ones say nothing new.
const ENOUGH_AS_CLEAR: usize = 10;

/// What is looked for in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two unlike sides.
    Cut,
    /// A stretch within, unlike the rest.
    Excursion,
}

/// Random orders that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    /// How many.
    pub drawn: usize,
    /// How many of them were as clear as the order that was measured.
    pub as_clear: usize,
}

impl Orders {
    /// How often a random order is as clear.
    pub fn p_value(self) -> f64 {
        if self.is_final() {
            self.as_clear as f64 / self.drawn as f64
        } else {
            // The order that was measured is one of those that are equally likely.
            (1 + self.as_clear) as f64 / (1 + self.drawn) as f64
        }
    }

    /// Whether enough were as clear.
    pub fn is_final(self) -> bool {
        self.as_clear >= ENOUGH_AS_CLEAR
    }
}

/// A stretch with what was found in it, to be held against random orders of itself.
pub(super) struct Permuted {
    values: Values,
    /// Where what was found begins or ends, by places in the stretch.
    pub ends: Vec<usize>,
    found: f64,
    shortest: usize,
    random: Xoshiro256PlusPlus,
    orders: Orders,
}

/// What is reordered.
enum Values {
    Cut(Stretch),
    Excursion(Ranked),
}

impl Permuted {
    /// `None` where there is no room for anything of at least `shortest` values.
    pub fn new(values: &[f64], kind: Kind, shortest: usize, seed: u64) -> Option<Self> {
        let mut values = match kind {
            Kind::Cut => Values::Cut(Stretch::new(values)),
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

    /// Draws so many orders, if what was found is clear at this level; further ones are not
    /// drawn once they can't make it clear any more.
    pub fn within(&mut self, level: f64, orders: usize) -> Option<Orders> {
        let of_all = |as_clear: usize| (1 + as_clear) as f64 / (1 + orders) as f64;
        while self.orders.drawn < orders && of_all(self.orders.as_clear) <= level {
            self.draw();
        }
        (of_all(self.orders.as_clear) <= level).then_some(self.orders)
    }

    /// Draws orders until there are so many, or enough that are as clear.
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
    /// The ends of what is the most unlike, and how unlike it is.
    fn clearest(&mut self, shortest: usize) -> Option<(Vec<usize>, f64)> {
        match self {
            // A mean distance within a side needs two values.
            Values::Cut(stretch) => {
                let cut = stretch.best_cut(shortest.max(2))?;
                Some((vec![cut.at], cut.energy))
            }
            Values::Excursion(ranked) => {
                let (range, unlike) = ranked.most_unlike(shortest.max(1))?;
                let ends = [range.start, range.end].into_iter();
                Some((ends.filter(|end| *end > 0).collect(), unlike))
            }
        }
    }

    fn shuffle(&mut self, random: &mut impl Rng) {
        match self {
            Values::Cut(stretch) => shuffle(&mut stretch.points, random),
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

    /// If nothing changes, p-values are as often below any level as it says.
    #[test]
    fn p_values_are_exact_whenever_drawing_ends() {
        for kind in [Kind::Cut, Kind::Excursion] {
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
    fn a_clear_step_needs_all_orders_and_chance_few() {
        let step: Vec<f64> =
            (0..60).map(|i| f64::from(u8::from(i >= 40)) + 0.001 * f64::from(i % 7)).collect();
        let drawn = |values: &[f64]| {
            let orders = Permuted::new(values, Kind::Cut, 3, 1).expect("room").up_to(5000);
            (orders.drawn, orders.p_value())
        };
        assert_eq!(drawn(&step), (5000, 1.0 / 5001.0));
        let mut noise = Noise::new(3);
        let flat: Vec<f64> = (0..60).map(|_| noise.normal()).collect();
        let (orders, p) = drawn(&flat);
        assert!(orders < 1000 && p > 0.01, "{orders} {p}");
    }
}
