//! `bench report`: a page or a text on a run, with its history, and protection of files that are not
//! reports.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf, absolute};

use files::{LARGEST_RECORD, read_text};
use reports::compare::{CompareOptions, Comparison, Measured, compare};
use reports::filter::PointFilter;
use reports::history::{Filter, Store};
use reports::published::{self, Here, Reproduction, read_published_streams};
use reports::record::{RunRecord, retain_samples_of};
use reports::report::{self, ReportInput};
use reports::store::{Run, RunSummary, StoreError};
use text::Untrusted;

use super::reproduce::{figures, suite_of_figures};
use super::runs::{self, StoreContext};
use crate::failure::{Exit, Failure};
use crate::request::{DEFAULT_STORE, ReportFormat, ReportRequest};

pub(super) fn run(request: &ReportRequest) -> Result<Exit, Failure> {
    let format = request.format().map_err(Failure::Usage)?;
    let Some((reported, earlier)) = request.runs.split_last() else {
        return Err(Failure::Usage("a run folder is needed".to_owned()));
    };
    let store = request.store.as_deref();
    let default_store = Path::new(DEFAULT_STORE);
    let reported = runs::folder(reported, store.unwrap_or(default_store), None)?;
    let mut run = Run::read(&reported)?;
    refuse_empty(&run)?;
    runs::say_if_unfinished(&run.record, &run.folder);
    check_overwrite(&request.out, request.force)?;
    let mut earlier = earlier_runs(&run.record, earlier, store)?;
    let mut comparison = comparison(request, &reported, store.unwrap_or(default_store))?;
    let shown = request.points.filter();
    if !shown.is_all() {
        retain_points(&shown, &mut run, &mut earlier, comparison.as_mut())?;
    }
    let samples_link = relative_link(&request.out, &run.folder.join("samples.csv"));
    let published = published(&run)?;
    let input = ReportInput {
        title: request.title.as_deref(),
        run: &run,
        earlier: &earlier,
        comparison: comparison.as_ref(),
        published: &published,
        rank: request.rank,
        samples_link: samples_link.as_deref(),
        diagnostics: request.diagnostics,
    };
    let text = match format {
        ReportFormat::Html => report::html(&input)?,
        ReportFormat::Markdown => report::markdown(&input),
    };
    files::write(&request.out, &text).map_err(Failure::writing(&request.out))?;
    super::say(&format!("report: {}", request.out.escaped()));
    Ok(Exit::Success)
}

/// The published figures that a run was measured for, as far as it has any of their values.
fn published(run: &Run) -> Result<Vec<Reproduction>, Failure> {
    if run.record.suite.as_ref().is_none_or(|suite| suite.name != suite_of_figures()) {
        return Ok(Vec::new());
    }
    let figures = figures();
    let streams = read_published_streams(&run.folder, &figures)?;
    let here = Here { record: &run.record, rows: &run.summary, streams: &streams };
    let mut figures = published::reproduce(figures, &here);
    figures.retain(Reproduction::is_measured);
    Ok(figures)
}

fn refuse_empty(run: &Run) -> Result<(), Failure> {
    if run.summary.is_empty() {
        let folder = run.folder.escaped();
        let problem = format!("nothing to report: {folder} holds no measured point");
        return Err(Failure::NothingMeasured(problem));
    }
    Ok(())
}

/// Returns true if two records are of the same run.
fn is_same_run(a: &RunRecord, b: &RunRecord) -> bool {
    (&a.machine_key, &a.started, &a.command) == (&b.machine_key, &b.started, &b.command)
}

/// Returns the requested comparison, if any: an earlier one, including its confirmation, or a
/// new one.
fn comparison(
    request: &ReportRequest,
    reported: &Path,
    store: &Path,
) -> Result<Option<Comparison>, Failure> {
    if let Some(file) = &request.comparison {
        return read_comparison(file).map(Some);
    }
    let Some(base) = request.base.as_deref() else {
        return Ok(None);
    };
    let base = runs::folder(base, store, Some(&runs::series(reported)?))?;
    let base = Measured::read(&base)?;
    let new = Measured::read(reported)?;
    let mut background = StoreContext::read(store, &new);
    let options = CompareOptions {
        flags: store_flag(request),
        scatter: background.scatter.take(),
        ..CompareOptions::default()
    };
    let mut comparison = compare(&base, &new, &options)?;
    background.annotate(&mut comparison);
    Ok(Some(comparison))
}

/// Flags of compare that select the same store.
fn store_flag(request: &ReportRequest) -> Vec<String> {
    let store = request.store.iter();
    let words =
        store.flat_map(|store| ["--store".to_owned(), store.to_string_lossy().into_owned()]);
    words.collect()
}

/// Reads a file written by `bench compare --json`.
fn read_comparison(file: &Path) -> Result<Comparison, Failure> {
    let text = read_text(file, LARGEST_RECORD)
        .map_err(|source| StoreError::Io { path: file.to_owned(), source })?;
    let comparison = serde_json::from_str(&text).map_err(|error| StoreError::Format {
        path: file.to_owned(),
        problem: format!("{error}; a file of `bench compare --format json` is needed"),
    });
    Ok(comparison?)
}

/// Number of newest runs in the history of a report.
pub(super) const MAX_STORED: usize = 50;

