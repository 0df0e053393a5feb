//! `bench portability`: kernels over native ones that do the same, on one GPU.

mod devices;
mod pairs;

use reports::charts;
use reports::portability::{self, Comparison};
use reports::screen::Screen;
use reports::store::Run;
use reports::table::Format;
use text::Untrusted;

use super::suite_run::SuiteRun;
use crate::failure::{Exit, Failure};
use crate::measure::KernelTimes;
use crate::platform::Interrupt;
use crate::plugins::{self, Baseline};
use crate::request::PortabilityRequest;

/// The suite with the inputs.
pub(super) const SUITE: &str = "gpu-portability";

/// The table in the run's folder.
const TABLE: &str = "portability.csv";

pub(super) fn run(request: &PortabilityRequest) -> Result<Exit, Failure> {
    plugins::load(&request.plugins, Baseline::Measured)?;
    let pairs = pairs::of_tasks(&request.tasks)?;
    let from = SuiteRun {
        run: request.run.as_deref(),
        budget: request.budget,
        output: &request.output,
        command: &request.command,
        config: &request.config,
        name: "portability",
        kernels: KernelTimes::OfAll,
        interrupt: &Interrupt::listen(),
    };
    let (run, exit) = from.run(|| {
        let gpu = devices::Gpus::here(&request.devices).choose(&request.devices)?;
        pairs::part(&gpu.devices(), &pairs)
    })?;
    let compared = portability::comparisons(&run.summary, &run.samples, &pairs);
    if compared.is_empty() {
        let folder = run.folder.escaped();
        let nothing = format!("nothing was compared: no native kernel of {folder} has a partner");
        return Err(Failure::NothingMeasured(nothing));
    }
    present(&compared, &run, &from)?;
    Ok(exit)
}

/// Writes chart and table, then prints: a closed pipe does not affect files.
fn present(compared: &[Comparison], run: &Run, from: &SuiteRun<'_>) -> Result<(), Failure> {
    let text = |format, screen| Ok(portability::render(format, &run.record, compared, screen)?);
    if let Some(folder) = from.folder(run) {
        let path = folder.join(TABLE);
        files::create_folder(folder).map_err(Failure::writing(folder))?;
        let table = text(Format::Csv, Screen::default())?;
        files::write_own(&path, table).map_err(Failure::writing(&path))?;
        if from.output.charts {
            charts::write(folder, &charts::draw_portability(&run.record, compared)?)?;
        }
    }
    super::put(&from.output.format, text)
}
