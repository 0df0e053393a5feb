//! Order of the blocks of samples, and the stopping rule of a point.
//!
//! In a round each side of a point has two short blocks, right after each other: base, new, new,
//! base, and in reverse order in the next round, so that a drift favours neither. Blocks of about 2
//! ms are long enough to be efficient: load by other programs changes within tens of milliseconds,
//! and what affects both sides cancels. A point has consecutive rounds for its share of the time,
//! points are in random order, and then the processes are restarted. After the 4th, 8th, 12th and
//! 24th start of the processes its rounds are evaluated: see `statistics::Paired`. Points that are
//! too slow for all of them end when their time is over, between two evaluations. This module is
//! independent of what is sampled, so that tests need no processes.
//! Nothing here knows what is sampled, so that tests can do without processes.

use std::time::Duration;

use generators_common::random::hash;
use reports::compare::{Round, Thresholds, Why, judge_paired, paired};
use reports::record::SampleRow;
use statistics::{MAX_RESTARTS, MIN_RESTARTS, ROUNDS_PER_RESTART, is_look};

use super::PairedError;
use super::child::Side;
use super::protocol::BlockRequest;
use crate::measure::{TOTAL, shuffle};

/// Duration of a block, or one sample if that takes longer.
const BLOCK_TIME: Duration = Duration::from_millis(2);
/// Maximum number of samples in a block.
const MAX_SAMPLES: usize = 101;
/// Longer runs need no warm-up.
const WARM_BY_ITSELF: Duration = Duration::from_millis(10);

/// Sampler of both sides of a pair.
pub(super) trait PairSampler {
    /// Takes the samples of a block, and records them. After an error nothing more can be measured.
    fn sample_block(
        &mut self,
        side: Side,
        order: &BlockRequest,
    ) -> Result<BlockResult, PairedError>;
    /// Records that a point has enough rounds.
    fn finish(&mut self, paired: &PairedPoint, why: Stop) -> Result<(), PairedError>;
    /// Restarts both sides, for these points, which gives them a new memory layout. After an error
    /// nothing more can be measured.
    fn restart(&mut self, paired_points: &[PairedPoint]) -> Result<(), PairedError>;
    /// Duration of a restart.
    fn restart_time(&self) -> Duration;
    /// Returns true to stop now because work of this duration would not finish in time.
    fn ends_before(&self, next: Duration) -> bool;
}

/// Result of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockResult {
    pub(super) rows: Vec<SampleRow>,
    pub(super) took: Duration,
    /// True if the point failed: it gets no more blocks.
    pub(super) failed: bool,
}

/// Reason for ending the rounds of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its rounds allow a verdict.
    Verdict,
    /// The maximum number of process restarts was reached.
    Rounds,
    /// Time ran out.
    Time,
    /// The user interrupted the run.
    Interrupt,
}

impl Stop {
    /// Value of `stopped_by`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Stop::Verdict => "verdict",
            Stop::Rounds => "samples",
            Stop::Time => "time",
            Stop::Interrupt => "interrupt",
        }
    }
}

/// A point of a paired run.
#[derive(Clone, Debug, Default)]
pub(super) struct PairedPoint {
    pub(super) input: usize,
    pub(super) point: usize,
    /// Sides that can measure it.
    pub(super) sides: Vec<Side>,
    /// Fraction by which the new side is slowed down.
    pub(super) slowdown: f64,
    /// Time limit on either side.
    max_time: Duration,
    spent: Duration,
    restarts: usize,
    rounds: [Vec<Round>; 2],
    /// Duration of a run with preparation: in the fastest block of the last round, because others
    /// may have been disturbed.
    run: Option<Duration>,
    /// Duration of the last round.
    last: Duration,
    failed: bool,
}

/// Rule for a clear verdict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) thresholds: Thresholds,
    pub(super) seed: u64,
}

impl Rule {
    /// Minimum number of rounds for the sign test to detect a change: with fewer, even if all agree
    /// on a side, its p-value of 2^(1 - n) is above the significance.
    fn min_rounds(&self) -> usize {
        let p_value = |rounds: &usize| 2.0 * 0.5_f64.powi(*rounds as i32);
        let mut counts = 1..=MAX_RESTARTS;
        counts.find(|rounds| p_value(rounds) < self.thresholds.significance).unwrap_or(0)
    }
}

impl PairedPoint {
    pub(super) fn new(input: usize, point: usize, sides: Vec<Side>, max_time: Duration) -> Self {
        PairedPoint { input, point, sides, max_time, ..PairedPoint::default() }
    }

    /// Number of rounds so far.
    pub(super) fn rounds(&self) -> usize {
        let taken = |rounds: &Vec<Round>| rounds.iter().filter(|round| round.all.is_some()).count();
        self.rounds.iter().map(taken).max().unwrap_or(0)
    }

    /// First block of a round.
    fn order(&self, round: usize) -> BlockRequest {
        let fit =
            self.run.map_or(0.0, |run| BLOCK_TIME.as_secs_f64() / run.as_secs_f64().max(1e-9));
        BlockRequest {
            input: self.input,
            point: self.point,
            round,
            samples: (fit as usize).clamp(1, MAX_SAMPLES),
            warm_up: self.run.is_none_or(|run| run < WARM_BY_ITSELF),
            slowdown: 0.0,
            keep: !round.is_multiple_of(ROUNDS_PER_RESTART),
        }
    }

