//! Execution of a throughput run: folder, ceilings, and one point after the other.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use reports::clock::now;
use reports::record::RunRecord;
use reports::store::ThroughputFolder;
use reports::throughput::ThroughputRow;
use reports::{charts, units};
use text::Untrusted;

use super::ceilings::Ceilings;
use super::multiprocess::{self, WorkerPool};
use super::placement::StreamGpus;
use super::plan::{PointSpec, StreamPlan, processes_in_words};
use super::point::{Command, Measured, Setup, WindowLength, measure};
use super::stream::Events;
use crate::measure::{self, Deadline, MeasureError, RunSpec, claimed, default_folder};
use crate::platform::control_groups::StoppedPeriods;
use crate::platform::{Exit, Interrupt, Topology};
use crate::request::ThroughputRequest;

/// Share of a budget for measuring memory bandwidth.
const CEILINGS: f64 = 0.05;
/// Share of a point's time for its window, if the run has a time limit: the rest is for generating,
/// checking and warm-up.
const IN_WINDOW: f64 = 0.5;

/// Result of a run.
#[derive(Debug, Default)]
pub(crate) struct ThroughputResult {
    pub(crate) rows: Vec<ThroughputRow>,
    pub(crate) record: RunRecord,
    pub(crate) folder: PathBuf,
    pub(crate) interrupted: bool,
    measured: usize,
    wrong: usize,
}

impl ThroughputResult {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        if self.wrong > 0 {
            Exit::WrongOutput
        } else if self.interrupted {
            Exit::Interrupted
        } else if self.measured == 0 || !self.record.missing_devices.is_empty() {
            Exit::NothingMeasured
        } else {
            Exit::Success
        }
    }
}

/// A request that is being executed.
pub(crate) struct Session<'a> {
    request: &'a ThroughputRequest,
    planned: &'a StreamPlan,
    gpus: StreamGpus,
    deadline: Deadline,
    interrupt: &'a Interrupt,
    report: &'a dyn Fn(&str),
}

impl<'a> Session<'a> {
    /// Measures all points; `report` receives progress messages.
    ///
    /// # Errors
    /// If events can't be generated or results can't be written. Results so far are on disk.
    pub(crate) fn run(
        request: &'a ThroughputRequest,
        planned: &'a StreamPlan,
        started: Instant,
        interrupt: &'a Interrupt,
        report: &'a dyn Fn(&str),
    ) -> Result<ThroughputResult, MeasureError> {
        let session = Session {
            request,
            planned,
            gpus: StreamGpus::default(),
            deadline: Deadline::new(started, request.flags.budget),
            interrupt,
            report,
        };
        session.carry_out()
    }

    fn carry_out(&self) -> Result<ThroughputResult, MeasureError> {
        let stopped = StoppedPeriods::start();
        let mut record = self.describe();
        let name = format!("throughput-{}", self.planned.plan.task().name());
        let path = self.request.flags.out.clone().unwrap_or_else(|| default_folder(&name));
        let path = claimed(&path)?;
        let mut folder = ThroughputFolder::create(&path, &record)?;
        (self.report)(&format!("results go to {}", path.escaped()));
        let budget = self.request.flags.budget;
        let time = budget.map(|budget| budget.mul_f64(CEILINGS));
        let ceilings = Ceilings::measure(&self.request.device_sets, &self.gpus, time, self.report)?;
        record.ceilings.clone_from(&ceilings.named);
        record.notes.extend(ceilings.notes.iter().cloned());
        folder.describe(&record)?;
        let mut outcome = ThroughputResult { folder: path, ..ThroughputResult::default() };
        let measured = self.measure_all(&ceilings, &mut folder, &mut outcome, &mut record);
        let kept = || outcome.folder.escaped().to_string();
        measured.map_err(|error| match error {
            MeasureError::Store(source) => MeasureError::StoreInterrupted { source, kept: kept() },
            other => other,
        })?;
        outcome.interrupted = self.interrupt.asked();
        if self.request.flags.charts {
            let drawn = charts::draw_throughput(&record, &outcome.rows);
            let written = drawn.and_then(|drawn| charts::write(&outcome.folder, &drawn));
            written.map_err(|source| MeasureError::Chart { source, kept: kept() })?;
        }
        record.throttled = stopped.so_far();
        record.finished = (!outcome.interrupted).then(now);
        folder.describe(&record)?;
        outcome.record = record;
        Ok(outcome)
    }

