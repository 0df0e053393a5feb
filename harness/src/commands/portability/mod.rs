//! `bench portability`: kernels over native ones that do the same, on one GPU.

mod devices;
mod measure;
mod pairs;

use std::path::Path;

use reports::charts;
use reports::paint::Paint;
use reports::portability::{self, Comparison, Pair};
use reports::store::Run;
use reports::table::Format;
use text::Foreign;

use super::runs;
use crate::failure::{Exit, Failure};
use crate::request::{DEFAULT_STORE, PortabilityRequest};

/// The suite with the inputs.
pub(super) const SUITE: &str = "gpu-portability";

/// The table in the run's folder.
const TABLE: &str = "portability.csv";

pub(super) fn run(request: &PortabilityRequest) -> Result<Exit, Failure> {
    let pairs = pairs::of_tasks(&request.tasks)?;
    let (run, exit) = match &request.run {
        Some(run) => {
            let folder = runs::folder(run, Path::new(DEFAULT_STORE), None)?;
            (Run::read(&folder)?, Exit::Success)
        }
        None => measured(&pairs, request)?,
    };
    let compared = portability::comparisons(&run.summary, &run.samples, &pairs);
    if compared.is_empty() {
        let folder = run.folder.shown();
        let nothing = format!("nothing was compared: no native kernel of {folder} has a partner");
        return Err(Failure::NothingMeasured(nothing));
    }
    present(&compared, &run, request)?;
    Ok(exit)
}

fn measured(pairs: &[Pair], request: &PortabilityRequest) -> Result<(Run, Exit), Failure> {
    let asked = &request.devices;
    let gpu = devices::Gpus::here(asked).choose(asked)?;
    measure::run(&gpu.devices(), pairs, request)
}

/// Chart and table first: they are kept even if nobody takes the text.
fn present(
    compared: &[Comparison],
    run: &Run,
    request: &PortabilityRequest,
) -> Result<(), Failure> {
    let text = |format, paint| Ok(portability::render(format, &run.record, compared, paint)?);
    if let Some(folder) = folder(run, request) {
        let path = folder.join(TABLE);
        files::create_folder(folder).map_err(Failure::writing(folder))?;
        let table = text(Format::Csv, Paint::Plain)?;
        files::write_own(&path, table).map_err(Failure::writing(&path))?;
        if request.output.charts {
            charts::write(folder, &charts::draw_portability(&run.record, compared)?)?;
        }
    }
    super::put(&request.output.format, text)
}

/// Where chart and table go: into the run that was measured now, but not into others.
fn folder<'a>(run: &'a Run, request: &'a PortabilityRequest) -> Option<&'a Path> {
    match (&request.run, &request.output.out) {
        (Some(_), out) => out.as_deref(),
        (None, _) => Some(&run.folder),
    }
}
