//! The order of visits, and when a point has enough of them.
//!
//! In each round both sides of a point have a visit, right after each other: base, new in
//! one round and new, base in the next one, by the same processes, so that a drift favours
//! neither; the next processes begin the other way round. The points of a round come in a
//! random order. Rounds are
//! looked at after the 8th, 16th, 24th and 48th: see `reports::statistics::Paired`.
//! Who takes too long for all of them ends when his time is over, between two looks.
//! Nothing here knows what is sampled, so that tests can do without processes.

use std::time::Duration;

use generators::random::hash;
use reports::compare::{Round, Thresholds, Why, judge_paired, paired};
use reports::record::SampleRow;
use reports::statistics::{GENERATION, MIN_ROUNDS, MOST_ROUNDS, is_look};

use super::DuetError;
use super::child::Side;
use super::protocol::VisitOrder;
use crate::measure::shuffle;

/// A visit takes a part of the time of a point such that all rounds fit, and no longer
/// than this: short against what drifts.
const LONGEST_VISIT: Duration = Duration::from_millis(200);
/// Samples in a visit.
const FEWEST: usize = 2;
const MOST: usize = 101;
/// Runs that take longer are warm by themselves.
const WARM_BY_ITSELF: Duration = Duration::from_millis(10);

/// Who takes samples.
pub(super) trait Sampler {
    /// Takes the samples of a visit, and writes them down.
    ///
    /// # Errors
    /// If it can't; nothing more can be measured then.
    fn visit(&mut self, side: Side, order: &VisitOrder) -> Result<Visited, DuetError>;
    /// A point has enough rounds.
    ///
    /// # Errors
    /// If that can't be written down.
    fn finish(&mut self, turn: &Turn, why: Stop) -> Result<(), DuetError>;
    /// Starts both sides anew, for these points: where things lie in memory is then
    /// another matter of chance.
    ///
    /// # Errors
    /// If it can't; nothing more can be measured then.
    fn renew(&mut self, turns: &[Turn]) -> Result<(), DuetError>;
    /// How long that takes.
    fn renewing(&self) -> Duration;
    /// Whether to stop now, rather than wait for what takes so long.
    fn ends_before(&self, next: Duration) -> bool;
}

/// What came of a visit.
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    pub(super) rows: Vec<SampleRow>,
    pub(super) took: Duration,
    /// The point failed: it gets no more visits.
    pub(super) failed: bool,
}

/// Why a point has no more rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its rounds say enough.
    Verdict,
    /// It has as many as it may.
    Rounds,
    /// The time is over.
    Time,
    /// The user asked for an end.
    Interrupt,
}

impl Stop {
    /// What `stopped_by` says.
    pub(super) fn name(self) -> &'static str {
        match self {
            Stop::Verdict => "verdict",
            Stop::Rounds => "samples",
            Stop::Time => "time",
            Stop::Interrupt => "interrupt",
        }
    }
}

/// A point that is measured in turn.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) input: usize,
    pub(super) point: usize,
    /// The sides that have it.
    pub(super) sides: Vec<Side>,
    /// By which fraction the new side is slowed down.
    pub(super) slowdown: f64,
    /// The time that it may take on either side.
    max_time: Duration,
    spent: Duration,
    rounds: [Vec<Round>; 2],
    /// What a run costs, with all that surrounds it: in the quickest visit of the last
    /// round, since in others somebody else may have had the core.
    run: Option<Duration>,
    /// What the last round took.
    last: Duration,
    failed: bool,
}

/// When a point is clear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) thresholds: Thresholds,
    pub(super) seed: u64,
}

impl Turn {
    pub(super) fn new(input: usize, point: usize, sides: Vec<Side>, max_time: Duration) -> Self {
        Turn {
            input,
            point,
            sides,
            slowdown: 0.0,
            max_time,
            spent: Duration::ZERO,
            rounds: Default::default(),
            run: None,
            last: Duration::ZERO,
            failed: false,
        }
    }

