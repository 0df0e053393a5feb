//! `bench export`: runs in the formats of others.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use reports::export::{ExportTable, StoredSamples, export, export_samples};
use reports::history::{Filter, Store, StoredSummary};
use reports::store::{read_run, read_samples, read_summary};

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::ExportRequest;

/// Who may read and write the file, as far as the user's mask lets them.
const FOR_ALL: u32 = 0o666;

pub(super) fn run(request: &ExportRequest) -> Result<Exit, Failure> {
    let format = request.format().map_err(Failure::Usage)?;
    let runs = if request.all {
        Store::open(&request.store)?.summaries(&Filter::default())?
    } else {
        let runs = request.runs.iter();
        runs.map(|name| summary(&folder(name, request)?)).collect::<Result<_, _>>()?
    };
    if runs.iter().all(|run| run.rows.is_empty()) {
        let nothing = "nothing to export: the runs hold no measured point";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    let bytes = match request.table {
        ExportTable::Summary => export(format, &runs)?,
        ExportTable::Samples => export_samples(format, &with_samples(runs, request)?)?,
    };
    match &request.out {
        Some(path) => write(path, &bytes)?,
        None => super::print(&String::from_utf8_lossy(&bytes))?,
    }
    Ok(Exit::Success)
}

fn folder(name: &Path, request: &ExportRequest) -> Result<PathBuf, Failure> {
    runs::folder(name, &request.store, None)
}

fn summary(folder: &Path) -> Result<StoredSummary, Failure> {
    let id = folder.file_name().unwrap_or_default();
    Ok(StoredSummary {
        id: id.to_string_lossy().into_owned(),
        record: read_run(folder)?,
        rows: read_summary(folder)?,
    })
}

/// The samples of runs, which were named or are in the store.
fn with_samples(
    runs: Vec<StoredSummary>,
    request: &ExportRequest,
) -> Result<Vec<StoredSamples>, Failure> {
    let named = request.runs.iter().cloned().map(Some).chain(std::iter::repeat(None));
    let runs = runs.into_iter().zip(named).map(|(StoredSummary { id, record, .. }, name)| {
        let folder = folder(&name.unwrap_or_else(|| PathBuf::from(&id)), request)?;
        Ok(StoredSamples { rows: read_samples(&folder)?, id, record })
    });
    runs.collect()
}

/// As a whole by a rename: a collector reads the file whenever it likes.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let mut draft = tempfile::Builder::new()
            .permissions(Permissions::from_mode(FOR_ALL))
            .tempfile_in(folder.unwrap_or(Path::new(".")))?;
        draft.write_all(bytes)?;
        draft.persist(path)?;
        Ok(())
    };
    write().map_err(Failure::writing(path))
}
