//! `bench sort` and the like: measure a task.

use super::present::Presentation;
use super::refuse_development_build;
use crate::cli::MeasureRequest;
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Session};
use crate::plan::Plan;
use crate::platform::{Interrupt, process_start};
use crate::plugins::{self, Baseline};
use algorithms::device::Device;

pub(super) fn run(request: &MeasureRequest) -> Result<Exit, Failure> {
    if request.devices.contains(&Device::Emulator) {
        let refusal = "nothing was measured: the emulator shows whether kernels are right, not \
                       how fast they are; use `bench verify --device emulator`";
        return Err(Failure::NothingMeasured(refusal.to_owned()));
    }
    plugins::load(&request.plugins, Baseline::Measured)?;
    let plan = Plan::new(request)?;
    refuse_development_build()?;
    super::try_plugins(std::slice::from_ref(&plan), request.quiet)?;
    let interrupt = Interrupt::listen();
    let assignment = Assignment {
        started: process_start(),
        ..Assignment::of(request, &plan)
    };
    let mut outcome = Session::run(&assignment, &interrupt)?;
    let presentation = Presentation {
        format: request.format,
        charts: request.charts,
        quiet: request.quiet,
    };
    presentation.show(&mut outcome)?;
    Ok(outcome.exit())
}