    fn describe(&self) -> RunRecord {
        let measuring = &self.request.measuring;
        let run_spec = RunSpec::for_task(measuring, &self.planned.plan);
        let mut record = measure::describe(&run_spec, &Topology::this_machine());
        record.notes.extend(self.planned.notes.iter().cloned());
        record
    }

    fn measure_all(
        &self,
        ceilings: &Ceilings,
        folder: &mut ThroughputFolder,
        outcome: &mut ThroughputResult,
        record: &mut RunRecord,
    ) -> Result<(), MeasureError> {
        let setup = Setup {
            plan: &self.planned.plan,
            gpus: &self.gpus,
            ceilings,
            interrupt: self.interrupt,
            seed: self.request.measuring.settings.seed,
            command: Command {
                words: &self.request.measuring.command,
                config: self.request.measuring.config.as_deref(),
            },
        };
        let mut events = Events::default();
        let mut pool = WorkerPool::default();
        let points = &self.planned.points;
        for (number, point) in points.iter().enumerate() {
            let left = points.len() - number;
            if self.interrupt.asked() {
                break;
            }
            if !self.deadline.allows(Duration::ZERO) {
                record.notes.push(left_out(self.request.flags.budget, left));
                break;
            }
            (self.report)(&self.describe_point(number, point));
            let measured = if point.processes > 1 {
                // The events of the other processes need the same amount of memory.
                events = Events::default();
                multiprocess::measure(&setup, &mut pool, point, number, self.length(left))
            } else {
                pool = WorkerPool::default();
                measure(&setup, &mut events, point, self.length(left))?
            };
            match measured {
                Measured::Right(row, written) => {
                    folder.append(&row, &written)?;
                    outcome.measured += 1;
                    outcome.rows.push(*row);
                }
                Measured::Wrong(row) => {
                    folder.append(&row, &[])?;
                    outcome.wrong += 1;
                    outcome.rows.push(*row);
                }
                Measured::Unavailable(row) => {
                    folder.append(&row, &[])?;
                    outcome.rows.push(*row);
                }
                Measured::Interrupted => break,
            }
        }
        Ok(())
    }

    /// Window of a point, with `left` points remaining.
    fn length(&self, left: usize) -> WindowLength {
        let share = |time: Duration| time.mul_f64(IN_WINDOW / left.max(1) as f64);
        let max = self.deadline.left().map_or(Duration::MAX, share);
        WindowLength { wanted: self.request.flags.duration, max }
    }

    /// Description such as `3 of 12: time-sweep on cpu, 2 streams of 1 thread, batch 4`.
    fn describe_point(&self, number: usize, point: &PointSpec) -> String {
        let plan = &self.planned.plan;
        let threads = plan.teams[point.candidate.team].layout.threads;
        format!(
            "{} of {}: {} on {}, {} of {}, batch {}{}",
            number + 1,
            self.planned.points.len(),
            plan.variant(&point.candidate).name,
            point.device_set,
            units::counted(point.streams, "stream"),
            units::counted(threads, "thread"),
            point.batch,
            match point.processes {
                1 => String::new(),
                several => format!(", {}", processes_in_words(several)),
            }
        )
    }
}

/// Note on points without results because time ran out.
fn left_out(budget: Option<Duration>, points: usize) -> String {
    let budget = budget.map_or_else(String::new, |it| humantime::format_duration(it).to_string());
    format!(
        "--budget {budget} was over before {}; results so far are complete",
        units::counted(points, "point")
    )
}
