//! Execution of a throughput run: folder, ceilings, and one point after the other.

use std::time::{Duration, Instant};

use reports::throughput::ThroughputRow;
use reports::{charts, units};
use text::Untrusted;

use super::ceilings::Ceilings;
use super::multiprocess::{self, WorkerPool};
use super::placement::StreamGpus;
use super::plan::{PointSpec, StreamPlan, processes_in_words};
use super::point::{Command, Measured, Setup, WindowLength, measure};
use super::stream::Events;
use crate::energy::EnergyMeters;
use crate::measure::{CEILINGS, Deadline, MeasureError, RunSpec, StreamsRun};
use crate::platform::Interrupt;
use crate::request::{DeviceSet, ThroughputRequest};

/// Share of a point's time for its window, if the run has a time limit: the rest is for generating,
/// checking and warm-up.
const IN_WINDOW: f64 = 0.5;

/// Result of a run.
pub(crate) type ThroughputResult = StreamsRun<ThroughputRow>;

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
    /// Measures all points; `report` receives progress messages. After an error, results so far are
    /// on disk.
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
        let flags = &self.request.flags;
        let planned = self.planned;
        let name = format!("throughput-{}", planned.plan.task().name());
        let run_spec = RunSpec::for_task(&self.request.measuring, &planned.plan);
        let mut run = StreamsRun::start(&name, flags.out.as_deref(), &run_spec, &planned.notes)?;
        (self.report)(&format!("results go to {}", run.path().escaped()));
        let devices = self.request.device_sets.iter().flat_map(DeviceSet::devices).copied();
        let meters = EnergyMeters::for_run(&flags.energy, devices, self.report);
        let time = flags.budget.map(|budget| budget.mul_f64(CEILINGS));
        let ceilings = Ceilings::measure(&self.request.device_sets, &self.gpus, time, self.report)?;
        run.record.ceilings.clone_from(&ceilings.named);
        run.record.notes.extend(ceilings.notes.iter().cloned());
        meters.start_command();
        meters.describe_in(&mut run.record);
        run.describe()?;
        self.measure_all(&ceilings, &meters, &mut run)?;
        meters.stop_command();
        meters.describe_in(&mut run.record);
        run.finish(self.interrupt.asked(), flags.charts.then_some(charts::draw_throughput))?;
        Ok(run)
    }

    fn measure_all(
        &self,
        ceilings: &Ceilings,
        meters: &EnergyMeters,
        run: &mut ThroughputResult,
    ) -> Result<(), MeasureError> {
        let setup = Setup {
            plan: &self.planned.plan,
            gpus: &self.gpus,
            ceilings,
            meters,
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
                run.record.notes.push(left_out(self.request.flags.budget, left));
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
                    run.append(*row, &written)?;
                    run.counts.measured += 1;
                }
                Measured::Wrong(row) => {
                    run.append(*row, &[])?;
                    run.counts.wrong += 1;
                }
                Measured::Unavailable(row) => run.append(*row, &[])?,
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
