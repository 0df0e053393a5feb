//! `bench selftest`: false-positive and detection rates of `compare` on this machine.
//!
//! The same points are measured repeatedly, without any difference and with a known slowdown of
//! each sample, by both kinds of comparison: separate runs one after the other, as from night to
//! night, and paired runs, as `bench run --against` and `bench compare --confirm` do. A change
//! reported without a slowdown is a false alarm. Separate runs also give the variance between
//! runs of the same code.
//!
//! | module | does |
//! |---|---|
//! | `repeated_runs` | measures all points once, slowed down or not |
//! | `paired` | measures and judges paired runs |

mod paired;
mod repeated_runs;

use std::collections::BTreeMap;

use reports::clock::now;
use reports::compare::render::selftest as rendered;
use reports::compare::{PointVerdict, Thresholds, Verdict, scatter_of};
use reports::history::Store;
use reports::record::{SELF_TEST_VERSION, SelfTest, Trial};
use text::Untrusted;

use super::present::say_findings;
use super::{load_suite, log, refuse_development_build, say};
use crate::failure::{Exit, Failure};
use crate::measure::run_folder;
use crate::platform::{self, Interrupt, address_space};
use crate::request::{SelfTestMode, SelfTestRequest, is_only_tried};
use crate::suite::SuiteFile;
use repeated_runs::{Abort, RepeatedRuns, SLOWDOWNS, WholeRun};

pub(super) fn run(request: &SelfTestRequest, file: &SuiteFile) -> Result<Exit, Failure> {
    refuse_development_build()?;
    let suite = load_suite(file, &[])?;
    let folder = run_folder(request.out.as_deref(), "selftest")?;
    let interrupt = Interrupt::listen();
    let repeated_runs = RepeatedRuns::new(&suite, &file.plugins, request, &folder, &interrupt)?;
    let test = match measured(&repeated_runs, request) {
        Err(Abort::Interrupted) => {
            say("bench: interrupted; an incomplete self-test has no result");
            return Ok(Exit::Interrupted);
        }
        Err(Abort::Failed(failure)) => return Err(failure),
        Ok(test) => test,
    };
    super::put(&request.format, |format, _| Ok(rendered(format, &test)?))?;
    let kept = keep(request, &test)?;
    log(request.quiet, &format!("runs: {}{kept}", folder.escaped()));
    let record = repeated_runs.record();
    say_findings(&record);
    let is_complete = record.missing_devices.is_empty();
    Ok(if is_complete { Exit::Success } else { Exit::NothingMeasured })
}

/// Stores a complete self-test. Returns the end of the message about it.
fn keep(request: &SelfTestRequest, test: &SelfTest) -> Result<String, Failure> {
    if request.mode != SelfTestMode::Both {
        return Ok("; not stored: separate runs are missing (--way both)".to_owned());
    }
    if is_only_tried() {
        return Ok(
            "; not stored: RECOBENCH_SMALL is set, so it does not describe this machine".to_owned()
        );
    }
    Store::create_or_open(&request.store)?.put_self_test(test)?;
    let store = request.store.escaped();
    Ok(format!("; stored in {store} for comparisons on this machine"))
}

/// Measures separate and paired runs in alternation, and judges them.
fn measured(
    repeated_runs: &RepeatedRuns<'_>,
    request: &SelfTestRequest,
) -> Result<SelfTest, Abort> {
    let mut runs = Vec::new();
    let mut paired_trials = paired::trials();
    let slowdowns = match request.mode {
        SelfTestMode::Both => &SLOWDOWNS[..],
        SelfTestMode::InTurn => &[],
    };
    let last = request.repeats * slowdowns.len();
    if last > 0 {
        runs.push(WholeRun::measure(repeated_runs, 0, last, 0.0)?);
    }
    for repeat in 0..request.repeats {
        for &slowdown in slowdowns {
            runs.push(WholeRun::measure(repeated_runs, runs.len(), last, slowdown)?);
        }
        paired::repeat(repeated_runs, repeat, &mut paired_trials)?;
    }
    let all_runs: Vec<_> = runs.iter().map(WholeRun::slowed).collect();
    Ok(SelfTest {
        trials: repeated_runs::judge(&runs)?,
        paired: paired_trials,
        scatter: scatter_of(&all_runs),
        gpus: gpus(repeated_runs),
        aslr: Some(address_space::stay_random()),
        ..empty()
    })
}

/// Models of the GPUs that points run on, by their devices.
fn gpus(repeated_runs: &RepeatedRuns<'_>) -> BTreeMap<String, String> {
    let record = repeated_runs.record();
    let devices = repeated_runs.points().map(|point| point.device);
    let known = devices.filter_map(|device| {
        let model = record.gpu_model(&device)?.to_owned();
        Some((device, model))
    });
    known.collect()
}

/// Adds the verdicts of points with a known slowdown.
fn count<'a>(trial: &mut Trial, points: impl Iterator<Item = &'a PointVerdict> + Clone) {
    let said = |verdict| points.clone().filter(|it| it.verdict == verdict).count();
    let slower = said(Verdict::Slower);
    let faster = said(Verdict::Faster);
    trial.pairs += usize::from(points.clone().next().is_some());
    trial.points += points.clone().count();
    trial.slower += slower;
    trial.faster += faster;
    trial.inconclusive += said(Verdict::Inconclusive);
    trial.alarmed += usize::from(slower + faster > 0);
}

/// Creates a self-test of this machine and program without results.
fn empty() -> SelfTest {
    let thresholds = Thresholds::default();
    SelfTest {
        schema_version: SELF_TEST_VERSION,
        machine_key: platform::this_machine().key(),
        finished: now(),
        git_commit: platform::software().git_commit,
        min_effect: thresholds.min_effect,
        significance: thresholds.significance,
        ..SelfTest::default()
    }
}
