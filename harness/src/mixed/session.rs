//! Execution of a mix: folder, ceilings, blocks of windows, and results.

use std::ops::Range;
use std::time::Duration;

use reports::mixed::{LoadRow, LoadWindowRow, MixedResult, NodeCpus};
use reports::record::RunRecord;
use reports::{charts, units};
use text::Untrusted;

use super::configurations::{Configuration, configurations, in_order};
use super::file::Pace;
use super::participants::{Participant, Preparation, Teams, generate};
use super::plan::{MixPlan, PlannedLoad};
use super::window::{NoRows, WindowSetup, measure};
use crate::energy::EnergyMeters;
use crate::measure::{Job, MeasureError, RunSpec, StreamsRun};
use crate::platform::{Interrupt, Topology, usable_cpus};
use crate::request::{DeviceSet, MixedRequest};
use crate::throughput::{Ceilings, Events, PointFailure, StreamGpus, remarks, with_warm_up};

/// A run with its results.
pub(crate) struct MixedOutcome {
    pub(crate) run: StreamsRun<LoadRow>,
    pub(crate) result: MixedResult,
}

/// A mix that is being measured.
pub(crate) struct Session<'a> {
    request: &'a MixedRequest,
    planned: &'a MixPlan,
    gpus: StreamGpus,
    interrupt: &'a Interrupt,
    report: &'a dyn Fn(&str),
}

impl<'a> Session<'a> {
    /// Measures all configurations; `report` receives progress messages. After an error, windows so
    /// far are on disk.
    pub(crate) fn run(
        request: &'a MixedRequest,
        planned: &'a MixPlan,
        interrupt: &'a Interrupt,
        report: &'a dyn Fn(&str),
    ) -> Result<MixedOutcome, MeasureError> {
        let gpus = StreamGpus::default();
        Session { request, planned, gpus, interrupt, report }.carry_out()
    }

    fn carry_out(&self) -> Result<MixedOutcome, MeasureError> {
        let teams = Teams::start(self.planned)?;
        let mut run = self.start()?;
        let devices = self.planned.devices();
        let energy = &self.request.energy;
        let meters = EnergyMeters::for_run(energy, devices.iter().copied(), self.report);
        let device_sets: Vec<DeviceSet> = devices.into_iter().map(DeviceSet::from).collect();
        let ceilings = Ceilings::measure(&device_sets, &self.gpus, None, self.report)?;
        run.record.ceilings.clone_from(&ceilings.named);
        run.record.notes.extend(ceilings.notes.iter().cloned());
        meters.start_command();
        meters.describe_in(&mut run.record);
        run.describe()?;
        let mut events: Vec<Events> =
            self.planned.loads.iter().map(|_| Events::default()).collect();
        let cases = generate(self.planned, &mut events, self.request.seed)?;
        let interrupt = self.interrupt;
        let mut preparation = Preparation { gpus: &self.gpus, interrupt, queues: 0 };
        let mut participants = preparation.all(self.planned, &teams, &cases, self.report);
        let setup = WindowSetup {
            ceilings: &ceilings,
            meters: &meters,
            interrupt,
            duration: self.request.window(),
        };
        let windows = self.measure_all(&setup, &mut participants, &mut run)?;
        meters.stop_command();
        meters.describe_in(&mut run.record);
        self.finish(run, participants, &windows)
    }

