//! Tests with scripted sides, without processes or a clock.

use std::collections::HashMap;

use generators_common::random::stream;
use rand_distr::{Distribution, StandardNormal};
use reports::record::Point;

use super::*;

/// Yields samples of 1 s on the base and `1 + change` on the new side, with noise.
#[derive(Default)]
struct Scripted {
    /// Change by point.
    changes: Vec<f64>,
    noise: f64,
    seed: u64,
    blocks: Vec<(Side, usize, usize)>,
    /// Stop reason and number of process starts of each finished point.
    finished: HashMap<usize, (Stop, usize)>,
    /// Number of blocks after which time runs out.
    max_blocks: Option<usize>,
    fails: Option<usize>,
    /// Number of points at each restart.
    restarted: Vec<usize>,
}

fn scripted(changes: &[f64], noise: f64, seed: u64) -> Scripted {
    Scripted { changes: changes.to_vec(), noise, seed, ..Scripted::default() }
}

impl PairSampler for Scripted {
    fn sample_block(
        &mut self,
        side: Side,
        order: &BlockRequest,
    ) -> Result<BlockResult, PairedError> {
        let number = self.blocks.len() as u64;
        self.blocks.push((side, order.point, order.round));
        let change = match side {
            Side::Base => 0.0,
            Side::New => self.changes[order.point],
        };
        let mut random = stream(self.seed, [number]);
        let row = |sample: usize| {
            let noise: f64 = StandardNormal.sample(&mut random);
            let seconds = (1.0 + change) * (self.noise * noise).exp();
            SampleRow::new(&Point::default(), TOTAL, order.round, sample, seconds)
        };
        Ok(BlockResult {
            rows: (0..order.samples).map(row).collect(),
            took: Duration::from_millis(100),
            failed: self.fails == Some(order.point),
        })
    }

    fn finish(&mut self, paired: &PairedPoint, why: Stop) -> Result<(), PairedError> {
        self.finished.insert(paired.point, (why, paired.restarts));
        Ok(())
    }

    fn restart(&mut self, paired_points: &[PairedPoint]) -> Result<(), PairedError> {
        self.restarted.push(paired_points.len());
        Ok(())
    }

    fn restart_time(&self) -> Duration {
        Duration::ZERO
    }

    fn ends_before(&self, _: Duration) -> bool {
        self.max_blocks.is_some_and(|max| self.blocks.len() >= max)
    }
}

fn measured(scripted: &mut Scripted, sides: &[Side]) -> Vec<PairedPoint> {
    let all = scripted.changes.len();
    let paired = |point| PairedPoint::new(0, point, sides.to_vec(), Duration::from_secs(10));
    let rule = Rule { thresholds: Thresholds::default(), seed: 1 };
    measure((0..all).map(paired).collect(), all, &rule, scripted).expect("no errors")
}

#[test]
fn sides_alternate_and_start_alternately() {
    let mut sides = scripted(&[0.0], 0.05, 1);
    measured(&mut sides, &Side::BOTH);
    let order: Vec<_> = sides.blocks.iter().map(|(side, ..)| *side).collect();
    use Side::{Base, New};
    assert_eq!(order[..8], [Base, New, New, Base, New, Base, Base, New]);
    let rounds: Vec<_> = sides.blocks.iter().map(|(.., round)| *round).collect();
    assert_eq!(rounds[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
    // Second start, with other processes.
    assert_eq!(order[8..12], [New, Base, Base, New]);
    assert_eq!(rounds[8..12], [ROUNDS_PER_RESTART; 4]);
}

#[test]
fn what_is_clear_has_no_more_rounds() {
    let mut sides = scripted(&[0.0, 0.2, -0.2, 0.0101], 0.002, 2);
    assert!(measured(&mut sides, &Side::BOTH).is_empty());
    let finished = |point: usize| sides.finished[&point];
    assert!(finished(0).0 == Stop::Verdict && finished(0).1 <= 12);
    assert_eq!(finished(1).0, Stop::Verdict);
    assert_eq!(finished(2).0, Stop::Verdict);
    let max = (Stop::Rounds, MAX_RESTARTS);
    assert_eq!(finished(3), max, "about the minimum");
    assert_eq!(sides.restarted.len(), MAX_RESTARTS - 1);
    assert_eq!(sides.restarted.first(), Some(&4));
    assert_eq!(sides.restarted.last(), Some(&1), "those that are left");
}

#[test]
fn a_point_of_one_side_is_measured_without_the_other() {
    let mut sides = scripted(&[0.0], 0.01, 3);
    measured(&mut sides, &[Side::New]);
    assert!(sides.blocks.iter().all(|(side, ..)| *side == Side::New));
    assert_eq!(sides.finished[&0].0, Stop::Rounds);
}

#[test]
fn failed_points_get_no_more_blocks() {
    let mut sides = scripted(&[0.0, 0.0], 0.002, 4);
    sides.fails = Some(0);
    assert!(measured(&mut sides, &Side::BOTH).is_empty());
    assert_eq!(sides.blocks.iter().filter(|(_, p, _)| *p == 0).count(), 1);
    assert!(sides.finished.contains_key(&1) && !sides.finished.contains_key(&0));
}

#[test]
fn what_there_was_no_time_for_comes_back() {
    let mut sides = scripted(&[0.0; 10], 0.05, 5);
    sides.max_blocks = Some(100);
    assert_eq!(measured(&mut sides, &Side::BOTH).len(), 10);
    assert_eq!(sides.blocks.len(), 100, "rounds are whole");
}

/// Runs longer than the time limit of their point: one round per process start.
#[test]
fn a_point_that_is_slow_has_as_many_rounds_as_the_sign_test_needs() {
    let mut sides = scripted(&[0.3], 0.001, 6);
    let paired = PairedPoint::new(0, 0, Side::BOTH.to_vec(), Duration::from_millis(1));
    let rule = Rule { thresholds: Thresholds::default(), seed: 1 };
    assert_eq!(rule.min_rounds(), 8);
    // It would be clear at the first evaluation, if a thousand points did not share the error.
    measure(vec![paired], usize::MAX, &rule, &mut sides).expect("no errors");
    let (why, restarts) = sides.finished[&0];
    assert!(why == Stop::Time && (8..=9).contains(&restarts), "{why:?} {restarts}");
    let strict = Thresholds { significance: 1e-9, ..Thresholds::default() };
    assert_eq!(Rule { thresholds: strict, seed: 1 }.min_rounds(), 0, "no number is enough");
}
