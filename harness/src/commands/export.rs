//! `bench export`: runs in the formats of others.

use std::fs;
use std::io::Write;
use std::path::Path;

use reports::export::export;
use reports::history::{Filter, Store, StoredSummary};
use reports::store::{read_run, read_summary};

use super::runs;
use crate::cli::ExportRequest;
use crate::failure::{Exit, Failure};

pub(super) fn run(request: &ExportRequest) -> Result<Exit, Failure> {
    let runs = match request.all {
        true => Store::open(&request.store)?.summaries(&Filter::default())?,
        false => named(request)?,
    };
    if runs.iter().all(|run| run.rows.is_empty()) {
        let nothing = "nothing to export: the runs hold no measured point";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    let bytes = export(request.format, &runs)?;
    match &request.out {
        Some(path) => write(path, &bytes)?,
        None => super::print(&String::from_utf8_lossy(&bytes))?,
    }
    Ok(Exit::Success)
}

fn named(request: &ExportRequest) -> Result<Vec<StoredSummary>, Failure> {
    let names = request.runs.iter();
    let runs = names.map(|name| {
        let folder = runs::folder(name, &request.store, None)?;
        let id = folder.file_name().unwrap_or_default();
        Ok(StoredSummary {
            id: id.to_string_lossy().into_owned(),
            record: read_run(&folder)?,
            rows: read_summary(&folder)?,
        })
    });
    runs.collect()
}

/// As a whole by a rename: a collector reads the file whenever it likes.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |source| Failure::Write {
        path: path.to_owned(),
        source,
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = format!(".{name}.{}", std::process::id());
    let draft = folder.unwrap_or(Path::new(".")).join(draft);
    let written = fs::File::create(&draft).and_then(|mut file| file.write_all(bytes));
    let renamed = written.and_then(|()| fs::rename(&draft, path));
    renamed.map_err(|source| {
        // What was begun is of no use to anybody.
        let _ = fs::remove_file(&draft);
        failed(source)
    })
}
