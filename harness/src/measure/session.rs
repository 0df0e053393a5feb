//! Execution of a run: folder, teams, and one group of inputs after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use reports::clock::{self, clock_problem, now};
use reports::history::Series;
use reports::record::{
    Environment, PlannedVariant, Point, RunRecord, SCHEMA_VERSION, SMALL_NOTE, SampleRow, SuitePart,
};
use reports::store::{RunFolder, StoreError};
use reports::{charts, units};
use tasks::task::Task;
use text::Untrusted;

use super::MeasureError;
use super::bandwidths::Bandwidths;
use super::deadline::Deadline;
use super::gpu::sampled_gpu::GpuMode;
use super::gpu::watched::{hip_gpus, shaders};
use super::input_groups::InputGroups;
use super::recorder::{Recorder, Rows};
use super::resources::Resources;
use super::run_spec::{KernelTimes, RunResult, RunSpec, Start, claimed};
use crate::plan::{Plan, input_records, plugin_records, quantities};
use crate::platform::control_groups::StoppedPeriods;
use crate::platform::{self, Interrupt, Topology, last_level_bytes, plugin_guard, powercap};
use crate::progress::Progress;
use crate::request::values::and_more;
use crate::request::{CacheMode, EnergyFlags, MeasureRequest, is_only_tried};

/// Maximum share of the shortest sample for reading the clock.
const MAX_CLOCK_SHARE: f64 = 0.01;
/// The clock source that is read without a system call.
const FASTEST_CLOCK: &str = "tsc";
/// Maximum number of points without samples that a note lists.
const MAX_NAMED: usize = 5;
/// Prefix of the note of a resumed run.
const RESUMED: &str = "resumed at";

/// A run that is being executed.
pub struct Session<'a> {
    run_spec: &'a RunSpec<'a>,
    resources: Resources,
}

impl<'a> Session<'a> {
    /// Measures everything that is assigned.
    ///
    /// # Errors
    /// If an input can't be generated or results can't be written. Results so far are on disk.
    pub fn run(
        run_spec: &'a RunSpec<'a>,
        interrupt: &Interrupt,
    ) -> Result<RunResult, MeasureError> {
        let deadline = Deadline::new(run_spec.started, run_spec.budget);
        let stopped = StoppedPeriods::start();
        let topology = Topology::this_machine();
        // Start threads first, so that an error leaves no empty run folder.
        let plans = run_spec.jobs.iter().map(|job| job.plan);
        let energy = energy_flags(run_spec);
        let mut resources = Resources::for_plans(plans, gpu_mode(run_spec))?;
        let (mut folder, mut record, mut rows) = open(run_spec, &topology)?;
        plugin_guard::keep_results_in(folder.path());
        let mut progress = progress(run_spec);
        progress.line(&format!("results go to {}", folder.path().escaped()));
        resources.open_meters(&energy, |text| progress.stage(text));
        let mut session = Session { run_spec, resources };
        for note in &record.notes {
            progress.line(note);
        }
        let mut outcome = RunResult {
            folder: folder.path().to_owned(),
            summary: rows.summary.clone(),
            ..RunResult::default()
        };
        outcome.count_rows();
        let (cache_bytes, note) = last_level_bytes(&topology);
        record.add_notes(session.prepare(cache_bytes));
        record.add_notes(note);
        let counted = run_spec.any(|request| request.session.counters);
        record.add_notes(counted.then(|| session.resources.find_profiler(&record)).flatten());
        let resources = &session.resources;
        resources.meters.describe_in(&mut record);
        folder.describe(&record)?;
        let bandwidths = Bandwidths::new(cache_bytes, run_spec.budget, deadline);
        let bandwidths = run_spec.ceilings.then_some(bandwidths);
        let before_bandwidths = bandwidths.as_ref().map(|it| it.deadline_before(resources));
        let origin = origin(run_spec, &record);
        let mut recorder = Recorder {
            folder: &mut folder,
            record: &mut record,
            rows: &mut rows,
            progress: &mut progress,
            interrupt,
            deadline: before_bandwidths.unwrap_or(deadline),
            origin,
        };
        let measured =
            InputGroups::new(run_spec, resources, bandwidths).measure(&mut recorder, &mut outcome);
        progress.end();
        plugin_guard::return_home();
        measured.map_err(|error| keep(error, folder.path()))?;
        outcome.interrupted = interrupt.asked();
        if !outcome.interrupted {
            outcome.left_out = rows.left_out.len();
            let note = left_out(run_spec.budget, &rows.left_out);
            record.notes.extend(note);
        }
        resources.meters.describe_in(&mut record);
        record.add_notes(rows.notes.iter().cloned());
        let before = record.throttled.unwrap_or(0);
        record.throttled = stopped.so_far().map(|stopped| before + stopped);
        record.add_notes(expensive_clock(&record.environment, &rows.samples));
        outcome.earlier_effort = record.effort.unwrap_or_default();
        // Charts are drawn before the run is finished, so that a run killed meanwhile can be
        // resumed.
        outcome.effort.charts_s = draw(run_spec, &folder, &record, &rows)?;
        outcome.effort.wall_s = run_spec.started.elapsed().as_secs_f64();
        record.effort = Some(outcome.whole_effort(&rows.samples));
        // An interrupted run lacks points, so it is not finished.
        record.finished = (!outcome.interrupted).then(now);
        folder.describe(&record)?;
        outcome.samples = rows.samples;
        outcome.summary = rows.summary;
        outcome.record = record;
        Ok(outcome)
    }

