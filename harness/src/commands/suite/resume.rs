//! Interrupted runs to resume: of the same suite, or of the same command.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use reports::history::Store;
use reports::record::{PluginRecord, Point, RunRecord, SuitePart, SummaryRow};
use reports::store::{Run, RunFolder, StoreError, is_run, read_run};
use text::Untrusted;

use crate::failure::Failure;
use crate::platform;
use crate::request::{MeasureRequest, SuiteRequest};

/// Folder of runs without `--out`.
const RESULTS: &str = "results";

/// Requested measurement.
struct ResumeKey<'a> {
    part: &'a SuitePart,
    plugins: &'a [PluginRecord],
}

/// A run that was stopped.
pub(in crate::commands) struct ResumableRun {
    pub(in crate::commands) folder: PathBuf,
    /// The points that need not be measured again.
    pub(in crate::commands) done: HashSet<Point>,
    /// True if it ended, possibly without all points because its time budget was used up.
    pub(in crate::commands) is_finished: bool,
}

/// Returns the run of the same command in its `--out` folder, if it was interrupted or still has
/// to be stored. Finished runs are not resumed: measuring into their folder is an error.
pub(in crate::commands) fn of_command(
    request: &MeasureRequest,
    plugins: &[PluginRecord],
) -> Result<Option<ResumableRun>, Failure> {
    let out = request.session.output.out.as_ref();
    let Some(out) = out.filter(|out| is_run(out)) else {
        return Ok(None);
    };
    let record = read_run(out)?;
    if record.finished.is_some() && !needs_store(request, out) {
        return Ok(None);
    }
    let other_command = || {
        // The path of the program does not matter.
        let same = record.command.iter().skip(1).eq(request.command.iter().skip(1));
        (!same || record.suite.is_some()).then(|| "it is of another command".to_owned())
    };
    match other_command().or_else(|| why_not_resumable(&record, plugins)) {
        Some(problem) => Err(refusal(out, &problem)),
        None => Ok(Some(opened(out.clone())?)),
    }
}

/// Returns true if a run has to be stored and it or its executable is not in the store.
fn needs_store(request: &MeasureRequest, run: &Path) -> bool {
    let executable = platform::executable_fingerprint();
    let has_both = |store: Store| store.has(run) && store.executable(&executable).is_some();
    let store = request.session.store.as_deref();
    store.is_some_and(|store| !Store::open(store).is_ok_and(has_both))
}

/// Returns the run to resume: in the given folder, or else the latest one.
///
/// # Errors
/// If the given folder holds a run that can't be resumed.
pub(super) fn find(
    request: &SuiteRequest,
    part: &SuitePart,
    plugins: &[PluginRecord],
) -> Result<Option<ResumableRun>, Failure> {
    let wanted = ResumeKey { part, plugins };
    if request.fresh {
        // A finished run in the given folder is refused later, when the folder is created.
        return Ok(None);
    }
    match &request.output.out {
        Some(out) if is_run(out) => given(out, &wanted).map(Some),
        Some(_) => Ok(None),
        None => Ok(latest(&wanted)),
    }
}

/// Returns the folder of a paired run to resume: the given one, or else the latest one.
///
/// # Errors
/// If the given folder holds a run that can't be resumed.
pub(super) fn find_paired(
    request: &SuiteRequest,
    part: &SuitePart,
    plugins: &[PluginRecord],
) -> Result<Option<PathBuf>, Failure> {
    let wanted = ResumeKey { part, plugins };
    let out = request.output.out.as_ref();
    let Some(out) = out.filter(|out| is_run(out) && !request.fresh) else {
        return Ok(None);
    };
    let mut record = read_run(out)?;
    if record.pair.take().is_none() {
        return Err(refusal(out, "it is not a paired run"));
    }
    match problem(&record, &wanted) {
        Some(problem) => Err(refusal(out, &problem)),
        None => Ok(Some(out.clone())),
    }
}

