//! Control of false change points over many series.
//!
//! A test that splits one constant series in two hundred finds five false steps in a thousand
//! series. This controls the share of false steps over all series together (see
//! [`false_discovery`](super::false_discovery)): each tested segment is a hypothesis.
//!
//! This control needs p-values far below the resolution of a few hundred permutations: a single step among
//! a thousand series needs 2 · 10⁻⁵. So more permutations are drawn, but only for steps that were
//! significant and are now in doubt, and only until they can be settled. The more steps there
//! are and the clearer they are, the fewer permutations each needs.

use rayon::prelude::*;

use super::change_points::{ClearTest, Examined, Search};
use super::hypotheses::critical_among;
use super::permutations::Kind;

/// Maximum number of permutations for a step, unless a single step among all hypotheses needs more.
const MAX_ORDERS: usize = 100_000;

impl ClearTest {
    /// The p-value of the segment: two tests were possible, of which the first has two thirds of
    /// the allowed error.
    fn p_value(&self) -> f64 {
        self.orders.p_value() * self.kind.weight()
    }

    fn can_be_settled(&self, max: usize) -> bool {
        !self.orders.is_final() && self.orders.drawn < max
    }
}

impl Kind {
    fn weight(self) -> f64 {
        match self {
            Kind::Split => 1.5,
            Kind::Excursion => 3.0,
        }
    }
}

/// Removes the change points that are expected by chance among all series: the expected share of
/// false ones among the remaining is at most `rate`. Each series comes with its change points.
pub fn without_false_steps(search: &Search, found: &mut [(Vec<f64>, Examined)], rate: f64) {
    let questions: usize = found.iter().map(|(_, examined)| examined.segments).sum();
    let single = (2.0 * Kind::Excursion.weight() * questions as f64 / rate) as usize;
    let max = MAX_ORDERS.max(single);
    let critical = loop {
        let tests = || found.iter().flat_map(|(_, examined)| &examined.clear);
        let p_values: Vec<f64> = tests().map(ClearTest::p_value).collect();
        let critical = critical_among(&p_values, questions, rate).unwrap_or(0.0);
        let is_open = |test: &ClearTest| test.p_value() > critical && test.can_be_settled(max);
        let open = tests().filter(|test| is_open(test)).count();
        if open == 0 {
            break critical;
        }
        // If all of them are steps, so small a p-value is enough.
        let rejected = p_values.iter().filter(|p| **p <= critical).count();
        let enough = rate * (rejected + open) as f64 / questions as f64;
        found.par_iter_mut().for_each(|(values, examined)| {
            for test in examined.clear.iter_mut().filter(|test| is_open(test)) {
                sharpen(search, values, test, enough, max);
            }
        });
    };
    for (values, examined) in found {
        keep(search, values, examined, critical);
    }
}

/// Draws the permutations that a sufficiently small p-value needs, and at least twice the previous
/// number.
fn sharpen(search: &Search, values: &[f64], test: &mut ClearTest, enough: f64, max: usize) {
    let needed = (test.kind.weight() / enough).ceil();
    let orders = (needed as usize).max(2 * test.orders.drawn).min(max);
    if let Some(mut permuted) = search.permuted(values, &test.range, test.kind) {
        test.orders = permuted.up_to(orders);
    }
}

/// Keeps the change points with a p-value of at most this.
fn keep(search: &Search, values: &[f64], examined: &mut Examined, critical: f64) {
    let Examined { changes, clear, .. } = examined;
    let before = changes.len();
    changes.retain(|change| clear[change.test].p_value() <= critical);
    for change in changes.iter_mut() {
        change.p_value = clear[change.test].orders.p_value();
    }
    if changes.len() < before {
        search.refine(values, changes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    fn examined(values: Vec<f64>) -> (Vec<f64>, Examined) {
        let found = Search::default().examine(&values);
        (values, found)
    }

    fn series(noise: &mut Noise, runs: usize, step: f64, from: usize) -> Vec<f64> {
        let value = |run: usize| 0.01 * noise.heavy() + if run >= from { step } else { 0.0 };
        (0..runs).map(value).collect()
    }

    /// Histories of 128 steady series: without control six in ten have a false step.
    #[test]
    fn few_histories_have_any_false_step() {
        let steps = |seed: u64| {
            let mut noise = Noise::new(seed);
            let found = (0..128).map(|_| examined(series(&mut noise, 40, 0.0, 0)));
            let mut found: Vec<_> = found.collect();
            let count = |found: &[(Vec<f64>, Examined)]| -> usize {
                found.iter().map(|(_, examined)| examined.changes.len()).sum()
            };
            let before = count(&found);
            without_false_steps(&Search::default(), &mut found, 0.02);
            (before > 0, count(&found) > 0)
        };
        let found: Vec<_> = (0..200).map(steps).collect();
        let before = found.iter().filter(|(before, _)| *before).count();
        let after = found.iter().filter(|(_, after)| *after).count();
        assert!(before > 60, "{before} of 200");
        assert!(after <= 10, "{after} of 200");
    }

    /// A step of five times the noise, six runs old, in one of 400 series; and in all.
    #[test]
    fn a_step_is_found_among_many_series() {
        let found = |seed: u64, with_step: usize| {
            let mut noise = Noise::new(seed);
            let series = (0..400).map(|index| {
                let step = if index < with_step { 0.05 } else { 0.0 };
                examined(series(&mut noise, 66, step, 60))
            });
            let mut found: Vec<_> = series.collect();
            without_false_steps(&Search::default(), &mut found, 0.02);
            let is_found = |found: &&(Vec<f64>, Examined)| {
                found.1.changes.iter().any(|change| change.at.abs_diff(60) <= 2)
            };
            found[..with_step].iter().filter(is_found).count()
        };
        let alone: usize = (0..20).map(|seed| found(seed, 1)).sum();
        assert!(alone >= 16, "{alone} of 20");
        let all = found(1, 400);
        assert!(all >= 370, "{all} of 400");
    }

    /// Removing a change point does not remove adjacent ones.
    #[test]
    fn removing_a_step_keeps_adjacent_ones() {
        let mut noise = Noise::new(4);
        let mut values = series(&mut noise, 60, 0.2, 30);
        values[50..].iter_mut().for_each(|value| *value += 0.015);
        let mut found = vec![examined(values)];
        let steady = Examined { changes: vec![], clear: vec![], segments: 2000 };
        found.push((vec![0.0; 40], steady));
        without_false_steps(&Search::default(), &mut found, 0.02);
        let indices: Vec<usize> = found[0].1.changes.iter().map(|change| change.at).collect();
        assert_eq!(indices, [30]);
        assert!(found[0].1.changes[0].p_value < 1e-4);
    }
}