    /// Prepares cache flushes and counters; returns notes on what is not available.
    fn prepare(&mut self, cache_bytes: u64) -> Vec<String> {
        let cold = |request: &MeasureRequest| request.settings.caches.contains(&CacheMode::Cold);
        let resources = &mut self.resources;
        if self.run_spec.any(cold) {
            resources.teams.prepare_flushes(cache_bytes);
        }
        let mut notes = resources.watched.notes();
        let no_ranges = resources.ranges.as_ref().and_then(|ranges| ranges.as_ref().err());
        notes.extend(no_ranges.map(ToString::to_string));
        if self.run_spec.any(|request| request.session.counters) {
            notes.extend(resources.teams.open_counters());
        }
        notes
    }
}

/// Flags of energy, which are those of the command and the same for all jobs.
fn energy_flags(run_spec: &RunSpec<'_>) -> EnergyFlags {
    let job = run_spec.jobs.first();
    job.map_or_else(EnergyFlags::default, |job| job.request.session.energy.clone())
}

/// Under a profiler only the runs themselves are executed.
fn gpu_mode(run_spec: &RunSpec<'_>) -> GpuMode {
    if run_spec.any(|request| request.session.profile) {
        return GpuMode::Profile;
    }
    match run_spec.kernels {
        KernelTimes::OfSome => GpuMode::Measure,
        KernelTimes::OfAll => GpuMode::MeasureKernels,
    }
}

fn progress(run_spec: &RunSpec<'_>) -> Progress {
    let plans = || run_spec.jobs.iter().map(|job| job.plan);
    let inputs = plans().map(|plan| plan.inputs.len()).sum();
    let points = plans().map(Plan::len).sum();
    let times = run_spec.jobs.iter().map(|job| job.request.settings.max_time);
    let max_time = times.max().unwrap_or_default();
    Progress::new(run_spec.quiet, inputs, points, max_time)
}

/// Note on points without samples because time ran out.
fn left_out(budget: Option<Duration>, points: &[Point]) -> Option<String> {
    let budget = budget.filter(|_| !points.is_empty())?;
    let names: Vec<_> = points.iter().take(MAX_NAMED).map(name).collect();
    Some(format!(
        "--budget {} was over before the first sample of {}: {}{}; what was measured is whole",
        humantime::format_duration(budget),
        units::counted(points.len(), "point"),
        names.join(", "),
        and_more("", points.len(), MAX_NAMED)
    ))
}

fn name(point: &Point) -> String {
    let task = &point.algorithm;
    let variant = &point.variant;
    let params = point.params.to_string().replace(';', " ");
    format!(
        "{task} {variant} ({} on {}, {params})",
        units::counted(point.threads, "thread"),
        point.device
    )
}