/// The run in a folder that was named.
fn given(folder: &Path, wanted: &ResumeKey<'_>) -> Result<ResumableRun, Failure> {
    match problem(&read_run(folder)?, wanted) {
        Some(problem) => Err(refusal(folder, &problem)),
        None => Ok(opened(folder.to_owned())?),
    }
}

fn refusal(folder: &Path, problem: &str) -> Failure {
    let folder = folder.escaped();
    Failure::Usage(format!(
        "can't resume the run in {folder}: {problem}; choose another folder with --out"
    ))
}

/// Returns the latest interrupted run below `results/`. Skips folders that are not runs or are in
/// use.
fn latest(wanted: &ResumeKey<'_>) -> Option<ResumableRun> {
    let entries = fs::read_dir(RESULTS).ok()?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders.into_iter().rev().find_map(|folder| stopped(folder, wanted))
}

fn stopped(folder: PathBuf, wanted: &ResumeKey<'_>) -> Option<ResumableRun> {
    let record = read_run(&folder).ok()?;
    // A run that a budget ended is finished: it is resumed only if its folder is named.
    if record.finished.is_some() || problem(&record, wanted).is_some() {
        return None;
    }
    opened(folder).ok()
}

/// Repairs files that a kill left incomplete, and lists the finished points. Finished runs stay
/// unchanged.
fn opened(folder: PathBuf) -> Result<ResumableRun, StoreError> {
    let run = match read_run(&folder)?.finished {
        Some(_) => Run::read(&folder)?,
        None => RunFolder::resume(&folder)?.1,
    };
    let done = run.summary.iter().map(SummaryRow::point).collect();
    Ok(ResumableRun { folder, done, is_finished: run.record.finished.is_some() })
}

/// Why a run is not a part of the same measurement.
fn problem(record: &RunRecord, wanted: &ResumeKey<'_>) -> Option<String> {
    let part = wanted.part;
    let Some(suite) = &record.suite else {
        return Some("it is not of a suite".to_owned());
    };
    if (&suite.name, &suite.hash) != (&part.name, &part.hash) {
        return Some(format!("it is of another suite, or of another version of {}", part.name));
    }
    if suite.shard != part.shard {
        return Some("it is of another shard".to_owned());
    }
    why_not_resumable(record, wanted.plugins)
}

/// Returns why times of a run are not comparable with those measured now.
fn why_not_resumable(record: &RunRecord, plugins: &[PluginRecord]) -> Option<String> {
    if !record.is_of(&platform::this_machine()) {
        return Some("it was made on another machine".to_owned());
    }
    let is_same = |(a, b): (&PluginRecord, &PluginRecord)| a.is_same_build(b);
    if record.plugins.len() != plugins.len() || !record.plugins.iter().zip(plugins).all(is_same) {
        return Some("it was made with other plugins, or other builds of them".to_owned());
    }
    if record.pair.is_some() {
        return Some("it is a paired run (--against)".to_owned());
    }
    other_build(&record.software.fingerprint, &platform::executable_fingerprint())
}

/// Why a run is not by this build, by the fingerprints of both, which are empty where an
/// executable could not be read.
fn other_build(made_by: &str, this: &str) -> Option<String> {
    if made_by == this {
        return None;
    }
    if this.is_empty() {
        return Some(format!(
            "its build is unknown, because this executable ({}) can't be read; make it readable",
            std::env::current_exe().unwrap_or_default().escaped()
        ));
    }
    if made_by.is_empty() {
        return Some(
            "which build made it is not known, for that could not read its own executable"
                .to_owned(),
        );
    }
    Some("it was made by another build of bench".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_build_is_not_reported_as_another() {
        for (made_by, this, expected) in [
            ("code:1", "code:1", None),
            ("code:1", "code:2", Some("it was made by another build of bench")),
            ("code:1", "", Some("its build is unknown")),
            ("", "code:2", Some("which build made it is not known")),
        ] {
            let problem = other_build(made_by, this);
            assert_eq!(problem.is_some(), expected.is_some());
            assert!(problem.unwrap_or_default().starts_with(expected.unwrap_or_default()));
        }
    }
}
