//! `bench sort` and the like: measure a task.

use algorithms::device::Device;
use reports::charts;
use reports::table;

use crate::cli::MeasureRequest;
use crate::failure::{Exit, Failure};
use crate::measure::{Outcome, Session};
use crate::plan::Plan;
use crate::platform::{Interrupt, is_development_build};

pub(super) fn run(request: &MeasureRequest) -> Result<Exit, Failure> {
    refuse_what_must_not_be_timed(request)?;
    let plan = Plan::new(request)?;
    let interrupt = Interrupt::listen();
    let outcome = Session::run(request, &plan, &interrupt)?;
    present(request, &outcome)?;
    Ok(outcome.exit())
}

/// Times of development builds and of the emulator would only mislead.
fn refuse_what_must_not_be_timed(request: &MeasureRequest) -> Result<(), Failure> {
    let refuse = |reason: &str| {
        Err(Failure::NothingMeasured(format!(
            "nothing was measured: {reason}"
        )))
    };
    if request.devices.contains(&Device::Emulator) {
        return refuse(
            "the emulator shows whether kernels are right, not how fast they are; \
             use `bench verify --device emulator`",
        );
    }
    if is_development_build() {
        return refuse("this is a development build; use `cargo run --release`");
    }
    Ok(())
}

fn present(request: &MeasureRequest, outcome: &Outcome) -> Result<(), Failure> {
    super::print(&table::render(request.format, &outcome.summary)?)?;
    let folder = outcome.folder.display();
    if outcome.interrupted {
        super::say(&format!(
            "bench: interrupted; what was measured is kept in {folder}"
        ));
    }
    if request.charts
        && let Some(record) = &outcome.record
    {
        charts::draw(&outcome.folder, record, &outcome.summary, &outcome.samples)?;
    }
    if !request.quiet {
        for note in &outcome.notes {
            super::say(&format!("note: {note}"));
        }
        super::say(&format!("results: {folder}"));
    }
    Ok(())
}
