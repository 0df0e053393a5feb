//! Paired run of a suite with a baseline.

use std::path::{Path, PathBuf};

use algorithms::plugin;
use reports::clock::now;
use reports::compare::Thresholds;
use reports::history::Store;
use reports::record::Point;
use reports::store::read_run;
use reports::units;
use text::Untrusted;

use super::super::present::check_store;
use super::super::{log, try_plugins};
use super::{ExpandedSuite, conclusion, resume};
use crate::failure::{Exit, Failure};
use crate::measure::{
    Job, KernelTimes, MeasureError, RunSpec, Start, claimed, default_folder, describe, series_of,
};
use crate::paired::base::Base;
use crate::paired::{self, Against, Executable, SidePlugins, points};
use crate::plan::{Plan, plugin_records};
use crate::platform::{Interrupt, Topology};
use crate::request::{AgainstRequest, DEFAULT_STORE, SuiteRequest};
use crate::suite::Suite;

pub(super) fn run(
    suite: Suite,
    named_plugins: &[PathBuf],
    request: &SuiteRequest,
    against: &AgainstRequest,
) -> Result<Exit, Failure> {
    let ExpandedSuite { requests, plans, part } = ExpandedSuite::from_suite(suite, request)?;
    let log = |text: &str| log(request.output.quiet, text);
    let store = request.store.clone();
    let store = store.unwrap_or_else(|| PathBuf::from(DEFAULT_STORE));
    let series = series_of(plans.iter(), &part);
    let Base { executable: base, run: base_run } =
        paired::base::find(&against.base, &store, Some(&series), log)?;
    check_store(request.store.as_deref())?;
    let failed = try_plugins(&plans, request.output.quiet)?;
    // Building a base is not the measurement's time.
    let started = std::time::Instant::now();
    let plugins = plugin_records(plans.iter());
    let earlier = resume::find_paired(request, &part, &plugins)?;
    let start = Start::after(&earlier);
    let name = format!("{}-against-{}", part.name, simple(&base.name));
    let named = || request.output.out.clone().unwrap_or_else(|| default_folder(&name));
    let out = match earlier {
        Some(earlier) => earlier,
        None => claimed(&named()).map_err(MeasureError::from)?,
    };
    let libraries = absolute(&[&request.plugins[..], named_plugins].concat())?;
    let new_plugins = SidePlugins::from_files(libraries, plugins);
    let base_plugins = match &base_run {
        Some(run) => {
            let loaded: Vec<PathBuf> =
                plugin::plugins().iter().map(|loaded| loaded.path.clone()).collect();
            let store = Store::open(&store).ok();
            SidePlugins::from_run(run, &read_run(run)?, &loaded, store.as_ref())?
        }
        None => new_plugins.clone(),
    };
    let planned: Vec<Point> = plans.iter().flat_map(Plan::points).collect();
    let points = planned.clone().into_iter();
    let refused = points.filter_map(|point| failed.iter().find_map(|trial| trial.row(&point)));
    let refused = refused.collect();
    let jobs = Job::pair(&requests, &plans);
    let inputs = points::of_jobs(&jobs);
    let run_spec = RunSpec {
        command: &request.command,
        jobs,
        out: out.clone(),
        start,
        suite: Some(part.clone()),
        started,
        budget: request.budget,
        ceilings: false,
        charts: None,
        kernels: KernelTimes::OfSome,
        slowdown: 0.0,
        quiet: request.output.quiet,
    };
    let mut record = describe(&run_spec, &Topology::this_machine());
    record.pair = Some(match start {
        Start::New => format!("{}-{}", now(), std::process::id()),
        Start::Resume => read_run(&out)?.pair.unwrap_or_default(),
    });
    log(&format!(
        "measuring {} interleaved with {}; results go to {}",
        units::counted(part.points, "point"),
        base.name,
        out.escaped()
    ));
    let order = Against {
        base,
        base_plugins,
        new: Executable::this_process("this build")?,
        new_plugins,
        refused,
        inputs,
        slowdown: &|_| 0.0,
        record,
        out,
        start,
        thresholds: Thresholds::default(),
        started,
        budget: request.budget,
        quiet: request.output.quiet,
    };
    let outcome = paired::measure(&order, &Interrupt::listen())?;
    let known = match &base_run {
        Some(run) => conclusion::points_of(run, &part)?,
        None => Vec::new(),
    };
    conclusion::conclude(request, against, outcome, &known)
}

/// A name for a part of a folder's name.
fn simple(name: &str) -> String {
    let base = Path::new(name).file_name().unwrap_or_default();
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    base.to_string_lossy().replace(is_other, "-")
}

fn absolute(libraries: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    Ok(libraries.iter().map(std::path::absolute).collect::<Result<_, _>>()?)
}
