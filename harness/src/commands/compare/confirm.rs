//! `--confirm`: paired measurement of slower and inconclusive points.
//!
//! The executable of the base and this one run interleaved on the same machine, so that only the
//! code differs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reports::clock::now;
use reports::compare::render::words;
use reports::compare::{
    CompareOptions, Comparison, Key, Measured, PointVerdict, Verdict, confirm_command,
};
use reports::history::Store;
use reports::record::{Point, RunRecord};
use reports::units;
use text::Untrusted;

use super::super::log;
use super::judged;
use crate::failure::Failure;
use crate::measure::{Start, new_folder};
use crate::paired::{self, Against, Executable, SidePlugins, points};
use crate::platform::{self, Interrupt};
use crate::request::values::and_more;
use crate::request::{CompareRequest, confirming};

/// Advice if the base can't be measured again.
const NOT_KEPT: &str = "the executable that made the base was not kept; --base-bench names it, and \
    `bench run SUITE --against REVISION` builds one";

/// The time of a point on either side.
const MAX_TIME: Duration = Duration::from_secs(8);
/// Number of named points that did not fit in the time budget.
const NAMED: usize = 5;

/// Options of the confirmation.
pub(super) struct Confirmation<'a> {
    pub(super) request: &'a CompareRequest,
    /// Executable that measured the base.
    pub(super) base_bench: Option<&'a Path>,
    pub(super) options: &'a CompareOptions,
    /// Asks for an end.
    pub(super) interrupt: &'a Interrupt,
}

/// The runs that are compared.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) base: &'a Measured,
    pub(super) new: &'a Measured,
}

/// The plugins of both runs.
struct BothPlugins {
    base: SidePlugins,
    new: SidePlugins,
}

impl BothPlugins {
    /// Why a point can't be measured with the plugins that are there.
    fn why_lost(&self, point: &Point) -> Option<String> {
        self.base.why_lost(point).or_else(|| self.new.why_lost(point))
    }
}

/// Result of the confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmed {
    /// Done as far as the time allowed, or nothing had to be confirmed.
    Done,
    /// Points can't be measured again here; a note gives the reason.
    Impossible,
    /// Interrupted by Ctrl-C.
    Interrupted,
}

