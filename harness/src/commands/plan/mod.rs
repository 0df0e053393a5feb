//! `bench plan`: farms for a rate, by the rates of kept runs.
//!
//! | module | holds |
//! |---|---|
//! | `fields` | required and optional numbers of a file, with their rules |
//! | `need` | the file of the need |
//! | `machines` | the file of the machines |

mod fields;
mod machines;
mod need;

use std::path::{Path, PathBuf};

use files::{LARGEST_DOCUMENT, read_text};
use reports::charts;
use reports::plan::{Concurrency, KeptRun, KeptStream, Machine, Plan, Spares};
use reports::report;
use reports::store::{MixedRun, StreamRun, ThroughputRun};
use reports::table::Tabular;
use text::Untrusted;

use super::report::check_overwrite;
use super::runs;
use crate::document::InvalidDocument;
use crate::failure::{Exit, Failure};
use crate::registry;
use crate::request::PlanRequest;
pub(super) use machines::MachineEntry;

/// Name of the page.
const PAGE: &str = "plan.html";

pub(super) fn run(request: &PlanRequest) -> Result<Exit, Failure> {
    let need = need::parse(&name(&request.need), &read(&request.need)?, registry::presets())?;
    let entries = read_machines(&request.machines)?;
    if !request.results.is_empty() && entries.iter().all(|entry| !entry.results.is_empty()) {
        super::say("note: --results is not used: all machines name their own runs");
    }
    if let Spares::Availability(_) = need.spares {
        entries.iter().try_for_each(|entry| with_availability(&entry.machine))?;
    }
    let machines = entries.into_iter().map(|entry| with_runs(entry, request));
    let plan = Plan::new(need, machines.collect::<Result<_, _>>()?);
    if plan.farms.is_empty() {
        let reasons =
            plan.refused.iter().map(|it| format!("\n{}: {}", it.name.escaped(), it.reason));
        let reasons: String = reasons.collect();
        return Err(Failure::NothingMeasured(format!("no machine can be planned with:{reasons}")));
    }
    super::put(&request.format, |format, screen| Ok(plan.render(format, screen)?))?;
    if let Some(out) = &request.out {
        write(&plan, out, request.force)?;
    }
    Ok(Exit::Success)
}

/// Reads a need without planning anything; `path` is for messages.
///
/// # Errors
/// All its problems.
pub(crate) fn check_need(path: &str, text: &str) -> Result<(), InvalidDocument> {
    need::parse(path, text, registry::presets()).map(drop)
}

/// Reads machines, but not their runs; `path` is for messages.
///
/// # Errors
/// All their problems.
pub(crate) fn check_machines(path: &str, text: &str) -> Result<(), InvalidDocument> {
    machines::parse(path, text).map(drop)
}

/// Writes the chart and the page.
fn write(plan: &Plan, out: &Path, force: bool) -> Result<(), Failure> {
    let page = out.join(PAGE);
    check_overwrite(&page, force)?;
    let charts = charts::draw_plan(plan)?;
    let mut paths = charts::write(out, &charts)?;
    files::write(&page, report::plan_page(plan, &charts)).map_err(Failure::writing(&page))?;
    paths.push(page);
    paths.iter().for_each(|path| super::say(&path.escaped().to_string()));
    Ok(())
}

fn name(path: &Path) -> String {
    path.escaped().to_string()
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |source| Failure::Read { path: path.to_owned(), source };
    read_text(path, LARGEST_DOCUMENT).map_err(failed)
}

/// Reads the file of the machines, but not their runs.
pub(super) fn read_machines(path: &Path) -> Result<Vec<MachineEntry>, Failure> {
    Ok(machines::parse(&name(path), &read(path)?)?)
}

/// Refuses machines without an availability.
fn with_availability(machine: &Machine) -> Result<(), Failure> {
    if machine.availability.is_some() {
        return Ok(());
    }
    let Machine { file, name, .. } = machine;
    Err(Failure::Usage(format!(
        "{file}: availability of {} is missing; add it, such as availability = 0.99, the share of the \
         time that a node works: the need has an availability",
        name.escaped()
    )))
}

/// Reads the runs of a machine: its own ones, else those of the command line.
fn with_runs(entry: MachineEntry, request: &PlanRequest) -> Result<Machine, Failure> {
    let MachineEntry { mut machine, results, stream } = entry;
    let beside = request.machines.parent().unwrap_or(Path::new(""));
    let folders = if results.is_empty() {
        let named = request.results.iter().map(|run| runs::folder(run, &request.store, None));
        named.collect::<Result<Vec<PathBuf>, Failure>>()?
    } else {
        results.iter().map(|folder| beside.join(folder)).collect()
    };
    let is_stream = |folder: &PathBuf| StreamRun::is_in(folder);
    let (mut streams, rates): (Vec<_>, Vec<_>) = folders.into_iter().partition(is_stream);
    if rates.is_empty() {
        let found = if streams.is_empty() { "no results" } else { "results of bench stream only" };
        return Err(Failure::Usage(format!(
            "{}: {} has {found}: name the folder of a run of bench throughput or bench mixed, \
             relative to the file, or give runs by --results",
            machine.file,
            machine.name.escaped()
        )));
    }
    let runs = rates.iter().map(|folder| kept_run(folder, &machine));
    machine.runs = runs.collect::<Result<_, _>>()?;
    streams.extend(stream.map(|folder| beside.join(folder)));
    machine.stream = only_stream(&streams, &machine)?;
    Ok(machine)
}

/// Reads the stream of a machine, if there is one; refuses several.
fn only_stream(folders: &[PathBuf], machine: &Machine) -> Result<Option<KeptStream>, Failure> {
    if let [first, second, ..] = folders {
        return Err(Failure::Usage(format!(
            "{}: {} has two streams, {} and {}; a farm is simulated with one: leave one out",
            machine.file,
            machine.name.escaped(),
            first.escaped(),
            second.escaped()
        )));
    }
    folders.first().map(|folder| kept_stream(folder, machine)).transpose()
}

fn kept_run(folder: &Path, machine: &Machine) -> Result<KeptRun, Failure> {
    if MixedRun::is_in(folder) {
        let mix = MixedRun::read(folder)?;
        runs::say_if_unfinished(&mix.record, folder);
        return Ok(KeptRun::from_mix(name(folder), mix));
    }
    if !ThroughputRun::is_in(folder) {
        return Err(Failure::Usage(format!(
            "{}: results of {}: {} has neither throughput.csv nor loads.csv: name the folder of a run \
             of bench throughput or bench mixed, relative to the file",
            machine.file,
            machine.name.escaped(),
            folder.escaped()
        )));
    }
    let run = ThroughputRun::read(folder)?;
    runs::say_if_unfinished(&run.record, folder);
    Ok(KeptRun { folder: name(folder), run, concurrency: Concurrency::Isolated })
}

fn kept_stream(folder: &Path, machine: &Machine) -> Result<KeptStream, Failure> {
    if !StreamRun::is_in(folder) {
        return Err(Failure::Usage(format!(
            "{}: stream of {}: {} has no stream.csv: name the folder of a run of bench stream, \
             relative to the file",
            machine.file,
            machine.name.escaped(),
            folder.escaped()
        )));
    }
    let run = StreamRun::read(folder)?;
    runs::say_if_unfinished(&run.record, folder);
    Ok(KeptStream { folder: name(folder), run })
}
