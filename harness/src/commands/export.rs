//! `bench export`: runs in the formats of others.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use reports::export::export;
use reports::history::{Filter, Store, StoredSummary};
use reports::store::{read_run, read_summary};

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
        named(request)?
    };
    if runs.iter().all(|run| run.rows.is_empty()) {
        let nothing = "nothing to export: the runs hold no measured point";
        return Err(Failure::NothingMeasured(nothing.to_owned()));
    }
    let bytes = export(format, &runs)?;
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