    /// Creates the folder.
    fn start(&self) -> Result<StreamsRun<LoadRow>, MeasureError> {
        let loads = &self.planned.loads;
        let job = |load: &'a PlannedLoad| {
            let (_, streams) = load.usable()?;
            Some(Job { request: &load.request, plan: &streams.plan })
        };
        let jobs = loads.iter().filter_map(job).collect();
        let out = self.request.out.clone().unwrap_or_default();
        let run_spec = RunSpec::new(&self.request.command, jobs, out);
        let mut run = StreamsRun::start("mixed", self.request.out.as_deref(), &run_spec, &[])?;
        for load in loads.iter().filter(|load| load.streams.is_err()) {
            let device = load.spec.device().to_string();
            if !run.record.missing_devices.contains(&device) {
                run.record.missing_devices.push(device);
            }
        }
        (self.report)(&format!("results go to {}", run.path().escaped()));
        Ok(run)
    }

    /// Measures all blocks; after a load has failed, all of them anew without it. Returns the windows
    /// of the last attempt.
    fn measure_all(
        &self,
        setup: &WindowSetup<'_>,
        participants: &mut [Participant<'_>],
        run: &mut StreamsRun<LoadRow>,
    ) -> Result<Vec<LoadWindowRow>, MeasureError> {
        for attempt in 0.. {
            let ready = |indices: Range<usize>| -> Vec<usize> {
                indices.filter(|&index| participants[index].failure.is_none()).collect()
            };
            let count = self.planned.loads.len();
            let loads = ready(0..count);
            let backgrounds = ready(count..participants.len());
            if loads.is_empty() || self.interrupt.asked() {
                break;
            }
            let all = configurations(&loads, &backgrounds);
            (self.report)(&self.estimate(&all, participants));
            let mut windows = Vec::new();
            let ended = self.measure_blocks(setup, participants, &all, |rows| {
                let rows: Vec<_> =
                    rows.into_iter().map(|row| LoadWindowRow { attempt, ..row }).collect();
                run.append_details(&rows)?;
                windows.extend(rows);
                Ok(())
            })?;
            match ended {
                Some(NoRows::Failed(index, failure)) => {
                    let participant = &mut participants[index];
                    let name = &participant.row.load;
                    (self.report)(&format!("{name} has failed: all is measured anew without it"));
                    participant.failure = Some(failure);
                }
                Some(NoRows::Interrupted) | None => return Ok(windows),
            }
        }
        Ok(Vec::new())
    }

    /// Measures all configurations in each block; returns the reason for an early end.
    fn measure_blocks(
        &self,
        setup: &WindowSetup<'_>,
        participants: &mut [Participant<'_>],
        all: &[Configuration],
        mut store: impl FnMut(Vec<LoadWindowRow>) -> Result<(), MeasureError>,
    ) -> Result<Option<NoRows>, MeasureError> {
        for block in 0..self.request.blocks as usize {
            (self.report)(&format!("block {} of {}", block + 1, self.request.blocks));
            for (order, members) in in_order(all, block).iter().enumerate() {
                if self.interrupt.asked() {
                    return Ok(Some(NoRows::Interrupted));
                }
                match measure(setup, participants, members) {
                    Ok(rows) => {
                        let rows = rows.into_iter();
                        store(rows.map(|row| LoadWindowRow { block, order, ..row }).collect())?;
                    }
                    Err(reason) => return Ok(Some(reason)),
                }
            }
        }
        Ok(None)
    }

    /// `7 configurations in 5 blocks: about 42 s, longer for long events`.
    fn estimate(&self, all: &[Configuration], participants: &[Participant<'_>]) -> String {
        let interval = |&index: &usize| match participants[index].pace {
            Pace::Closed { .. } => Duration::ZERO,
            Pace::Open { rate } => Duration::from_secs_f64(1.0 / rate),
        };
        let window = |members: &Configuration| {
            let longest = members.iter().map(interval).max().unwrap_or_default();
            with_warm_up(self.request.window(), longest).as_secs_f64()
        };
        let seconds = self.request.blocks as f64 * all.iter().map(window).sum::<f64>();
        format!(
            "{} in {} blocks: about {}, longer for long events",
            units::counted(all.len(), "configuration"),
            self.request.blocks,
            units::seconds(seconds, 2)
        )
    }

    /// Evaluates the windows, and completes the folder.
    fn finish(
        &self,
        mut run: StreamsRun<LoadRow>,
        participants: Vec<Participant<'_>>,
        windows: &[LoadWindowRow],
    ) -> Result<MixedOutcome, MeasureError> {
        let mut rows = Vec::new();
        for participant in participants {
            let notes = remarks(&participant.streams);
            let mut row = participant.row;
            row.valid = participant.failure.is_none().into();
            row.note = match participant.failure {
                None => notes.join("; "),
                Some(PointFailure::Wrong(note)) => {
                    run.counts.wrong += 1;
                    note
                }
                Some(PointFailure::Unavailable(note)) => {
                    run.counts.missing += 1;
                    note
                }
                Some(PointFailure::Interrupted) => "interrupted".to_owned(),
            };
            rows.push(row);
        }
        let result = MixedResult::new(rows, windows, node());
        for row in &result.loads {
            let is_measured = row.is_valid() && !row.is_background() && row.blocks > 0;
            run.counts.measured += usize::from(is_measured);
            run.append(row.clone(), &[])?;
        }
        run.folder().write_matrix(&result.slowdowns)?;
        let draw = |_: &RunRecord, _: &[LoadRow]| charts::draw_mixed(&result);
        run.finish(self.interrupt.asked(), self.request.charts.then_some(draw))?;
        Ok(MixedOutcome { run, result })
    }
}

/// CPUs that this process may use, and their cores.
fn node() -> NodeCpus {
    let usable = usable_cpus();
    let topology = Topology::this_machine();
    let cpus = topology.cpus.iter().filter(|cpu| usable.contains(&cpu.number));
    let mut cores: Vec<usize> = cpus.map(|cpu| cpu.core).collect();
    cores.sort_unstable();
    cores.dedup();
    NodeCpus { cpus: usable.len(), cores: cores.len() }
}
