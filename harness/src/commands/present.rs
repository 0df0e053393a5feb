//! Output of a run: table, charts, notes and storage.

use std::path::Path;

use reports::charts;
use reports::compare::quoted;
use reports::history::{Store, Unfinished};
use reports::rank::TOTAL;
use reports::record::{Effort, RunRecord};
use reports::run_table::RunTable;
use reports::store::{self, INTERRUPTED, Run};
use reports::table::Tabular;
use reports::units;
use tasks::plugin;
use text::Untrusted;

use crate::failure::{Exit, Failure};
use crate::measure::RunResult;
use crate::platform;
use crate::plugins;
use crate::request::OutputFlags;

/// Smaller shares of the time are summed up as "the rest".
const WORTH_A_WORD: f64 = 0.01;

/// Stores (if requested) and shows a run that was measured before.
pub(super) fn store_and_show(
    folder: &Path,
    store: Option<&Path>,
    output: &OutputFlags,
) -> Result<Exit, Failure> {
    let outcome = RunResult::from(Run::read(folder)?);
    store::clean(folder);
    keep(folder, store, output.quiet)?;
    show_again(&outcome, output)
}

/// Draws the charts of a run that was measured before, and prints its table.
pub(super) fn show_again(outcome: &RunResult, output: &OutputFlags) -> Result<Exit, Failure> {
    if let Some(wanted) = output.charts_wanted() {
        let RunResult { record, summary, samples, .. } = outcome;
        charts::write(&outcome.folder, &charts::draw(record, summary, samples, wanted)?)?;
    }
    present(outcome, output)
}

/// Prints the table of a run.
pub(super) fn present(outcome: &RunResult, output: &OutputFlags) -> Result<Exit, Failure> {
    let table = RunTable {
        run: &outcome.record,
        rows: &outcome.summary,
        rank: output.rank,
        detail: output.detail,
    };
    super::put(&output.format, |format, screen| Ok(table.render(format, screen)?))?;
    say_if_interrupted(outcome.interrupted, &outcome.folder);
    say_findings(&outcome.record);
    if !output.quiet {
        let effort = outcome.record.effort;
        if let Some(effort) = effort.filter(|effort| effort.wall_s > 0.0) {
            super::say(&sentence(&effort));
        }
        let record = &outcome.record;
        let cpu = &record.machine.cpu_model;
        let built = &record.software.built_for;
        super::say(&format!("machine: {cpu}, by code for {built}"));
        super::say(&format!("results: {}", outcome.folder.escaped()));
        if let Some(command) = next_command(&outcome.folder) {
            super::say(&format!("next: {command}"));
        }
    }
    Ok(outcome.exit())
}

/// Reports an interrupted run.
pub(super) fn say_if_interrupted(interrupted: bool, folder: &Path) {
    if interrupted {
        let folder = folder.escaped();
        super::say(&format!("bench: interrupted; what was measured is kept in {folder}"));
    }
}

/// Reports the notes of a run, which `--quiet` does not hide.
pub(super) fn say_findings(record: &RunRecord) {
    record.notes.iter().for_each(|note| super::say(&format!("note: {note}")));
}

/// Returns the command that writes a report of a run, for a shell.
fn next_command(folder: &Path) -> Option<String> {
    let report = folder.join("report.html");
    let run = quoted(folder.to_str()?);
    let page = quoted(report.to_str()?);
    Some(format!("bench report {run} --out {page}"))
}

/// Prints how to resume an interrupted run of `points` points.
pub(super) fn say_what_resumes(outcome: &RunResult, points: usize) {
    let whole = outcome.summary.iter().filter(|row| row.stage == TOTAL);
    let (cut_off, done): (Vec<_>, Vec<_>) = whole.partition(|row| row.stopped_by == INTERRUPTED);
    let lost = match cut_off.iter().filter(|row| row.samples > 0).count() {
        0 => String::new(),
        1 => "; 1 of them has samples, which don't count".to_owned(),
        some => format!("; {some} of them have samples, which don't count"),
    };
    super::say(&format!(
        "bench: rerun the same command to resume: {} of {} are done, the others are measured from \
         the start{lost}",
        done.len(),
        units::counted(points, "point")
    ));
}

