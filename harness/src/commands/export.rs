//! `bench export`: runs in the formats of others.

use std::path::PathBuf;

use reports::export::{ExportTable, StoredSamples, export, export_samples};
use reports::history::{Filter, Store};
use reports::store::{RunSummary, read_samples};

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::ExportRequest;

pub(super) fn run(request: &ExportRequest) -> Result<Exit, Failure> {
    let format = request.format().map_err(Failure::Usage)?;
    let (folders, runs): (Vec<PathBuf>, Vec<RunSummary>) = runs(request)?.into_iter().unzip();
    if runs.iter().all(|run| run.rows.is_empty()) {
        let nothing = "nothing to export: the runs hold no measured point";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    let bytes = match request.table {
        ExportTable::Summary => export(format, &runs)?,
        ExportTable::Samples => export_samples(format, &samples(&folders, runs)?)?,
    };
    match &request.out {
        Some(path) => files::write(path, &bytes).map_err(Failure::writing(path))?,
        None => super::print(&String::from_utf8_lossy(&bytes))?,
    }
    Ok(Exit::Success)
}

/// The runs with their folders.
fn runs(request: &ExportRequest) -> Result<Vec<(PathBuf, RunSummary)>, Failure> {
    if request.all {
        let store = Store::open(&request.store)?;
        let runs = store.summaries(&Filter::default())?.into_iter();
        return Ok(runs.map(|run| (store.run_folder(&run.id), run)).collect());
    }
    let run = |name: &PathBuf| {
        let folder = runs::folder(name, &request.store, None)?;
        let run = RunSummary::read(&folder)?;
        runs::say_if_unfinished(&run.record, &folder);
        Ok((folder, run))
    };
    request.runs.iter().map(run).collect()
}

fn samples(folders: &[PathBuf], runs: Vec<RunSummary>) -> Result<Vec<StoredSamples>, Failure> {
    let read = |(folder, run): (&PathBuf, RunSummary)| match read_samples(folder) {
        // It was deleted from the store since it was found there.
        Err(_) if !folder.exists() => None,
        rows => Some(rows.map(|rows| StoredSamples { rows, id: run.id, record: run.record })),
    };
    let samples: Result<Vec<_>, _> = folders.iter().zip(runs).filter_map(read).collect();
    Ok(samples?)
}
