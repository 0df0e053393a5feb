//! Description of a run: version and build of the program, machine, load, completion, and time.

use text::Untrusted;

use super::{Finding, Rule};
use crate::compare::MAX_DISTURBED;
use crate::rank::is_whole;
use crate::record::{DIRTY, RunRecord, SampleRow, flags};
use crate::units::{self, percent};

/// Version of this program: all crates have the same.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Relative error of sums of times, whose order may differ.
const ROUNDING: f64 = 1e-9;

/// All problems.
pub(super) fn problems(record: &RunRecord, samples: &[SampleRow]) -> Vec<Finding> {
    let found = |rule: Rule, problems: Vec<String>| {
        problems.into_iter().map(move |problem| Finding::new(rule, problem))
    };
    let all = found(Rule::Build, build(record))
        .chain(found(Rule::Machine, machine(record, samples)))
        .chain(found(Rule::Load, load(record, samples)))
        .chain(found(Rule::Plan, completion(record)))
        .chain(found(Rule::Samples, timed(record, samples)));
    all.collect()
}

fn build(record: &RunRecord) -> Vec<String> {
    let software = &record.software;
    let mut problems = Vec::new();
    match (numbers(&software.version), numbers(VERSION)) {
        (None, _) => problems.push(format!(
            "run.json: the version {} is not of the form 1.2.3",
            software.version.quoted()
        )),
        (Some(found), Some(own)) if found > own => problems.push(format!(
            "measured by version {}, but this program is {VERSION}: check it with that version",
            software.version.escaped()
        )),
        _ => {}
    }
    match software.git_commit.as_deref() {
        None | Some("") => {
            problems
                .push("the commit of the program is not known: build it in a checkout".to_owned());
        }
        Some(commit) if commit.ends_with(DIRTY) => problems.push(format!(
            "the program was built from modified files ({}): build it from a commit",
            commit.escaped()
        )),
        Some(_) => {}
    }
    if software.build_profile == "debug" {
        problems.push("measured by a development build: build with --release".to_owned());
    }
    if software.fingerprint.is_empty() {
        problems.push("run.json: the program has no fingerprint".to_owned());
    }
    if record.is_small() {
        problems.push("measured under RECOBENCH_SMALL: nothing in it counts".to_owned());
    }
    problems
}

/// The numbers of a version.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

fn machine(record: &RunRecord, samples: &[SampleRow]) -> Vec<String> {
    let mut problems = Vec::new();
    let key = record.machine.key();
    if record.machine_key != key {
        problems.push(format!(
            "run.json: the key {} is not that of its machine ({}), which is {key}",
            record.machine_key.escaped(),
            record.machine.cpu_model.escaped()
        ));
    }
    let mut unknown: Vec<&str> = Vec::new();
    for sample in samples {
        let device = sample.device.as_str();
        let is_known = device == crate::shape::CPU || record.gpu_model(device).is_some();
        if !is_known && !unknown.contains(&device) {
            unknown.push(device);
        }
    }
    let nameless = |device: &str| format!("run.json has no model of {}", device.escaped());
    problems.extend(unknown.into_iter().map(nameless));
    problems
}

fn load(record: &RunRecord, samples: &[SampleRow]) -> Vec<String> {
    let environment = &record.environment;
    let mut problems = Vec::new();
    if let Some(load) = environment.load_1min.filter(|_| environment.is_busy()) {
        problems.push(format!(
            "the load was {} on {} CPUs at the start: measure again on an idle machine",
            units::significant(load, 2),
            environment.usable_threads
        ));
    }
    let whole = samples.iter().filter(|sample| is_whole(&sample.stage));
    let disturbing = [flags::DISTURBED, flags::QUOTA_THROTTLED];
    let is_disturbed =
        |sample: &&SampleRow| disturbing.iter().any(|flag| flags::has(&sample.flags, flag));
    let count = whole.clone().count();
    let share = whole.filter(is_disturbed).count() as f64 / count.max(1) as f64;
    if share > MAX_DISTURBED {
        problems.push(format!(
            "{} of the samples were disturbed by other processes: measure again on an idle machine",
            percent(share)
        ));
    }
    problems
}

fn completion(record: &RunRecord) -> Vec<String> {
    let mut problems = Vec::new();
    if record.finished.is_none() {
        problems
            .push("the run was stopped before its end: resume it by the same command".to_owned());
    }
    if record.pair.is_some() {
        problems.push(
            "half of a paired run, which is judged with the other half: measure it alone"
                .to_owned(),
        );
    }
    let missing = record.missing_devices.iter();
    problems.extend(
        missing.map(|device| format!("{} was asked for and could not be used", device.escaped())),
    );
    problems
}

/// Compares the time in samples with that of `run.json`.
fn timed(record: &RunRecord, samples: &[SampleRow]) -> Vec<String> {
    let Some(effort) = record.effort else { return Vec::new() };
    let expected = effort.timed_s;
    let whole = samples.iter().filter(|sample| is_whole(&sample.stage));
    // The sum of nothing is -0.
    let found = 0.0 + whole.map(|sample| sample.seconds).sum::<f64>();
    let differs = (found - expected).abs() > ROUNDING * expected.abs().max(found);
    let problem = differs.then(|| {
        format!(
            "samples.csv: its samples take {found} s together, but {expected} s by run.json: samples \
             were changed, added or removed"
        )
    });
    problem.into_iter().collect()
}
