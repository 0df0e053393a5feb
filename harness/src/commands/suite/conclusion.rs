//! Output of a paired run: verdicts, and points without a verdict.

use std::collections::HashSet;
use std::path::Path;

use reports::aliases::ALIASES;
use reports::compare::render::words;
use reports::compare::{CompareOptions, Key};
use reports::record::{Point, RunRecord, SuitePart, SummaryRow, YesNo};
use reports::store::{Run, StoreError, read_run, read_summary};
use reports::units;
use text::Untrusted;

use super::super::compare::{exit, judged, show};
use super::super::present::keep_complete;
use super::super::{log, say};
use crate::failure::{Exit, Failure};
use crate::measure::{RunResult, TOTAL};
use crate::paired::PairedResult;
use crate::request::{AgainstRequest, SuiteRequest};

/// Points that are named.
const NAMED: usize = 5;

/// Stores the new side, and reports the results. `known` are the points of the base's run.
pub(super) fn conclude(
    request: &SuiteRequest,
    against: &AgainstRequest,
    outcome: PairedResult,
    known: &[Point],
) -> Result<Exit, Failure> {
    let folder = outcome.folder.escaped().to_string();
    if let Some(failure) = outcome.failure {
        say(&format!(
            "bench: what was measured is kept in {folder}; the same command with --out {folder} \
             resumes it: points that are not done are measured from their beginning"
        ));
        return Err(failure.into());
    }
    let new = RunResult {
        interrupted: outcome.interrupted,
        ..RunResult::from(Run::read(&outcome.folder)?)
    };
    keep_complete(&new, request.store.as_deref(), request.output.quiet)?;
    let base = read_summary(&outcome.base)?;
    report_findings(&new, &base);
    let vanished = vanished(known, &base, &read_run(&outcome.base)?, &new);
    let judged = judged(&outcome.base, &outcome.folder, &CompareOptions::default());
    if new.exit() != Exit::Success && judged.is_err() {
        vanished_words(&vanished).iter().for_each(|words| say(&format!("bench: {words}")));
        return Ok(new.exit());
    }
    let mut comparison = judged?;
    comparison.notes.extend(vanished_words(&vanished));
    show(&comparison, &against.format, against.listing)?;
    log(request.output.quiet, &format!("results: {folder}"));
    if new.exit() == Exit::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let is_complete = outcome.left_out == 0 && vanished.is_empty();
    let complete = if is_complete { Exit::Success } else { Exit::NothingMeasured };
    Ok(new.exit().and(exit(&comparison, against.fail_on)).and(complete))
}

/// Prints the notes of the new side, and the points of both sides that have no samples.
fn report_findings(new: &RunResult, base: &[SummaryRow]) {
    for note in &new.record.notes {
        say(&format!("note: {note}"));
    }
    for (side, rows) in [("", &new.summary[..]), ("the base: ", base)] {
        for row in rows.iter().filter(|row| row.valid == YesNo::No) {
            let point = words(&Key::new(row.point(), &row.stage));
            say(&format!("bench: not measured: {side}{point}: {}", row.note));
        }
    }
}

/// The points that a base was measured at, if it is a run of the same suite.
pub(super) fn points_of(run: &Path, part: &SuitePart) -> Result<Vec<Point>, StoreError> {
    let RunRecord { suite, software, .. } = read_run(run)?;
    let is_same = |suite: &SuitePart| (&suite.name, suite.shard) == (&part.name, part.shard);
    if !suite.as_ref().is_some_and(is_same) {
        return Ok(Vec::new());
    }
    let rows = read_summary(run)?;
    let measured = rows.iter().filter(|row| row.valid_median().is_some() && row.stage == TOTAL);
    Ok(measured.map(|row| ALIASES.point(row.point(), &software.version)).collect())
}

/// Returns the points of the base's run that the base was not measured at again: the suite no
/// longer has them, the base can't measure them here, or the time ran out. Points whose variant
/// is wrong or fails now have a row that states it.
fn vanished<'a>(
    known: &'a [Point],
    base: &[SummaryRow],
    of_base: &RunRecord,
    new: &RunResult,
) -> Vec<&'a Point> {
    if new.interrupted {
        return Vec::new();
    }
    let version = of_base.software.version.as_str();
    let again = base.iter().map(|row| ALIASES.point(row.point(), version));
    let refused = new.summary.iter().filter(|row| row.valid == YesNo::No);
    let settled: HashSet<Point> = again.chain(refused.map(SummaryRow::point)).collect();
    known.iter().filter(|point| !settled.contains(*point)).collect()
}

fn vanished_words(vanished: &[&Point]) -> Option<String> {
    let names = vanished.iter().take(NAMED);
    let names: Vec<_> = names.map(|point| words(&Key::new((*point).clone(), TOTAL))).collect();
    let more = match vanished.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let count = units::counted(vanished.len(), "point");
    let names = names.join("; ");
    (!vanished.is_empty()).then(|| format!("not judged: {count} of the base's run: {names}{more}"))
}
