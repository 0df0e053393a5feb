//! `bench report`
//!
//! | module | does |
//! |---|---|
//! | `history` | finds the runs before the reported one |
//! | `changes` | compares it with the run given by `--base` |
//! | `link` | path of a file relative to the report |
//! | `own_file` | protects files that are not reports from being overwritten |
//! | `points` | filters points |

mod changes;
mod history;
mod link;
pub(super) mod own_file;
mod points;

use std::path::Path;

use reports::published::read_published_streams;
use reports::published::{self, Here, Reproduction};
use reports::record::RunRecord;
use reports::report::{self, ReportInput};
use reports::store::Run;
use text::Untrusted;

pub(super) use history::MAX_STORED;

use super::reproduce::THESIS;
use super::runs;
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
    own_file::check(&request.out, request.force)?;
    let mut earlier = history::earlier_runs(&run.record, earlier, store)?;
    let mut comparison = changes::comparison(request, &reported, store.unwrap_or(default_store))?;
    let shown = request.points.filter();
    if !shown.is_all() {
        points::retain(&shown, &mut run, &mut earlier, comparison.as_mut())?;
    }
    let samples_link = link::from(&request.out, &run.folder.join("samples.csv"));
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
