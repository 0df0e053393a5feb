//! Measuring again what is slower or not clear.
//!
//! Each round is a process of its own, with memory of its own. Where the
//! base's executable is at hand, it takes turns with this one: then both see
//! the same machine, and what differs is the code.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reports::compare::{Comparison, Key, Measured, PointVerdict, Terms, Verdict, compare};

use super::super::say;
use super::points_suite;
use crate::cli::CompareRequest;
use crate::failure::Failure;
use crate::measure::default_folder;

/// Rounds of each executable.
const ROUNDS: usize = 5;

/// Judges the points anew that are slower or not clear.
///
/// # Errors
/// If they can't be measured again.
pub(super) fn confirm(
    comparison: &mut Comparison,
    request: &CompareRequest,
    base_bench: Option<&Path>,
) -> Result<(), Failure> {
    let doubtful =
        |point: &&PointVerdict| matches!(point.verdict, Verdict::Slower | Verdict::Inconclusive);
    let keys: Vec<_> = comparison
        .points
        .iter()
        .filter(doubtful)
        .map(|point| &point.key)
        .collect();
    if keys.is_empty() {
        return Ok(());
    }
    let (suite, left_out) = points_suite::of(&keys);
    if let Some(suite) = suite {
        let again = measure(&suite, keys.len(), comparison, (request, base_bench))?;
        replace(comparison, again);
    }
    if left_out > 0 {
        comparison.notes.push(format!(
            "{left_out} points can't be measured again here: their data or variant is not at hand"
        ));
    }
    Ok(())
}

/// Measures a suite in turns, and compares what came of it.
fn measure(
    suite: &str,
    points: usize,
    comparison: &Comparison,
    (request, base_bench): (&CompareRequest, Option<&Path>),
) -> Result<Comparison, Failure> {
    let folder = default_folder("confirm");
    let write_error = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Write { path, source }
    };
    fs::create_dir_all(&folder).map_err(write_error(&folder))?;
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
    let terms = Terms {
        thresholds: request.thresholds,
        across_machines: request.across_machines,
    };
    Ok(compare(&base, &Measured::read_together(&new)?, &terms)?)
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
        let doubtful = matches!(point.verdict, Verdict::Slower | Verdict::Inconclusive);
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