/// Opens the run folder, new or existing.
fn open(
    run_spec: &RunSpec<'_>,
    topology: &Topology,
) -> Result<(RunFolder, RunRecord, Rows), StoreError> {
    let path = &run_spec.out;
    match run_spec.start {
        Start::New => {
            let record = describe(run_spec, topology);
            Ok((RunFolder::create(&claimed(path)?, &record)?, record, Rows::default()))
        }
        Start::Resume => {
            let (folder, run) = RunFolder::resume(path)?;
            let mut record = run.record;
            record.finished = None;
            // A run that is resumed several times has one note, on the last time.
            record.notes.retain(|note| !note.starts_with(RESUMED));
            record.notes.push(format!("{RESUMED} {}", now()));
            let rows = Rows { samples: run.samples, summary: run.summary, ..Rows::default() };
            Ok((folder, record, rows))
        }
    }
}

/// Start of a run by the monotonic clock: of a resumed one so long ago as its record says.
fn origin(run_spec: &RunSpec<'_>, record: &RunRecord) -> Instant {
    let earlier = match run_spec.start {
        Start::New => None,
        Start::Resume => clock::parse(&record.started).and_then(|it| it.elapsed().ok()),
    };
    let origin = earlier.and_then(|earlier| Instant::now().checked_sub(earlier));
    origin.unwrap_or(run_spec.started)
}

/// Draws the requested charts; returns the time taken in seconds.
fn draw(
    run_spec: &RunSpec<'_>,
    folder: &RunFolder,
    record: &RunRecord,
    rows: &Rows,
) -> Result<f64, MeasureError> {
    let Some(wanted) = run_spec.charts else { return Ok(0.0) };
    let start = Instant::now();
    let drawn = charts::draw(record, &rows.summary, &rows.samples, wanted);
    let written = drawn.and_then(|drawn| charts::write(folder.path(), &drawn));
    let kept = || folder.path().escaped().to_string();
    written.map_err(|source| MeasureError::Chart { source, kept: kept() })?;
    Ok(start.elapsed().as_secs_f64())
}

/// Adds to a store error that earlier results are kept.
fn keep(error: MeasureError, folder: &Path) -> MeasureError {
    match error {
        MeasureError::Store(source) => {
            MeasureError::StoreInterrupted { source, kept: folder.escaped().to_string() }
        }
        other => other,
    }
}

/// Environment variables that affect measurements, except the one that names the file of defaults,
/// because the recorded command contains its flags.
const VARIABLES: [&str; 4] =
    ["RECOBENCH_KERNELS", "RECOBENCH_LAST_LEVEL_CACHE", powercap::VARIABLE, "RECOBENCH_SMALL"];

fn variables() -> BTreeMap<String, String> {
    let value = |name: &str| std::env::var_os(name).map(|it| it.to_string_lossy().into_owned());
    VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?))).collect()
}

/// Series of a suite run with these plans on this machine.
pub(crate) fn series_of<'a>(
    plans: impl Iterator<Item = &'a Plan> + Clone,
    part: &SuitePart,
) -> Series {
    let machine = platform::this_machine();
    let record = RunRecord {
        machine_key: machine.key(),
        machine,
        shaders: shaders(plans.clone()),
        hip: hip_gpus(plans.clone()),
        ..RunRecord::default()
    };
    let devices: Vec<String> = plans.flat_map(Plan::points).map(|point| point.device).collect();
    Series::for_suite(&record, devices.iter().map(String::as_str), part)
}

