//! Measuring again what is slower or not clear.
//!
//! Each round is a process of its own, with memory of its own. Where the
//! base's executable is at hand, it takes turns with this one: then both see
//! the same machine, and what differs is the code. The order within a round
//! changes from one to the next, so that a drift favours neither.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use reports::compare::render::words;
use reports::compare::{
    Comparison, Key, Measured, PointVerdict, Terms, Verdict, compare, confirm_command,
};
use reports::statistics::MIN_ROUNDS;

use super::super::say;
use super::pace::Pace;
use super::points_suite;
use super::turns::Turns;
use crate::cli::CompareRequest;
use crate::failure::Failure;
use crate::platform;

/// What lacks if the base can't be measured again.
const ALONE: &str = "measured again by this executable alone: what runs differ by is still in the \
    verdicts; --base-bench, or a store that kept the base's executable, lets both take turns";

/// So many of the points that did not fit are named.
const NAMED: usize = 5;

/// How to measure again.
pub(super) struct Confirmation<'a> {
    pub(super) request: &'a CompareRequest,
    /// The executable that made the base.
    pub(super) base_bench: Option<&'a Path>,
    pub(super) terms: &'a Terms,
}

/// What was measured again.
struct Again {
    comparison: Comparison,
    /// The points that got all rounds.
    points: HashSet<Key>,
}

impl Confirmation<'_> {
    /// Judges the points anew that are slower or not clear: what is slower
    /// first, and what has changed most. What could not be measured again keeps
    /// its verdict, with a note.
    pub(super) fn confirm(&self, comparison: &mut Comparison, new: &Measured) {
        let doubtful = doubtful(comparison);
        if doubtful.is_empty() {
            return;
        }
        if new.record.machine_key != platform::machine_key() {
            let note = "not measured again: the run is of another machine than this one";
            comparison.notes.push(note.to_owned());
            return;
        }
        let (known, unknown): (Vec<_>, Vec<_>) = doubtful
            .into_iter()
            .partition(|(key, _)| points_suite::is_measurable(key));
        if !unknown.is_empty() {
            comparison.notes.push(format!(
                "{} doubtful points were not measured again: their data or variants are not at hand",
                unknown.len()
            ));
        }
        if !known.is_empty() {
            self.replace_doubtful(comparison, &known, new.record.seed);
        }
    }

    fn replace_doubtful(&self, comparison: &mut Comparison, known: &[(Key, f64)], seed: u64) {
        match self.measure(known, seed, &comparison.base.folder) {
            Ok(again) => {
                let left = known.iter().filter(|(key, _)| !again.points.contains(key));
                comparison.notes.extend(self.did_not_fit(left));
                if again.points.is_empty() {
                    return;
                }
                let alone = self.base_bench.is_none();
                comparison.notes.extend(alone.then(|| ALONE.to_owned()));
                replace(comparison, again, &self.terms.flags);
            }
            // The first verdicts are worth more than none.
            Err(failure) => comparison
                .notes
                .push(format!("not measured again: {failure}")),
        }
    }

    /// Measures points in turn, and compares what came of it.
    fn measure(&self, known: &[(Key, f64)], seed: u64, base: &str) -> Result<Again, Failure> {
        let pace = Pace {
            time: self.request.confirm_time,
            sides: 1 + u32::from(self.base_bench.is_some()),
        };
        let medians: Vec<_> = known.iter().map(|(_, median)| *median).collect();
        let mut keys: Vec<&Key> = known.iter().map(|(key, _)| key).collect();
        keys.truncate(pace.worth_trying(&medians));
        let this = std::env::current_exe()?;
        let mut turns = Turns::new(self.base_bench, &this)?;
        let start = Instant::now();
        turns.round(&points_suite::of(&keys, seed))?;
        let (points, rounds) = pace.after_first(keys.len(), start.elapsed());
        keys.truncate(points);
        self.tell(points, rounds);
        let suite = points_suite::of(&keys, seed);
        while turns.rounds() < rounds && start.elapsed() < pace.time {
            turns.round(&suite)?;
        }
        if turns.rounds() < MIN_ROUNDS {
            // They tell nothing: rather the first verdicts.
            keys.clear();
        }
        Ok(Again {
            comparison: self.judge(&turns, base)?,
            points: keys.into_iter().cloned().collect(),
        })
    }

    fn judge(&self, turns: &Turns<'_>, base: &str) -> Result<Comparison, Failure> {
        let base = match turns.base.is_empty() {
            true => Measured::read(Path::new(base))?,
            false => Measured::read_rounds(&turns.base)?,
        };
        let new = Measured::read_rounds(&turns.new)?;
        Ok(compare(&base, &new, self.terms)?)
    }

    fn tell(&self, points: usize, rounds: usize) {
        if self.request.quiet {
            return;
        }
        let turns = match self.base_bench {
            Some(_) => "both executables in turn",
            None => "this executable; --base-bench would measure the base again, too",
        };
        say(&format!(
            "measuring {points} points again, {rounds} rounds of {turns}"
        ));
    }

    fn did_not_fit<'k>(&self, left: impl Iterator<Item = &'k (Key, f64)>) -> Option<String> {
        let names: Vec<_> = left.map(|(key, _)| words(key)).collect();
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = names.iter().take(NAMED).map(String::as_str);
        let named = named.collect::<Vec<_>>().join("; ");
        let time = humantime::format_duration(self.request.confirm_time);
        (!names.is_empty()).then(|| {
            format!(
                "{} doubtful points did not fit into --confirm-time {time}: {named}{more}",
                names.len()
            )
        })
    }
}

/// The points and stages to be measured again with their medians in seconds,
/// the most urgent first.
fn doubtful(comparison: &Comparison) -> Vec<(Key, f64)> {
    let points = comparison.points.iter();
    let mut doubtful: Vec<_> = points.filter(|point| is_doubtful(point)).collect();
    doubtful.sort_by(|a, b| a.by_urgency(b));
    let keyed = |point: &&PointVerdict| (point.key.clone(), point.new.median_s);
    doubtful.iter().map(keyed).collect()
}

fn is_doubtful(point: &PointVerdict) -> bool {
    matches!(point.verdict, Verdict::Slower | Verdict::Inconclusive)
}

/// The command that confirms a comparison.
fn command(comparison: &Comparison, flags: &[String]) -> String {
    let [base, new] = [&comparison.base, &comparison.new].map(|run| run.folder.as_str());
    confirm_command(base, new, flags)
}

/// Puts the new judgements in the places of the old ones.
fn replace(comparison: &mut Comparison, again: Again, flags: &[String]) {
    let folder = again.comparison.new.folder.clone();
    let (rounds, runs) = (
        command(&again.comparison, flags),
        command(comparison, flags),
    );
    let judged = again.comparison.points.into_iter();
    let mut judged: HashMap<Key, PointVerdict> = judged
        .filter(|point| again.points.contains(&point.key))
        .map(|point| (point.key.clone(), point))
        .collect();
    for point in &mut comparison.points {
        let doubtful = is_doubtful(point);
        if let Some(mut confirmed) = judged.remove(&point.key).filter(|_| doubtful) {
            let before = point.verdict;
            confirmed.reason = match confirmed.verdict == before {
                true => format!("confirmed: {}", confirmed.reason),
                false => format!("{before} at first; measured again: {}", confirmed.reason),
            };
            // What is to be confirmed are the runs, not their rounds.
            let next = confirmed.next.as_ref();
            confirmed.next = next.map(|next| next.replace(&rounds, &runs));
            *point = confirmed;
        }
    }
    comparison
        .notes
        .push(format!("measured again in {folder} and its neighbours"));
}
