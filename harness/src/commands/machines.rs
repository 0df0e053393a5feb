//! `bench machines`: machines side by side, by kept runs.

use std::path::Path;

use reports::charts;
use reports::machines::{
    LeftOut, MachineComparison, MachineId, MachineOptions, MeasuredRun, NodePrice, ScoreSuite,
    SuiteData,
};
use reports::report;
use reports::screen::Screen;
use reports::store::{RunSummary, ThroughputRun};
use reports::table::{Format, Tabular};
use text::Untrusted;

use super::plan::{MachineEntry, read_machines};
use super::report::check_overwrite;
use super::runs;
use crate::failure::{Exit, Failure};
use crate::registry;
use crate::request::MachinesRequest;
use crate::suite::{Suite, SuiteError};

/// Suite for the scores of CPUs.
const CPU_SUITE: &str = "score";
/// Suite for the scores of GPUs.
const GPU_SUITE: &str = "gpu-score";
/// Names of the files of `--out`.
const PAGE: &str = "machines.html";
const TABLE: &str = "machines.csv";

pub(super) fn run(request: &MachinesRequest) -> Result<Exit, Failure> {
    let Runs { read, left_out } = Runs::read(request)?;
    let options = MachineOptions {
        points: request.points.filter(),
        rank: request.rank,
        reference: request.reference.clone(),
        suites: score_suites()?,
        prices: request.prices.as_deref().map_or(Ok(Vec::new()), prices)?,
        left_out,
    };
    let comparison = MachineComparison::new(&read, options)?;
    super::put(&request.format, |format, screen| Ok(comparison.render(format, screen)?))?;
    if let Some(out) = &request.out {
        write(&comparison, out, request.force)?;
    }
    Ok(Exit::Success)
}

/// Writes the rates, the chart and the page.
fn write(comparison: &MachineComparison, out: &Path, force: bool) -> Result<(), Failure> {
    let page = out.join(PAGE);
    check_overwrite(&page, force)?;
    let charts = charts::draw_machines(comparison)?;
    let mut paths = charts::write(out, &charts)?;
    files::create_folder(out).map_err(Failure::writing(out))?;
    let table = out.join(TABLE);
    let text = comparison.render(Format::Csv, Screen::default())?;
    files::write(&table, text).map_err(Failure::writing(&table))?;
    files::write(&page, report::machines_page(comparison, &charts))
        .map_err(Failure::writing(&page))?;
    paths.extend([table, page]);
    paths.iter().for_each(|path| super::say(&path.escaped().to_string()));
    Ok(())
}

/// Runs that were read, and those that could not be.
#[derive(Default)]
struct Runs {
    read: Vec<MeasuredRun>,
    left_out: Vec<LeftOut>,
}

impl Runs {
    /// Reads all runs. One that is named by itself has to be readable; others are left out with the
    /// reason.
    fn read(request: &MachinesRequest) -> Result<Self, Failure> {
        let mut all = Runs::default();
        for name in &request.runs {
            for folder in runs::folders(name, &request.store)? {
                let label = folder.escaped().to_string();
                match RunSummary::read(&folder) {
                    Ok(RunSummary { record, rows, .. }) => {
                        all.read.push(MeasuredRun { folder: label, record, rows });
                    }
                    Err(error) if folder == *name => return Err(error.into()),
                    Err(error) => {
                        let reason = error.to_string();
                        all.left_out.push(LeftOut { folder: label, reason });
                    }
                }
            }
        }
        Ok(all)
    }
}

/// The suites of scores that the program has.
pub(super) fn score_suites() -> Result<Vec<ScoreSuite>, SuiteError> {
    let named = |name: &str| registry::suites().iter().find(|suite| suite.name == name);
    let known = [(CPU_SUITE, false), (GPU_SUITE, true)].into_iter();
    let known = known.filter_map(|(name, is_for_gpus)| Some((named(name)?, is_for_gpus)));
    known
        .map(|(built_in, is_for_gpus)| {
            let suite = Suite::parse(built_in.name, built_in.text)?;
            Ok(ScoreSuite { name: suite.name.clone(), is_for_gpus, data: data(&suite) })
        })
        .collect()
}

/// The data of a suite, each once.
fn data(suite: &Suite) -> Vec<SuiteData> {
    let mut all: Vec<SuiteData> = Vec::new();
    for part in &suite.parts {
        let experiment = registry::experiment(part.task.name()).unwrap_or(part.task.name());
        for point in part.points() {
            let data = SuiteData::new(point, experiment, part.settings.seed);
            if !all.contains(&data) {
                all.push(data);
            }
        }
    }
    all
}

/// Reads the prices of nodes, with the machines that their runs were measured on.
fn prices(path: &Path) -> Result<Vec<NodePrice>, Failure> {
    let beside = path.parent().unwrap_or(Path::new(""));
    let prices =
        read_machines(path)?.into_iter().map(|MachineEntry { machine, results, .. }| {
            let mut measured_on = Vec::new();
            for folder in results {
                measured_on.extend(devices(&beside.join(folder))?);
            }
            Ok(NodePrice {
                name: machine.name,
                eur: machine.price_eur,
                gpus: machine.gpus.unwrap_or(0),
                measured_on,
            })
        });
    prices.collect()
}

/// Machines that a run measured, of streams or of tasks.
fn devices(folder: &Path) -> Result<Vec<MachineId>, Failure> {
    let (record, devices): (_, Vec<String>) = if ThroughputRun::is_in(folder) {
        let run = ThroughputRun::read(folder)?;
        (run.record, run.rows.into_iter().map(|row| row.device).collect())
    } else {
        let run = RunSummary::read(folder)?;
        (run.record, run.rows.into_iter().map(|row| row.device).collect())
    };
    Ok(devices.iter().flat_map(|names| MachineId::of_devices(&record, names)).collect())
}