/// Metadata of a run before it starts.
pub(crate) fn describe(run_spec: &RunSpec<'_>, topology: &Topology) -> RunRecord {
    let machine = platform::machine(topology);
    let environment = platform::environment();
    let mut notes = platform::environment_warnings(&environment);
    notes.extend(platform::built_for_less());
    notes.extend(clock_problem());
    notes.extend(is_only_tried().then(|| SMALL_NOTE.to_owned()));
    let plans = run_spec.jobs.iter().map(|job| job.plan);
    let teams = plans.clone().flat_map(|plan| &plan.teams);
    let threads = teams.map(|team| team.layout.shape().iter().product::<usize>()).max();
    notes.extend(platform::crowded(&environment, threads.unwrap_or(1)));
    for note in plans.clone().flat_map(|plan| &plan.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let mut tasks: Vec<&dyn Task> = Vec::new();
    for plan in plans.clone() {
        if !tasks.iter().any(|task| task.name() == plan.task().name()) {
            tasks.push(plan.task());
        }
    }
    let quantities = quantities::of_tasks(&tasks);
    let shaders = shaders(plans.clone());
    let hip = hip_gpus(plans.clone());
    let mut missing_devices: Vec<String> = Vec::new();
    for device in plans.clone().flat_map(|plan| &plan.missing_devices) {
        let name = device.to_string();
        if !missing_devices.contains(&name) {
            missing_devices.push(name);
        }
    }
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: run_spec.command.to_vec(),
        started: now(),
        finished: None,
        seed: run_spec.jobs.first().map_or(0, |job| job.request.settings.seed),
        suite: run_spec.suite.clone(),
        pair: None,
        software: platform::software(),
        variables: variables(),
        inputs: input_records(plans.clone()),
        planned: planned(plans.clone()),
        plugins: plugin_records(plans),
        machine_key: machine.key(),
        machine,
        host_name: platform::host_name(),
        notes,
        environment,
        missing_devices,
        ceilings: Default::default(),
        shaders,
        hip,
        axes: quantities.axes.record(),
        metrics: quantities.metrics.record(),
        energy: None,
        throttled: None,
        effort: None,
    }
}

/// Variants of plans, with the number of their points and their machine code.
fn planned<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<PlannedVariant> {
    let mut all = Vec::new();
    for plan in plans {
        for input in &plan.inputs {
            for spec in &input.candidates {
                let info = plan.variant(spec);
                let planned = PlannedVariant {
                    algorithm: plan.task().name().to_owned(),
                    variant: info.name.to_owned(),
                    device: spec.device.to_string(),
                    points: 1,
                    fingerprint: platform::variant_fingerprint(info),
                };
                planned.add_to(&mut all);
            }
        }
    }
    all
}

/// Note if reading the clock takes too long for the shortest samples.
fn expensive_clock(environment: &Environment, samples: &[SampleRow]) -> Option<String> {
    let price = environment.clock_read_s?;
    let seconds = samples.iter().map(|sample| sample.seconds).filter(|seconds| *seconds > 0.0);
    let shortest =
        seconds.reduce(f64::min).filter(|shortest| price > MAX_CLOCK_SHARE * shortest)?;
    let source = environment.clock_source.as_deref();
    let other =
        if source == Some(FASTEST_CLOCK) { "" } else { ", or a machine whose clock source is tsc" };
    Some(format!(
        "reading the clock ({}) takes {}, which is {} of the shortest sample: short times are too \
         long by about that; use larger inputs{other}",
        source.unwrap_or("of an unknown source").escaped(),
        units::seconds(price, 2),
        units::percent(price / shortest)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expensive_clocks_are_noted() {
        let environment = Environment {
            clock_source: Some("hpet".into()),
            clock_read_s: Some(1.5e-6),
            ..Environment::default()
        };
        let samples = |seconds: f64| vec![SampleRow { seconds, ..SampleRow::default() }];
        let note = expensive_clock(&environment, &samples(2e-5)).expect("7.5 %");
        assert!(note.contains("(hpet)") && note.contains("7.5 %"), "{note}");
        assert!(note.ends_with("use larger inputs, or a machine whose clock source is tsc"));
        let slow_tsc = Environment { clock_source: Some("tsc".into()), ..environment.clone() };
        let note = expensive_clock(&slow_tsc, &samples(2e-5)).expect("7.5 %");
        assert!(note.ends_with("use larger inputs"), "{note}");
        assert_eq!(expensive_clock(&environment, &samples(2e-3)), None);
        assert_eq!(expensive_clock(&environment, &[]), None);
    }
}