/// Checks that a store is writable, before anything is measured for it.
pub(super) fn check_store(store: Option<&Path>) -> Result<(), Failure> {
    let Some(store) = store else { return Ok(()) };
    Ok(Store::create_or_open(store)?.check_writable()?)
}

/// Adds a run to the store if it is complete. Call it before judging and printing, which may fail.
pub(super) fn keep_complete(
    outcome: &RunResult,
    store: Option<&Path>,
    quiet: bool,
) -> Result<(), Failure> {
    let is_complete = !outcome.interrupted && outcome.measured > 0;
    keep(&outcome.folder, store.filter(|_| is_complete), quiet)
}

/// Adds a run to the store, if there is one, with the executable that measured it.
pub(super) fn keep(folder: &Path, store: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let Some(store) = store else { return Ok(()) };
    let runs = Store::create_or_open(store)?;
    let added = runs.add(folder, Unfinished::Refuse)?;
    let stored = format!("stored as {} in {}", added.id(), store.escaped());
    let fingerprint = platform::executable_fingerprint();
    let kept = runs.keep_executable(&fingerprint, &std::env::current_exe()?);
    let kept = kept.map_err(Failure::from).and_then(|()| keep_plugins(&runs, folder));
    if kept.is_err() {
        super::say(&format!(
            "bench: {stored}, but without the executable or its plugins, which paired runs need:"
        ));
    } else {
        super::log(quiet, &stored);
    }
    kept
}

/// Keeps the plugins of a run in the store, unless a file has changed since it was loaded.
fn keep_plugins(store: &Store, run: &Path) -> Result<(), Failure> {
    for record in store::read_run(run)?.plugins {
        let loaded = plugin::plugins().into_iter();
        let Some(plugin) = loaded.into_iter().find(|it| it.fingerprint == record.fingerprint)
        else {
            continue;
        };
        let bytes = plugins::read_file(&plugin.path)?;
        if plugins::fingerprint_of(&bytes) == record.fingerprint {
            store.keep_plugin(&record.fingerprint, &record.file, &bytes)?;
        } else {
            super::say(&format!(
                "note: {} has changed since it was loaded: it is not stored",
                plugin.file.escaped()
            ));
        }
    }
    Ok(())
}

/// Describes the use of time in one line.
fn sentence(effort: &Effort) -> String {
    let mut rest = effort.overhead_s();
    let mut parts = Vec::new();
    for (name, seconds) in effort.parts() {
        if seconds < WORTH_A_WORD * effort.wall_s {
            rest += seconds;
        } else {
            parts.push(format!("{name} {}", units::seconds(seconds, 2)));
        }
    }
    format!(
        "time: {}, of which {} in samples: {}, the rest {}",
        units::seconds(effort.wall_s, 3),
        units::percent(effort.timed_share()),
        parts.join(", "),
        units::seconds(rest.max(0.0), 2)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::registry::tasks;
    use tasks::task::VariantInfo;

    use super::*;

    #[test]
    fn the_next_command_can_be_pasted() {
        let command = next_command(Path::new("my run")).expect("text");
        assert_eq!(command, "bench report 'my run' --out 'my run/report.html'");
    }

    #[test]
    fn the_effort_is_one_line() {
        let effort = Effort {
            wall_s: 100.0,
            timed_s: 60.0,
            sampling_s: 75.0,
            warming_s: 10.0,
            generating_s: 0.5,
            reference_s: 2.0,
            ..Effort::default()
        };
        let expected = "time: 100 s, of which 60 % in samples: samples 60 s, fresh input for \
            them 15 s, warming up 10 s, references 2.0 s, the rest 13 s";
        assert_eq!(sentence(&effort), expected);
    }

    #[test]
    fn variants_of_a_task_have_styles_of_their_own() {
        for task in tasks() {
            let mut styles = BTreeMap::new();
            for VariantInfo { name, .. } in task.variants() {
                let Some(style) = charts::style_index(name) else { continue };
                let other = styles.insert(style, name).filter(|other| *other != name);
                assert_eq!(other, None, "{} {name} looks like another", task.name());
            }
        }
    }
}