    /// Samples rounds with the same processes until its time share is used, at least one.
    fn run_rounds<S: PairSampler>(
        &mut self,
        number: usize,
        sampler: &mut S,
    ) -> Result<(), PairedError> {
        let share = self.max_time * self.sides.len() as u32 / MAX_RESTARTS as u32;
        let mut spent = Duration::ZERO;
        for round in 0..ROUNDS_PER_RESTART {
            if round > 0 && (spent + self.last > share || sampler.ends_before(self.last)) {
                break;
            }
            self.round(number * ROUNDS_PER_RESTART + round, sampler)?;
            if self.failed {
                return Ok(());
            }
            spent += self.last;
        }
        self.spent += spent;
        self.restarts += 1;
        Ok(())
    }

    fn round<S: PairSampler>(&mut self, round: usize, sampler: &mut S) -> Result<(), PairedError> {
        let first = self.order(round);
        let mut rows: [Vec<SampleRow>; 2] = Default::default();
        let mut run: Option<Duration> = None;
        self.last = Duration::ZERO;
        for (block, side) in self.in_order(round).into_iter().enumerate() {
            let order = BlockRequest {
                slowdown: match side {
                    Side::Base => 0.0,
                    Side::New => self.slowdown,
                },
                keep: first.keep || block >= self.sides.len(),
                ..first
            };
            let result = sampler.sample_block(side, &order)?;
            self.failed |= result.failed;
            let runs = order.samples + usize::from(order.warm_up);
            let each = result.took / runs as u32;
            run = Some(run.map_or(each, |run| run.min(each)));
            self.last += result.took;
            rows[side as usize].extend(result.rows);
            if self.failed {
                return Ok(());
            }
        }
        for (rounds, rows) in self.rounds.iter_mut().zip(&rows) {
            let whole = rows.iter().filter(|row| row.stage == TOTAL);
            rounds.resize(round, Round::default());
            rounds.push(Round::from_rows(whole));
        }
        self.run = run;
        Ok(())
    }

    /// Order of sides within a round, forward and reversed. Successive rounds start with alternating
    /// sides, and so do successive starts of the processes.
    fn in_order(&self, round: usize) -> Vec<Side> {
        let mut sides = self.sides.clone();
        if (round + round / ROUNDS_PER_RESTART) % 2 == 1 {
            sides.reverse();
        }
        sides.extend(sides.clone().into_iter().rev());
        sides
    }

    /// True if its rounds allow a verdict; `points` share the allowed error.
    fn is_clear(&self, rule: &Rule, points: usize) -> bool {
        let [base, new] = &self.rounds;
        let (Some(found), quantity) = paired(base, new) else {
            return false;
        };
        let judgement = judge_paired(&found, quantity, &rule.thresholds);
        let allowed = rule.thresholds.false_discovery / points as f64;
        judgement.why == Why::BelowMinimum
            || (judgement.is_change() && judgement.p_change.is_some_and(|p| p < allowed))
    }

    fn stops(&self, rule: &Rule, points: usize) -> Option<Stop> {
        let restarts = self.restarts;
        if self.sides.len() < 2 {
            // Nothing to compare with: the rounds are for later comparisons.
            return (restarts >= MIN_RESTARTS).then_some(Stop::Rounds);
        }
        if is_look(restarts) && self.is_clear(rule, points) {
            return Some(Stop::Verdict);
        }
        // One more than the evaluations so far has the remaining error.
        let may_end =
            restarts >= MIN_RESTARTS && !is_look(restarts) && self.rounds() >= rule.min_rounds();
        if may_end && self.spent >= 2 * self.max_time {
            return Some(Stop::Time);
        }
        (restarts >= MAX_RESTARTS).then_some(Stop::Rounds)
    }
}

/// Measures all points, alternating between both sides, until each is clear or has used all its
/// process restarts; `all` points share the allowed error. Points that failed are dropped here; the
/// sampler has recorded them.
pub(super) fn measure<S: PairSampler>(
    mut paired_points: Vec<PairedPoint>,
    all: usize,
    rule: &Rule,
    sampler: &mut S,
) -> Result<Vec<PairedPoint>, PairedError> {
    for run_rounds in 0..MAX_RESTARTS {
        if run_rounds > 0 {
            if sampler.ends_before(sampler.restart_time()) {
                break;
            }
            sampler.restart(&paired_points)?;
        }
        shuffle(&mut paired_points, hash(rule.seed, [run_rounds as u64]));
        let mut left = Vec::new();
        for mut paired in paired_points {
            // Points that take too long for the remaining time are dropped in favour of shorter
            // ones.
            if !sampler.ends_before(paired.last) {
                paired.run_rounds(run_rounds, sampler)?;
                if paired.failed {
                    continue;
                }
                if let Some(why) = paired.stops(rule, all) {
                    sampler.finish(&paired, why)?;
                    continue;
                }
            }
            left.push(paired);
        }
        paired_points = left;
        if paired_points.is_empty() || sampler.ends_before(Duration::ZERO) {
            break;
        }
    }
    Ok(paired_points)
}

#[cfg(test)]
mod tests;
