//! The order of visits, and when a point has enough of them.
//!
//! In a round both sides of a point have two short visits, right after each other: base,
//! new, new, base, and in the next round the other way round, so that a drift favours
//! neither. Visits of some 2 ms are as long as they have to be to be worth it: neighbours
//! come and go within tens of milliseconds, and what both sides see of them is no
//! difference. A point has rounds one after the other for its share of the time, the points
//! come in a random order, and then the processes are started anew. After the 4th, 8th, 12th
//! and 24th of these generations its rounds are looked at: see `statistics::Paired`.
//! Who takes too long for all of them ends when his time is over, between two looks.
//! Nothing here knows what is sampled, so that tests can do without processes.

use std::time::Duration;

use generators::random::hash;
use reports::compare::{Round, Thresholds, Why, judge_paired, paired};
use reports::record::SampleRow;
use statistics::{GENERATION, MIN_GENERATIONS, MOST_GENERATIONS, is_look};

use super::DuetError;
use super::child::Side;
use super::protocol::VisitOrder;
use crate::measure::{TOTAL, shuffle};

/// What a visit takes, or one sample if that takes longer.
const VISIT: Duration = Duration::from_millis(2);
/// Samples in a visit.
const MOST: usize = 101;
/// Runs that take longer are warm by themselves.
const WARM_BY_ITSELF: Duration = Duration::from_millis(10);

/// Who takes samples of both sides of a pair.
pub(super) trait PairSampler {
    /// Takes the samples of a visit, and writes them down.
    ///
    /// # Errors
    /// If it can't; nothing more can be measured then.
    fn visit(&mut self, side: Side, order: &VisitOrder) -> Result<Visited, DuetError>;
    /// A point has enough rounds.
    fn finish(&mut self, turn: &Turn, why: Stop) -> Result<(), DuetError>;
    /// Starts both sides anew, for these points: where things lie in memory is then
    /// another matter of chance.
    ///
    /// # Errors
    /// If it can't; nothing more can be measured then.
    fn restart(&mut self, turns: &[Turn]) -> Result<(), DuetError>;
    /// How long that takes.
    fn restart_time(&self) -> Duration;
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
    /// It has as many generations as it may.
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
#[derive(Clone, Debug, Default)]
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
    generations: usize,
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

impl Rule {
    /// The rounds from which on the sign test can find a change: with fewer, even if all agree on
    /// a side, its p-value of 2^(1 - n) is above the significance.
    fn min_rounds(&self) -> usize {
        let p_value = |rounds: &usize| 2.0 * 0.5_f64.powi(*rounds as i32);
        let mut counts = 1..=MOST_GENERATIONS;
        counts.find(|rounds| p_value(rounds) < self.thresholds.significance).unwrap_or(0)
    }
}

impl Turn {
    pub(super) fn new(input: usize, point: usize, sides: Vec<Side>, max_time: Duration) -> Self {
        Turn { input, point, sides, max_time, ..Turn::default() }
    }

    /// How many rounds it has had.
    pub(super) fn rounds(&self) -> usize {
        let taken = |rounds: &Vec<Round>| rounds.iter().filter(|round| round.all.is_some()).count();
        self.rounds.iter().map(taken).max().unwrap_or(0)
    }

    /// The first visit that is due in a round.
    fn order(&self, round: usize) -> VisitOrder {
        let fit = self.run.map_or(0.0, |run| VISIT.as_secs_f64() / run.as_secs_f64().max(1e-9));
        VisitOrder {
            input: self.input,
            point: self.point,
            round,
            samples: (fit as usize).clamp(1, MOST),
            warm_up: self.run.is_none_or(|run| run < WARM_BY_ITSELF),
            slowdown: 0.0,
            keep: !round.is_multiple_of(GENERATION),
        }
    }

    /// As many rounds as fit into its time by the same processes, one at least.
    fn generation<S: PairSampler>(
        &mut self,
        number: usize,
        sampler: &mut S,
    ) -> Result<(), DuetError> {
        let share = self.max_time * self.sides.len() as u32 / MOST_GENERATIONS as u32;
        let mut spent = Duration::ZERO;
        for round in 0..GENERATION {
            if round > 0 && (spent + self.last > share || sampler.ends_before(self.last)) {
                break;
            }
            self.round(number * GENERATION + round, sampler)?;
            if self.failed {
                return Ok(());
            }
            spent += self.last;
        }
        self.spent += spent;
        self.generations += 1;
        Ok(())
    }

    fn round<S: PairSampler>(&mut self, round: usize, sampler: &mut S) -> Result<(), DuetError> {
        let first = self.order(round);
        let mut rows: [Vec<SampleRow>; 2] = Default::default();
        let mut run: Option<Duration> = None;
        self.last = Duration::ZERO;
        for (visit, side) in self.in_order(round).into_iter().enumerate() {
            let order = VisitOrder {
                slowdown: match side {
                    Side::Base => 0.0,
                    Side::New => self.slowdown,
                },
                keep: first.keep || visit >= self.sides.len(),
                ..first
            };
            let visited = sampler.visit(side, &order)?;
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
        for (rounds, rows) in self.rounds.iter_mut().zip(&rows) {
            let whole = rows.iter().filter(|row| row.stage == TOTAL);
            rounds.resize(round, Round::default());
            rounds.push(Round::of(whole));
        }
        self.run = run;
        Ok(())
    }

    /// There and back; the next round begins with the other side, and so does the next
    /// generation.
    fn in_order(&self, round: usize) -> Vec<Side> {
        let mut sides = self.sides.clone();
        if (round + round / GENERATION) % 2 == 1 {
            sides.reverse();
        }
        sides.extend(sides.clone().into_iter().rev());
        sides
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
        let generations = self.generations;
        if self.sides.len() < 2 {
            // There is nothing to compare with: for the next time.
            return (generations >= MIN_GENERATIONS).then_some(Stop::Rounds);
        }
        if is_look(generations) && self.is_clear(rule, points) {
            return Some(Stop::Verdict);
        }
        // One more than was looked at has all of the error that is left.
        let may_end = generations >= MIN_GENERATIONS
            && !is_look(generations)
            && self.rounds() >= rule.min_rounds();
        if may_end && self.spent >= 2 * self.max_time {
            return Some(Stop::Time);
        }
        (generations >= MOST_GENERATIONS).then_some(Stop::Rounds)
    }
}

/// Measures all points in turn until each is clear or has all its generations; `all` points
/// share the error that is allowed. Those that failed are left out without a word: the
/// sampler knows.
pub(super) fn measure<S: PairSampler>(
    mut turns: Vec<Turn>,
    all: usize,
    rule: &Rule,
    sampler: &mut S,
) -> Result<Vec<Turn>, DuetError> {
    for generation in 0..MOST_GENERATIONS {
        if generation > 0 {
            if sampler.ends_before(sampler.restart_time()) {
                break;
            }
            sampler.restart(&turns)?;
        }
        shuffle(&mut turns, hash(rule.seed, [generation as u64]));
        let mut left = Vec::new();
        for mut turn in turns {
            // What takes too long for the time that is left makes room for what does not.
            if !sampler.ends_before(turn.last) {
                turn.generation(generation, sampler)?;
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