    /// How many rounds it has had.
    pub(super) fn rounds(&self) -> usize {
        self.rounds.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The visit that is due.
    fn order(&self, round: usize) -> VisitOrder {
        let visit = LONGEST_VISIT.min(self.max_time / MOST_ROUNDS as u32);
        let fit = self
            .run
            .map_or(0.0, |run| visit.as_secs_f64() / run.as_secs_f64().max(1e-9));
        VisitOrder {
            input: self.input,
            point: self.point,
            round,
            samples: (fit as usize).clamp(FEWEST, MOST),
            warm_up: self.run.is_none_or(|run| run < WARM_BY_ITSELF),
            slowdown: 0.0,
        }
    }

    fn round<S: Sampler>(&mut self, round: usize, sampler: &mut S) -> Result<(), DuetError> {
        let mut sides = self.sides.clone();
        if is_new_first(round) {
            sides.reverse();
        }
        let order = self.order(round);
        let mut run: Option<Duration> = None;
        self.last = Duration::ZERO;
        let mut rows: [Vec<SampleRow>; 2] = Default::default();
        for side in sides {
            let slowdown = match side {
                Side::Base => 0.0,
                Side::New => self.slowdown,
            };
            let visited = sampler.visit(side, &VisitOrder { slowdown, ..order })?;
            self.failed |= visited.failed;
            let runs = order.samples + usize::from(order.warm_up);
            let each = visited.took / runs as u32;
            run = Some(run.map_or(each, |run| run.min(each)));
            self.last += visited.took;
            rows[side as usize].extend(visited.rows);
            if self.failed {
                return Ok(());
            }
        }
        self.spent += self.last;
        for (rounds, rows) in self.rounds.iter_mut().zip(&rows) {
            let whole = rows.iter().filter(|row| row.stage == "total");
            rounds.resize(round, Round::default());
            rounds.push(Round::of(whole));
        }
        self.run = run;
        Ok(())
    }

    /// Whether its rounds say enough; `points` share the error that is allowed.
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
        let rounds = self.rounds();
        if self.sides.len() < 2 {
            // There is nothing to compare with: for the next time.
            return (rounds >= MOST_ROUNDS / 4).then_some(Stop::Rounds);
        }
        if is_look(rounds) && self.is_clear(rule, points) {
            return Some(Stop::Verdict);
        }
        // One more than was looked at has all of the error that is left.
        let may_end = rounds >= MIN_ROUNDS && !is_look(rounds);
        if may_end && self.spent >= 2 * self.max_time {
            return Some(Stop::Time);
        }
        (rounds >= MOST_ROUNDS).then_some(Stop::Rounds)
    }
}

/// Who begins: within a generation each side once, and over generations as well.
fn is_new_first(round: usize) -> bool {
    (round + round / GENERATION) % 2 == 1
}

/// Measures all points in turn until each is clear or has all its rounds; `all` points
/// share the error that is allowed. Those that failed are left out without a word: the
/// sampler knows.
///
/// # Errors
/// The sampler's.
pub(super) fn measure<S: Sampler>(
    mut turns: Vec<Turn>,
    all: usize,
    rule: &Rule,
    sampler: &mut S,
) -> Result<Vec<Turn>, DuetError> {
    for round in 0..MOST_ROUNDS {
        if round > 0 && round % GENERATION == 0 {
            if sampler.ends_before(sampler.renewing()) {
                break;
            }
            sampler.renew(&turns)?;
        }
        shuffle(&mut turns, hash(rule.seed, [round as u64]));
        let mut left = Vec::new();
        for mut turn in turns {
            // What takes too long for the time that is left makes room for what does not.
            if !sampler.ends_before(turn.last) {
                turn.round(round, sampler)?;
                if turn.failed {
                    continue;
                }
                if let Some(why) = turn.stops(rule, all) {
                    sampler.finish(&turn, why)?;
                    continue;
                }
            }
            left.push(turn);
        }
        turns = left;
        if turns.is_empty() || sampler.ends_before(Duration::ZERO) {
            break;
        }
    }
    Ok(turns)
}

#[cfg(test)]
mod tests;
