//! The results of shards as one run.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use reports::record::{Effort, Point, Quantities, RunRecord, SuitePart, SummaryRow};
use reports::store::{Run, RunFolder, read_run};
use reports::units;
use text::Untrusted;

use super::super::present::{keep, show_again};
use crate::failure::{Exit, Failure};
use crate::measure::{RunResult, run_folder};
use crate::request::SuiteRequest;
use crate::suite::Suite;

pub(super) fn run(suite: &Suite, request: &SuiteRequest) -> Result<Exit, Failure> {
    let runs: Result<Vec<_>, _> = request.merge.iter().map(|folder| Run::read(folder)).collect();
    let runs = runs?;
    for run in &runs {
        check(run, &runs[0], suite)?;
    }
    check_points(&runs, suite)?;
    let output = &request.output;
    let path = run_folder(output.out.as_deref(), &suite.name)?;
    let outcome = write(&path, runs, suite)?;
    keep(&outcome.folder, request.store.as_deref(), output.quiet)?;
    show_again(&outcome, output)
}

/// Rejects a run that is not part of the suite, or from a different machine.
fn check(run: &Run, first: &Run, suite: &Suite) -> Result<(), Failure> {
    let folder = run.folder.escaped();
    let refusal = |problem: String| Err(Failure::Usage(format!("{folder}: {problem}")));
    let of_suite = |part: &&SuitePart| part.name == suite.name && part.hash == suite.hash;
    if run.record.suite.as_ref().filter(of_suite).is_none() {
        return refusal(format!("not a run of this version of the suite {}", suite.name));
    }
    if !run.record.is_like(&first.record) {
        let other = first.folder.escaped();
        return refusal(format!(
            "measured on another kind of machine than {other}: their times can't be put together"
        ));
    }
    let [build, first_build] = [run, first].map(|run| &run.record.software.fingerprint);
    if build != first_build {
        let other = first.folder.escaped();
        if build.is_empty() || first_build.is_empty() {
            return refusal(format!(
                "whether it was measured by the same build of bench as {other} is not known, for \
                 an executable could not be read"
            ));
        }
        return refusal(format!("measured by another build of bench than {other}"));
    }
    Ok(())
}

/// Every point of the suite, and each of them once.
fn check_points(runs: &[Run], suite: &Suite) -> Result<(), Failure> {
    let mut seen: HashSet<Point> = HashSet::new();
    for run in runs {
        let points: HashSet<_> = run.summary.iter().map(SummaryRow::point).collect();
        if let Some(twice) = points.iter().find(|point| seen.contains(*point)) {
            let params = twice.params.to_string();
            let variant = twice.variant.escaped();
            let params = params.escaped();
            return Err(Failure::Usage(format!(
                "{}: {variant} with {params} is in an earlier shard, too",
                run.folder.escaped()
            )));
        }
        seen.extend(points);
    }
    // Devices that no machine has can't have been measured.
    let has_gpu = runs.iter().any(|run| !run.record.machine.gpus.is_empty());
    let could_be = |point: &&Point| has_gpu || point.device == "cpu";
    let missing = suite.points().filter(could_be);
    let missing = missing.filter(|point| !seen.contains(*point)).count();
    if missing == 0 {
        return Ok(());
    }
    let shards: Vec<_> = runs.iter().filter_map(|run| run.record.suite.as_ref()?.shard).collect();
    let given: Vec<_> = shards.iter().map(ToString::to_string).collect();
    Err(Failure::Usage(format!(
        "{} of {} missing; given were the shards {}",
        units::counted(missing, "point"),
        suite.name,
        given.join(", ")
    )))
}

fn write(path: &Path, runs: Vec<Run>, suite: &Suite) -> Result<RunResult, Failure> {
    let record = merged(&runs, suite);
    let unfinished = RunRecord { finished: None, ..record.clone() };
    let mut folder = begin(path, &unfinished)?;
    let mut samples = Vec::new();
    let mut summary = Vec::new();
    for run in runs {
        folder.append_samples(&run.samples)?;
        folder.append_summary(&run.summary)?;
        samples.extend(run.samples);
        summary.extend(run.summary);
    }
    folder.describe(&record)?;
    Ok(RunResult::from(Run { folder: path.to_owned(), record, samples, summary }))
}

/// Returns the folder of the merged run: a new one, or one of an interrupted merge of the same runs.
fn begin(path: &Path, record: &RunRecord) -> Result<RunFolder, Failure> {
    let is_stopped = |found: RunRecord| found.finished.is_none() && found.notes == record.notes;
    if read_run(path).is_ok_and(is_stopped) {
        return Ok(RunFolder::resume_where(path, |_| false)?.0);
    }
    Ok(RunFolder::create(path, record)?)
}

/// The tasks of some rows.
fn tasks(rows: &[SummaryRow]) -> Vec<&str> {
    let tasks: BTreeSet<&str> = rows.iter().map(|row| row.algorithm.as_str()).collect();
    tasks.into_iter().collect()
}

/// The record of all runs together; of the first where there can be but one.
fn merged(runs: &[Run], suite: &Suite) -> RunRecord {
    let mut record = runs[0].record.clone();
    record.suite = Some(SuitePart {
        name: suite.name.clone(),
        hash: suite.hash.clone(),
        shard: None,
        points: suite.points().count(),
        path: runs[0].record.suite.as_ref().and_then(|part| part.path.clone()),
    });
    let mut effort = Effort::default();
    for run in runs {
        record.ceilings.extend(run.record.ceilings.clone());
        for plugin in &run.record.plugins {
            if !record.plugins.iter().any(|known| known.is_same_build(plugin)) {
                record.plugins.push(plugin.clone());
            }
        }
        for device in &run.record.missing_devices {
            if !record.missing_devices.contains(device) {
                record.missing_devices.push(device.clone());
            }
        }
        if !std::ptr::eq(run, &runs[0]) {
            run.record.planned.iter().for_each(|it| it.clone().add_to(&mut record.planned));
        }
        for input in &run.record.inputs {
            if !record.inputs.contains(input) {
                record.inputs.push(input.clone());
            }
        }
        effort.add(&run.record.effort.unwrap_or_default());
    }
    let quantities: Vec<_> = runs.iter().map(|run| run.record.quantities()).collect();
    let of_tasks = quantities.iter().zip(runs).map(|(all, run)| (all, tasks(&run.summary)));
    record.declare(&Quantities::merged(of_tasks));
    let records = || runs.iter().map(|run| &run.record);
    record.effort = Some(effort);
    // UTC in RFC 3339 sorts by time.
    let first = records().map(|record| record.started.clone()).min();
    record.started = first.expect("at least one run is merged");
    // The last end; none as long as a shard has none.
    let ends: Option<Vec<_>> = records().map(|record| record.finished.clone()).collect();
    record.finished = ends.and_then(|ends| ends.into_iter().max());
    let folders = runs.iter().map(|run| run.folder.escaped().to_string());
    record.notes.push(format!("merged from {}", folders.collect::<Vec<_>>().join(", ")));
    record
}
