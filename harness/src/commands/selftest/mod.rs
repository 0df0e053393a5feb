//! `bench selftest`: how often the gate of comparisons errs on this machine.
//!
//! The same points are measured again and again, without any difference and
//! with a known slowdown of each sample, in the two ways that there are to
//! compare: in whole runs one after the other, as from night to night, and in
//! turn, as `bench run --against` and `bench compare --confirm` do. What the gate calls a change where there is none is a false
//! alarm. The whole runs tell besides how much runs of the same code differ.
//!
//! | module | does |
//! |---|---|
//! | `sittings` | measures all points once, slowed down or not |
//! | `after` | judges whole runs, one after the other |
//! | `in_turn` | measures and judges in turn |

mod after;
mod in_turn;
mod sittings;

use reports::compare::render::selftest as rendered;
use reports::compare::{Comparison, Thresholds, Verdict, scatter_of};
use reports::history::Store;
use reports::record::{SELF_TEST_VERSION, SelfTest, Trial};

use super::say;
use super::{open_suite, refuse_development_build};
use crate::failure::{Exit, Failure};
use crate::measure::{default_folder, now};
use crate::platform::{self, Interrupt};
use crate::request::{SelfTestRequest, Ways};
use after::WholeRun;
use sittings::{Ended, Sittings};

/// The slowdowns of the whole runs after the first: what the gate has to find,
/// each followed by a run without.
const WHOLE_RUNS: [f64; 8] = [0.01, 0.0, 0.02, 0.0, 0.05, 0.0, 0.10, 0.0];

pub(super) fn run(request: &SelfTestRequest) -> Result<Exit, Failure> {
    refuse_development_build()?;
    let suite = open_suite(&request.suite, &[])?;
    let folder = request.out.clone();
    let folder = folder.unwrap_or_else(|| default_folder("selftest"));
    let interrupt = Interrupt::listen();
    let sittings = Sittings::new(&suite, request, &folder, &interrupt)?;
    let test = match measured(&sittings, request) {
        Err(Ended::Interrupted) => {
            say("bench: interrupted; a self-test has to be complete to say anything");
            return Ok(Exit::Interrupted);
        }
        Err(Ended::Failed(failure)) => return Err(failure),
        Ok(test) => test,
    };
    super::put(&request.format, |format, _| Ok(rendered(format, &test)?))?;
    let kept = keep(request, &test)?;
    if !request.quiet {
        say(&format!("runs: {}{kept}", folder.display()));
    }
    Ok(Exit::Success)
}

/// Keeps a self-test that is whole; returns where, in words.
fn keep(request: &SelfTestRequest, test: &SelfTest) -> Result<String, Failure> {
    if request.way != Ways::Both {
        return Ok(String::new());
    }
    Store::create_or_open(&request.store)?.put_self_test(test)?;
    let store = request.store.display();
    Ok(format!("; kept in {store} for comparisons on this machine"))
}

/// Measures both ways interleaved, and judges.
fn measured(sittings: &Sittings<'_>, request: &SelfTestRequest) -> Result<SelfTest, Ended> {
    let (mut runs, mut in_turn) = (Vec::new(), in_turn::trials());
    let whole_runs = match request.way {
        Ways::Both => request.repeats * WHOLE_RUNS.len(),
        Ways::InTurn => 0,
    };
    if whole_runs > 0 {
        runs.push(whole_run(sittings, (0, whole_runs), 0.0)?);
    }
    for repeat in 0..request.repeats {
        for slowdown in WHOLE_RUNS.into_iter().take(whole_runs) {
            let number = (runs.len(), whole_runs);
            runs.push(whole_run(sittings, number, slowdown)?);
        }
        in_turn::repeat(sittings, repeat, &mut in_turn)?;
    }
    let all_runs: Vec<_> = runs
        .iter()
        .map(|run| (&run.measured, run.slowdown))
        .collect();
    Ok(SelfTest {
        trials: match runs.is_empty() {
            true => Vec::new(),
            false => after::judge(&runs)?,
        },
        in_turn,
        scatter: scatter_of(&all_runs),
        ..empty()
    })
}

fn whole_run(
    sittings: &Sittings<'_>,
    (number, all): (usize, usize),
    slowdown: f64,
) -> Result<WholeRun, Ended> {
    let name = format!("run-{number}");
    sittings.tell(&format!("{name} of {all}, {} % slower", 100.0 * slowdown));
    Ok(WholeRun {
        measured: sittings.whole(&name, slowdown)?,
        slowdown,
    })
}

/// One for each slowdown, none first.
fn trials() -> Vec<Trial> {
    let mut slowdowns = WHOLE_RUNS.to_vec();
    slowdowns.sort_by(f64::total_cmp);
    slowdowns.dedup();
    slowdowns.into_iter().map(Trial::new).collect()
}

/// Adds what the gate said of a pair of runs.
fn count(trials: &mut [Trial], slowdown: f64, comparison: &Comparison) {
    for trial in trials.iter_mut().filter(|trial| trial.slowdown == slowdown) {
        trial.pairs += 1;
        trial.points += comparison.points.len();
        trial.slower += comparison.count(Verdict::Slower);
        trial.faster += comparison.count(Verdict::Faster);
        trial.inconclusive += comparison.count(Verdict::Inconclusive);
        let changes = comparison.count(Verdict::Slower) + comparison.count(Verdict::Faster);
        trial.alarmed += usize::from(changes > 0);
    }
}

/// The self-test of this machine and program, without any numbers.
fn empty() -> SelfTest {
    let thresholds = Thresholds::default();
    SelfTest {
        schema_version: SELF_TEST_VERSION,
        machine_key: platform::machine_key(),
        finished: now(),
        git_commit: platform::software().git_commit,
        min_effect: thresholds.min_effect,
        significance: thresholds.significance,
        trials: Vec::new(),
        in_turn: Vec::new(),
        scatter: Vec::new(),
    }
}