impl Confirmation<'_> {
    /// Measures and judges slower and inconclusive points again: slower ones first, by size of the
    /// change. Points that could not be measured again keep their verdict, with a note.
    pub(super) fn confirm(&self, comparison: &mut Comparison, runs: Runs<'_>) -> Confirmed {
        let mut doubtful = doubtful(comparison);
        if doubtful.is_empty() {
            return Confirmed::Done;
        }
        if !runs.new.record.is_of(&platform::this_machine()) {
            return self.impossible(comparison, "the run is of another machine than this one");
        }
        let Some(base) = self.base_bench else { return self.impossible(comparison, NOT_KEPT) };
        let plugins = match self.plugins(runs) {
            Ok(plugins) => plugins,
            Err(failure) => return self.impossible(comparison, &failure.to_string()),
        };
        let mut lost = Vec::new();
        doubtful.retain(|key| match plugins.why_lost(&key.point) {
            None => true,
            Some(why) => {
                comparison.notes.push(format!("{}: {why}", words(key)));
                lost.push(key.clone());
                false
            }
        });
        self.advise_otherwise(comparison, &lost);
        if doubtful.is_empty() {
            return Confirmed::Impossible;
        }
        match self.measure(&doubtful, base, &runs.new.record, plugins) {
            Ok(again) => self.replace(comparison, again, &doubtful),
            Err(_) if self.interrupt.asked() => {}
            // Not one point had its time.
            Err(Failure::Compare(_)) => {
                let left: Vec<&Key> = doubtful.iter().collect();
                comparison.notes.extend(self.did_not_fit(&left));
            }
            // The first verdicts are worth more than none.
            Err(failure) => return self.impossible(comparison, &failure.to_string()),
        }
        if self.interrupt.asked() {
            comparison.notes.push("interrupted before all was measured again".to_owned());
            return Confirmed::Interrupted;
        }
        if lost.is_empty() { Confirmed::Done } else { Confirmed::Impossible }
    }

    /// Keeps all verdicts, and removes the advice to confirm.
    fn impossible(&self, comparison: &mut Comparison, why: &str) -> Confirmed {
        comparison.notes.push(format!("not measured again: {why}"));
        self.advise_otherwise(comparison, &doubtful(comparison));
        Confirmed::Impossible
    }

    /// Takes the advice to confirm from points that can't be.
    fn advise_otherwise(&self, comparison: &mut Comparison, keys: &[Key]) {
        let confirm = command(comparison, &self.options.flags);
        let points = comparison.points.iter_mut().filter(|point| keys.contains(&point.key));
        for point in points {
            point.next = point.next.take().filter(|next| *next != confirm);
        }
    }

    /// Returns the plugins of both runs.
    fn plugins(&self, runs: Runs<'_>) -> Result<BothPlugins, Failure> {
        let store = Store::open(&self.request.store).ok();
        let of_run = |run: &Measured| {
            let candidates = named_plugins(&run.record);
            SidePlugins::from_run(&run.folder, &run.record, &candidates, store.as_ref())
        };
        Ok(BothPlugins { base: of_run(runs.base)?, new: of_run(runs.new)? })
    }

    /// Measures points interleaved, and compares the results.
    fn measure(
        &self,
        doubtful: &[Key],
        base: &Path,
        earlier: &RunRecord,
        plugins: BothPlugins,
    ) -> Result<Comparison, Failure> {
        let made = new_folder("confirm");
        let out = made.map_err(|(path, source)| Failure::Write { path, source })?;
        let mut points: Vec<&Point> = Vec::new();
        for key in doubtful {
            if !points.contains(&&key.point) {
                points.push(&key.point);
            }
        }
        let count = units::counted(points.len(), "point");
        let base_name = base.escaped();
        let sides = format!("measuring {count} again, interleaved with {base_name}");
        log(self.request.quiet, &sides);
        let order = Against {
            base: Executable::new(base.to_owned(), &self.request.base),
            base_plugins: plugins.base,
            new: Executable::this_process("this build")?,
            new_plugins: plugins.new,
            // Whatever failed its trial has no times that could be doubtful.
            refused: Vec::new(),
            inputs: points::of_points(points.into_iter().cloned(), earlier.seed, MAX_TIME),
            slowdown: &|_| 0.0,
            record: RunRecord {
                started: now(),
                finished: None,
                suite: None,
                pair: Some(format!("{}-{}", now(), std::process::id())),
                effort: None,
                notes: Vec::new(),
                ..earlier.clone()
            },
            out,
            start: Start::New,
            thresholds: self.request.judging.thresholds(),
            started: Instant::now(),
            budget: Some(confirming(self.request.confirm_time)),
            quiet: self.request.quiet,
        };
        let outcome = paired::measure(&order, self.interrupt)?;
        if let Some(failure) = outcome.failure {
            return Err(failure.into());
        }
        let options = CompareOptions { scatter: None, ..self.options.clone() };
        judged(&outcome.base, &outcome.folder, &options)
    }

    /// Replaces the old verdicts by the new ones.
    fn replace(&self, comparison: &mut Comparison, again: Comparison, doubtful: &[Key]) {
        let flags = &self.options.flags;
        let folder = again.new.folder.clone();
        let rounds = command(&again, flags);
        let runs = command(comparison, flags);
        let judged = again.points.into_iter();
        let mut judged: HashMap<Key, PointVerdict> =
            judged.map(|point| (point.key.clone(), point)).collect();
        let left: Vec<&Key> = doubtful
            .iter()
            .filter(|key| judged.get(key).is_none_or(|point| point.interval.is_none()))
            .collect();
        let left_out = self.did_not_fit(&left).filter(|_| !self.interrupt.asked());
        for point in &mut comparison.points {
            let again = judged
                .remove(&point.key)
                .filter(|again| is_doubtful(point) && again.interval.is_some());
            if let Some(mut confirmed) = again {
                let before = point.verdict;
                confirmed.reason = if confirmed.verdict == before {
                    format!("confirmed: {}", confirmed.reason)
                } else {
                    format!("{before} at first; measured again: {}", confirmed.reason)
                };
                // The advice refers to the runs, not to the rounds of the confirmation.
                let next = confirmed.next.as_ref();
                confirmed.next = next.map(|next| next.replace(&rounds, &runs));
                *point = confirmed;
            }
        }
        comparison.notes.extend(left_out);
        comparison.notes.push(format!("measured again in {folder}, interleaved"));
    }

    fn did_not_fit(&self, left: &[&Key]) -> Option<String> {
        let names: Vec<_> = left.iter().take(NAMED).map(|key| words(key)).collect();
        let more = and_more("", left.len(), NAMED);
        let time = humantime::format_duration(self.request.confirm_time);
        (!left.is_empty()).then(|| {
            format!(
                "{} did not fit into --confirm-time {time}, or their data are missing: {}{more}",
                units::counted(left.len(), "doubtful point"),
                names.join("; ")
            )
        })
    }
}

/// The libraries that the command of a run names.
fn named_plugins(record: &RunRecord) -> Vec<PathBuf> {
    let words = record.command.windows(2);
    let flags = words.filter(|pair| pair[0] == "--plugin");
    flags.map(|pair| PathBuf::from(&pair[1])).collect()
}

/// The points and stages to be measured again, the most urgent first.
fn doubtful(comparison: &Comparison) -> Vec<Key> {
    let points = comparison.points.iter();
    let mut doubtful: Vec<_> = points.filter(|point| is_doubtful(point)).collect();
    doubtful.sort_by(|a, b| a.by_urgency(b));
    doubtful.iter().map(|point| point.key.clone()).collect()
}

/// Returns true for verdicts that a busy machine can cause, including a false FASTER.
fn is_doubtful(point: &PointVerdict) -> bool {
    point.verdict != Verdict::Same
}

/// The command that confirms a comparison.
fn command(comparison: &Comparison, flags: &[String]) -> String {
    let [base, new] = [&comparison.base, &comparison.new].map(|run| run.folder.as_str());
    confirm_command(base, new, flags)
}
