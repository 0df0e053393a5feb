//! `bench sort` and the like: measure a task.

use text::Untrusted;

use super::present::{check_store, keep_complete, present, say_what_resumes, store_and_show};
use super::suite::dry_run::DryRun;
use super::suite::resume::{self, ResumableRun};
use super::{refuse_development_build, say};
use crate::failure::{Exit, Failure};
use crate::measure::{RunSpec, Session, Start};
use crate::plan::{Plan, plugin_records};
use crate::platform::gpus::only_verifies;
use crate::platform::{Interrupt, process_start, use_small_pages};
use crate::plugins::{self, Baseline};
use crate::request::{MeasureRequest, MemoryPages};

pub(super) fn run(request: &MeasureRequest) -> Result<Exit, Failure> {
    let MeasureRequest { settings, session, .. } = request;
    let output = &session.output;
    if let Some(reason) = settings.devices.iter().find_map(|&device| only_verifies(device)) {
        return Err(Failure::NothingMeasured(format!("nothing was measured: {reason}")));
    }
    if session.pages == MemoryPages::Small {
        let refused = |error| Failure::NothingMeasured(format!("no small pages: {error}"));
        use_small_pages().map_err(refused)?;
    }
    plugins::load(&settings.plugins, Baseline::Measured)?;
    let mut plan = Plan::new(request)?;
    if session.dry_run {
        let dry_run = DryRun::for_task(request, &plan);
        plan.notes.iter().for_each(|note| say(&format!("note: {note}")));
        super::put(&output.format, |format, _| Ok(dry_run.render(format)))?;
        return Ok(Exit::Success);
    }
    refuse_development_build()?;
    let points = plan.len();
    let earlier = go_on(request, &mut plan)?;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.is_finished) {
        return store_and_show(&earlier.folder, session.store.as_deref(), output);
    }
    check_store(session.store.as_deref())?;
    super::try_plugins(std::slice::from_ref(&plan), output.quiet)?;
    let interrupt = Interrupt::listen();
    let mut run_spec = RunSpec::for_task(request, &plan);
    run_spec.started = process_start();
    run_spec.start = Start::after(&earlier);
    // A run that only lacks its end has them.
    run_spec.ceilings &= !plan.is_empty();
    let outcome = Session::run(&run_spec, &interrupt)?;
    keep_complete(&outcome, session.store.as_deref(), output.quiet)?;
    let exit = present(&outcome, output)?;
    if outcome.interrupted && output.out.is_some() {
        say_what_resumes(&outcome, points);
    }
    Ok(exit)
}

/// Removes the points from the plan that an interrupted run of the same command has measured.
fn go_on(request: &MeasureRequest, plan: &mut Plan) -> Result<Option<ResumableRun>, Failure> {
    let plugins = plugin_records(std::iter::once(&*plan));
    let earlier = resume::of_command(request, &plugins)?;
    if let Some(earlier) = &earlier {
        let all = plan.len();
        plan.retain(|point| !earlier.done.contains(point));
        let done = all - plan.len();
        let folder = earlier.folder.escaped();
        say(&format!("resuming {folder}: {done} of {all} points are done"));
    }
    Ok(earlier)
}