/// The given runs and those stored of the same machine, each once and without
/// the reported one.
fn earlier_runs(
    reported: &RunRecord,
    given: &[PathBuf],
    store: Option<&Path>,
) -> Result<Vec<RunSummary>, Failure> {
    let given = given.iter().map(|folder| RunSummary::read(folder));
    let given = given.collect::<Result<Vec<_>, _>>()?;
    let stored = store.map_or(Ok(Vec::new()), |store| stored(store, &reported.machine_key))?;
    let mut runs: Vec<RunSummary> = Vec::new();
    for run in given.into_iter().chain(stored) {
        let known = |other: &RunSummary| is_same_run(&other.record, &run.record);
        if !is_same_run(reported, &run.record) && !runs.iter().any(known) {
            runs.push(run);
        }
    }
    Ok(runs)
}

/// The runs of a machine that were stored last, but for damaged ones.
fn stored(store: &Path, machine_key: &str) -> Result<Vec<RunSummary>, Failure> {
    let filter = Filter {
        machine: Some(machine_key.to_owned()),
        last: Some(MAX_STORED),
        ..Filter::default()
    };
    Ok(Store::open(store)?.summaries(&filter)?)
}

/// Keeps only the selected points of the run and of its comparison.
fn retain_points(
    filter: &PointFilter,
    run: &mut Run,
    earlier: &mut [RunSummary],
    comparison: Option<&mut Comparison>,
) -> Result<(), Failure> {
    run.summary.retain(|row| filter.takes(&row.point()));
    if run.summary.is_empty() {
        let folder = run.folder.escaped();
        let problem = format!("nothing to report: no such point in {folder}; see bench list");
        return Err(Failure::NothingMeasured(problem));
    }
    retain_samples_of(&run.summary, &mut run.samples);
    for run in earlier {
        run.rows.retain(|row| filter.takes(&row.point()));
    }
    if let Some(comparison) = comparison {
        comparison.points.retain(|point| filter.takes(&point.key.point));
        for side in [&mut comparison.only_base, &mut comparison.only_new] {
            side.retain(|point| filter.takes(&point.key.point));
        }
    }
    Ok(())
}

/// A relative link to `target` in a file at `from`, as a browser takes it;
/// `None` if the current folder is not known.
fn relative_link(from: &Path, target: &Path) -> Option<String> {
    let from = steps_to(from)?;
    let target = steps_to(target)?;
    let (_, folder) = from.split_last()?;
    let common = std::iter::zip(folder, &target).take_while(|(a, b)| a == b);
    let common = common.count();
    let up = folder[common..].iter().map(|_| "..".to_owned());
    let down = target[common..].iter().map(|name| encoded(name));
    let steps: Vec<String> = up.chain(down).collect();
    Some(steps.join("/"))
}

/// The folders on the way to a file, and its name, without detours.
fn steps_to(path: &Path) -> Option<Vec<OsString>> {
    let mut steps = Vec::new();
    for component in absolute(path).ok()?.components() {
        match component {
            Component::Normal(name) => steps.push(name.to_owned()),
            Component::ParentDir => drop(steps.pop()),
            _ => (),
        }
    }
    Some(steps)
}

/// A name with all that means something in a link as `%` and two digits.
fn encoded(name: &OsStr) -> String {
    let mut text = String::new();
    for byte in name.as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            // Writing to a text does not fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

/// Marker of every page.
const OF_PAGES: &str = "<meta name=\"generator\" content=\"recobench ";

/// Start of the last paragraph of every text, or of the one before.
const OF_TEXTS: &str = "\nMeasured on ";

/// Start of every text.
const HEAD_OF_TEXTS: &str = "## ";

/// Checks that the file does not exist or may be overwritten.
///
/// # Errors
/// If the file is not a report, unless `force`.
pub(super) fn check_overwrite(path: &Path, force: bool) -> Result<(), Failure> {
    let is_own = |path: &Path| fs::read(path).is_ok_and(|bytes| is_report(&bytes));
    super::check_overwrite(path, force, "report", is_own)
}

fn is_report(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_text = text.starts_with(HEAD_OF_TEXTS) && text.contains(OF_TEXTS);
    text.is_empty() || is_text || text.contains(OF_PAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_folder_of_the_report() {
        let link = |a: &str, b: &str| relative_link(Path::new(a), Path::new(b));
        let expected = |text: &str| Some(text.to_owned());
        assert_eq!(link("/a/r.html", "/a/run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/b/r.html", "/a/run/s.csv"), expected("../run/s.csv"));
        assert_eq!(link("../r.html", "../run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("r.html", "run/s.csv"), expected("run/s.csv"));
        assert_eq!(link("/a/r.html", "/a/50 % #1/s"), expected("50%20%25%20%231/s"));
    }

    #[test]
    fn reports_may_be_replaced_and_other_files_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |text: &str| {
            let path = folder.path().join("file");
            fs::write(&path, text).expect("written");
            [false, true].map(|force| check_overwrite(&path, force).is_ok())
        };
        let page = format!("<!DOCTYPE html><head>{OF_PAGES}0.1.0\"></head>");
        assert_eq!(check(&page), [true, true]);
        assert_eq!(check("## sort\n\nMeasured on a CPU.\n"), [true, true]);
        assert_eq!(check(""), [true, true]);
        assert_eq!(check("## My thesis\n"), [false, true]);
        assert_eq!(check("a,b\n1,2\n"), [false, true]);
        assert!(check_overwrite(&folder.path().join("none"), false).is_ok());
    }
}
