//! `bench submission`: runs to be published, checked and packed.

use std::path::{Path, PathBuf};

use reports::submission::{SubmissionCheck, SubmissionChecks, pack};
use reports::table::{Format, Tabular};
use text::Untrusted;

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::{CheckRequest, Outputs, PackRequest, SubmissionAction, SubmissionRequest};

/// Default parent of packed folders.
const SUBMISSIONS: &str = "results/submissions";

pub(super) fn run(request: &SubmissionRequest) -> Result<Exit, Failure> {
    match &request.action {
        SubmissionAction::Pack(request) => packed(request),
        SubmissionAction::Check(request) => checked(request),
    }
}

/// Packs a run that is fit.
fn packed(request: &PackRequest) -> Result<Exit, Failure> {
    let folder = runs::folder(&request.run, &request.store, None)?;
    let checks = [SubmissionCheck::new(&folder)];
    let exit = show(&checks, &Outputs::only(Format::Table))?;
    if exit != Exit::Success {
        super::say("bench: nothing was packed: the run is not fit");
        return Ok(exit);
    }
    let out = request.out.clone().unwrap_or_else(|| default_folder(&folder));
    let manifest = pack(&folder, &out)?;
    for file in &manifest.files {
        super::say(&format!("{}  {}", file.sha256, out.join(&file.name).escaped()));
    }
    Ok(Exit::Success)
}

/// A folder with the name of the run.
fn default_folder(run: &Path) -> PathBuf {
    let absolute = run.canonicalize().unwrap_or_else(|_| run.to_owned());
    Path::new(SUBMISSIONS).join(absolute.file_name().unwrap_or_default())
}

fn checked(request: &CheckRequest) -> Result<Exit, Failure> {
    let mut checks = Vec::new();
    for name in &request.runs {
        let folders = runs::folders(name, &request.store)?;
        checks.extend(folders.iter().map(|folder| SubmissionCheck::new(folder)));
    }
    show(&checks, &request.format)
}

/// Prints the reasons; the exit code is 1 if there are any.
fn show(checks: &[SubmissionCheck], format: &Outputs) -> Result<Exit, Failure> {
    let table = SubmissionChecks(checks);
    super::put(format, |format, screen| Ok(table.render(format, screen)?))?;
    let all_fit = checks.iter().all(SubmissionCheck::is_fit);
    Ok(if all_fit { Exit::Success } else { Exit::Failed })
}
