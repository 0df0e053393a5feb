//! `bench sort` and the like: measure a task.

use text::Untrusted;

use super::present::{check_store, keep_complete, present, say_what_resumes, store_and_show};
use super::suite::dry_run::DryRun;
use super::suite::resume::{self, ResumableRun};
use super::{refuse_development_build, refuse_verifying, say};
use crate::failure::{Exit, Failure};
use crate::measure::{RunSpec, Session, Start};
use crate::plan::{Plan, plugin_records};
use crate::platform::{Interrupt, process_start, use_small_pages};
use crate::plugins::{self, Baseline};
use crate::request::{MeasureRequest, MemoryPages};

pub(super) fn run(request: &MeasureRequest) -> Result<Exit, Failure> {
    let session = &request.session;
    let output = &session.output;
    let mut plan = prepare(request)?;
    if session.dry_run {
        return dry_run(request, &plan);
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

/// The plan of a request that can be measured here; from here on, memory has the pages that it asks
/// for.
pub(super) fn prepare(request: &MeasureRequest) -> Result<Plan, Failure> {
    refuse_verifying(&request.settings.devices)?;
    if request.session.pages == MemoryPages::Small {
        let refused = |error| Failure::NothingMeasured(format!("no small pages: {error}"));
        use_small_pages().map_err(refused)?;
    }
    plugins::load(&request.settings.plugins, Baseline::Measured)?;
    Ok(Plan::new(request)?)
}

/// Prints what would be measured.
pub(super) fn dry_run(request: &MeasureRequest, plan: &Plan) -> Result<Exit, Failure> {
    plan.notes.iter().for_each(|note| say(&format!("note: {note}")));
    let dry_run = DryRun::for_task(request, plan);
    super::put(&request.session.output.format, |format, _| Ok(dry_run.render(format)))?;
    Ok(Exit::Success)
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
