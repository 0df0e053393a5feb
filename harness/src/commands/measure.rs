//! `bench sort` and the like: measure a task.

use algorithms::device::Device;
use reports::charts;
use reports::table;

use crate::cli::MeasureRequest;
use crate::failure::{Exit, Failure};
use crate::measure::{Assignment, Outcome, Session};
use crate::plan::Plan;
use crate::platform::{Interrupt, is_development_build};

pub(super) fn run(request: &MeasureRequest) -> Result<Exit, Failure> {
    if request.devices.contains(&Device::Emulator) {
        return refuse(
            "the emulator shows whether kernels are right, not how fast they are; \
             use `bench verify --device emulator`",
        );
    }
    let plan = Plan::new(request)?;
    if is_development_build() {
        return refuse("this is a development build; use `cargo run --release`");
    }
    let interrupt = Interrupt::listen();
    let outcome = Session::run(&Assignment::of(request, &plan), &interrupt)?;
    present(request, &outcome)?;
    Ok(outcome.exit())
}

/// Times of development builds and of the emulator would only mislead.
fn refuse(reason: &str) -> Result<Exit, Failure> {
    let refusal = format!("nothing was measured: {reason}");
    Err(Failure::NothingMeasured(refusal))
}

fn present(request: &MeasureRequest, outcome: &Outcome) -> Result<(), Failure> {
    // Charts first: they are kept even if nobody takes the table.
    if request.charts
        && let Some(record) = &outcome.record
    {
        charts::draw(&outcome.folder, record, &outcome.summary, &outcome.samples)?;
    }
    super::print(&table::render(request.format, &outcome.summary)?)?;
    let folder = outcome.folder.display();
    if outcome.interrupted {
        super::say(&format!(
            "bench: interrupted; what was measured is kept in {folder}"
        ));
    }
    if !request.quiet {
        for note in outcome.record.iter().flat_map(|record| &record.notes) {
            super::say(&format!("note: {note}"));
        }
        super::say(&format!("results: {folder}"));
    }
    Ok(())
}
