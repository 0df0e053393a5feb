//! Measuring again what is slower or not clear.
//!
//! Each round is a process of its own, with memory of its own. Where the
//! base's executable is at hand, it takes turns with this one: then both see
//! the same machine, and what differs is the code.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reports::compare::{Comparison, Key, Measured, PointVerdict, Verdict, compare};

use super::super::say;
use super::{points_suite, terms};
use crate::cli::CompareRequest;
use crate::failure::Failure;
use crate::measure::new_folder;
use crate::platform;

/// Rounds of each executable.
const ROUNDS: usize = 5;

/// More points than this would take longer than the run itself.
const MOST_POINTS: usize = 16;

/// Judges the points anew that are slower or not clear: what is slower first,
/// and what has changed most.
///
/// # Errors
/// If there is no place for what is measured.
pub(super) fn confirm(
    comparison: &mut Comparison,
    new: &Measured,
    request: &CompareRequest,
    base_bench: Option<&Path>,
) -> Result<(), Failure> {
    let mut doubtful: Vec<_> = comparison
        .points
        .iter()
        .filter(|point| is_doubtful(point))
        .collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    if new.record.machine_key != platform::machine_key() {
        let note = "not measured again: the run is of another machine than this one";
        comparison.notes.push(note.to_owned());
        return Ok(());
    }
    doubtful.sort_by(|a, b| a.by_urgency(b));
    let keys: Vec<_> = doubtful
        .iter()
        .take(MOST_POINTS)
        .map(|point| &point.key)
        .collect();
    let (suite, left_out) = points_suite::of(&keys, new.record.seed);
    let not_again = doubtful.len() - keys.len() + left_out;
    if let Some(suite) = suite {
        match measure(
            &suite,
            keys.len() - left_out,
            comparison,
            (request, base_bench),
        ) {
            Ok(again) => replace(comparison, again),
            // The first verdicts are worth more than none.
            Err(failure) => comparison
                .notes
                .push(format!("not measured again: {failure}")),
        }
    }
    if not_again > 0 {
        comparison.notes.push(format!(
            "{not_again} doubtful points were not measured again: {MOST_POINTS} at a time are, if \
             their data and variants are at hand"
        ));
    }
    Ok(())
}

fn is_doubtful(point: &PointVerdict) -> bool {
    matches!(point.verdict, Verdict::Slower | Verdict::Inconclusive)
}

/// Measures a suite in turns, and compares what came of it.
fn measure(
    suite: &str,
    points: usize,
    comparison: &Comparison,
    (request, base_bench): (&CompareRequest, Option<&Path>),
) -> Result<Comparison, Failure> {
    let write_error = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Write { path, source }
    };
    let folder = new_folder("confirm").map_err(|(path, source)| Failure::Write { path, source })?;
    let file = folder.join("points.toml");
    fs::write(&file, suite).map_err(write_error(&file))?;
    if !request.quiet {
        let turns = match base_bench {
            Some(_) => "both executables in turn",
            None => "this executable; --base-bench would measure the base again, too",
        };
        say(&format!(
            "measuring {points} points again, {ROUNDS} rounds of {turns}"
        ));
    }
    let this = std::env::current_exe()?;
    let (mut base, mut new) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        if let Some(bench) = base_bench {
            base.push(round_of(
                bench,
                &file,
                &folder.join(format!("base-{round}")),
            )?);
        }
        new.push(round_of(
            &this,
            &file,
            &folder.join(format!("new-{round}")),
        )?);
    }
    let base = match base.is_empty() {
        true => Measured::read(Path::new(&comparison.base.folder))?,
        false => Measured::read_together(&base)?,
    };
    let new = Measured::read_together(&new)?;
    Ok(compare(&base, &new, &terms(request))?)
}

/// One round: a process that measures all points a little.
fn round_of(bench: &Path, suite: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let failure = |problem: String| Failure::Confirm {
        bench: bench.to_owned(),
        problem,
    };
    let output = Command::new(bench)
        .arg("run")
        .arg(suite)
        .arg("--out")
        .arg(out)
        .args(["--no-charts", "--no-ceilings", "--quiet"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failure(error.to_string()))?;
    if output.status.success() {
        return Ok(out.to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failure(format!("{}: {}", output.status, said.trim())))
}

/// Puts the new judgements in the places of the old ones.
fn replace(comparison: &mut Comparison, again: Comparison) {
    let folder = again.new.folder.clone();
    let mut judged: HashMap<Key, PointVerdict> = again
        .points
        .into_iter()
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
            *point = confirmed;
        }
    }
    comparison
        .notes
        .push(format!("measured again in {folder} and its neighbours"));
}
