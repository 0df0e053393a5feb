//! `bench pareto`: parameters of an algorithm by speed and quality.

use reports::charts;
use reports::pareto::{Goal, ParetoError, ParetoTable, Standing, candidates, standings};
use reports::record::{About, Quantities};
use reports::store::read_quality;
use reports::table::{Format, Tabular};
use tasks::task::Task;
use text::Untrusted;

use super::present::{check_store, keep_complete, say_findings, say_if_interrupted};
use super::{measure, put, refuse_development_build, say};
use crate::failure::{Exit, Failure};
use crate::measure::{RunResult, RunSpec, Session};
use crate::plan::quantities;
use crate::platform::{Interrupt, process_start};
use crate::registry::tasks;
use crate::request::ParetoRequest;

/// File of all settings in the folder of the run.
const TABLE: &str = "pareto.csv";

pub(super) fn run(request: &ParetoRequest) -> Result<Exit, Failure> {
    let measuring = &request.measuring;
    let goals = goals(request)?;
    let plan = measure::prepare(measuring)?;
    if measuring.session.dry_run {
        return measure::dry_run(measuring, &plan);
    }
    refuse_development_build()?;
    let store = measuring.session.store.as_deref();
    let output = &measuring.session.output;
    check_store(store)?;
    super::try_plugins(std::slice::from_ref(&plan), output.quiet)?;
    let interrupt = Interrupt::listen();
    let run_spec = RunSpec {
        started: process_start(),
        charts: None,
        ceilings: false,
        ..RunSpec::for_task(measuring, &plan)
    };
    let outcome = Session::run(&run_spec, &interrupt)?;
    keep_complete(&outcome, store, output.quiet)?;
    show(request, &goals, &outcome)?;
    Ok(outcome.exit())
}

/// The metrics to compare by, the speed first.
fn goals(request: &ParetoRequest) -> Result<Vec<Goal>, Failure> {
    let task = request.measuring.task;
    let name = task.name();
    let declared = quantities::of_tasks(&[task]);
    let usage = |error: ParetoError| Failure::Usage(error.to_string());
    if !has_quality(&declared, task) {
        let all =
            tasks().iter().filter(|task| has_quality(&quantities::of_tasks(&[**task]), **task));
        let others = all.map(|task| task.name().to_owned()).collect();
        return Err(usage(ParetoError::NoQuality { task: name.to_owned(), others }));
    }
    let speed = Goal::speed(&declared, name, &request.flags.speed).map_err(usage)?;
    let qualities = Goal::qualities(&declared, name, &request.flags.quality).map_err(usage)?;
    Ok([vec![speed], qualities].concat())
}

fn has_quality(declared: &Quantities, task: &dyn Task) -> bool {
    declared.metrics.of_task(task.name()).any(|(_, record)| record.about == About::Quality)
}

fn show(request: &ParetoRequest, goals: &[Goal], outcome: &RunResult) -> Result<(), Failure> {
    let quality = read_quality(&outcome.folder)?;
    let (found, missing) = candidates(&outcome.summary, &quality, goals);
    for setting in &missing {
        say(&format!("not compared: {}", setting.escaped()));
    }
    say_if_interrupted(outcome.interrupted, &outcome.folder);
    say_findings(&outcome.record);
    if found.is_empty() {
        let task = request.measuring.task.name();
        let folder = outcome.folder.escaped();
        return Err(Failure::NothingMeasured(format!(
            "no setting of {task} has both a time and a known quality; generated data have the \
             truth, most files do not; the times are in {folder}"
        )));
    }
    let standings = standings(&found, goals);
    let table =
        ParetoTable { run: &outcome.record, goals, candidates: &found, standings: &standings };
    let output = &request.measuring.session.output;
    put(&output.format, |format, screen| Ok(table.render(format, screen)?))?;
    for (candidate, standing) in found.iter().zip(&standings) {
        if let Standing::Dominated(by) = standing {
            let [worse, better] = [candidate, &found[*by]].map(ParetoTable::words);
            say(&format!("dominated: {} by {}", worse.escaped(), better.escaped()));
        }
    }
    let path = outcome.folder.join(TABLE);
    files::write(&path, table.render(Format::Csv, Default::default())?)
        .map_err(Failure::writing(&path))?;
    if output.charts {
        let charts = charts::draw_pareto(request.measuring.task.name(), &table)?;
        charts::write(&outcome.folder, &charts)?;
    }
    if !output.quiet {
        say(&format!("results: {}", outcome.folder.escaped()));
    }
    Ok(())
}
