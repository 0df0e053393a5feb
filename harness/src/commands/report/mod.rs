//! `bench report`

pub(super) mod output_file;

use std::path::{Path, PathBuf};

use files::{LARGEST_RECORD, read_text};
use reports::compare::{CompareOptions, Comparison, Measured, compare};
use reports::filter::PointFilter;
use reports::history::{Filter, Store};
use reports::published::{self, Here, Reproduction, read_published_streams};
use reports::record::{RunRecord, retain_samples_of};
use reports::report::{self, ReportInput};
use reports::store::{Run, RunSummary, StoreError};
use text::Untrusted;

use super::reproduce::THESIS;
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
    output_file::check_overwrite(&request.out, request.force)?;
    let mut earlier = earlier_runs(&run.record, earlier, store)?;
    let mut comparison = comparison(request, &reported, store.unwrap_or(default_store))?;
    let shown = request.points.filter();
    if !shown.is_all() {
        retain_points(&shown, &mut run, &mut earlier, comparison.as_mut())?;
    }
    let samples_link = output_file::relative_link(&request.out, &run.folder.join("samples.csv"));
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
    if run.record.suite.as_ref().is_none_or(|suite| suite.name != THESIS) {
        return Ok(Vec::new());
    }
    let figures = published::figures();
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
///
/// # Errors
/// If no point of the run is left.
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
