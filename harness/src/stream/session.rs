//! Execution of a stream run: folder, data, and one device and speed after the other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reports::clock::exactly;
use reports::record::{RunRecord, YesNo};
use reports::stream::{StreamRow, TimesliceRow, WRONG, short};
use reports::{charts, units};
use tasks::algorithm::{Segments, Semantics};
use tasks::open_loop::FrameSums;
use text::Untrusted;

use super::data::{Content, Data, Size, Variation};
use super::dispatcher::Dispatcher;
use super::live::Live;
use super::plan::{Planned, StreamPoint, max_speed};
use super::protocol::{ResultDigest, WorkerRefusal};
use super::schedule::{PreparedCounts, Schedule, StartMissed, StartTime};
use super::source::Emitting;
use super::speed::{SpeedContext, SpeedResult, Stream, guess, search_limit, words_of_limit};
use super::timeslice_log::TimesliceLog;
use super::workers::{Readiness, Workers};
use super::{StreamError, ring, tally};
use crate::energy::EnergyMeters;
use crate::measure::{MeasureError, RunSpec, StreamsRun};
use crate::plan::Origin;
use crate::platform::Interrupt;
use crate::platform::shared_memory::SharedMemory;
use crate::request::{DeviceSet, StreamRequest};

/// Note for a source without real-time priority.
const NO_PRIORITY: &str = "the system gives the source no priority over others, so timeslices may be \
    emitted late where they work on the same CPUs; run as root, or after `ulimit -r 1`";

/// Result of a run.
pub(crate) type StreamResult = StreamsRun<StreamRow>;

/// A request that is being executed.
pub(crate) struct Session<'a> {
    request: &'a StreamRequest,
    planned: &'a Planned,
    interrupt: &'a Interrupt,
    report: &'a dyn Fn(&str),
    live: Live,
}

/// Prepared timeslices in shared memory, with their properties.
struct Ring {
    memory: SharedMemory,
    sizes: Vec<Size>,
    item_unit: &'static str,
    /// Reference results by semantics.
    expected: Vec<(Semantics, Vec<FrameSums>)>,
    /// Semantics of each point.
    semantics: Vec<Semantics>,
    prepared: PreparedCounts,
    timeslice_ns: u64,
}

/// A device with its workers.
struct DeviceRun<'s> {
    point: &'s StreamPoint,
    ring: &'s Ring,
    /// Digests of the reference results.
    expected: Vec<ResultDigest>,
    dispatcher: Arc<Dispatcher>,
    workers: Workers,
    meters: &'s EnergyMeters,
}

impl<'a> Session<'a> {
    /// Runs all devices and speeds; `report` receives progress messages. After an error, results so
    /// far are on disk.
    pub(crate) fn run(
        request: &'a StreamRequest,
        planned: &'a Planned,
        interrupt: &'a Interrupt,
        report: &'a dyn Fn(&str),
    ) -> Result<StreamResult, StreamError> {
        let live = Live::start(&request.flags)?;
        Session { request, planned, interrupt, report, live }.carry_out()
    }

    fn carry_out(mut self) -> Result<StreamResult, StreamError> {
        if let Some(url) = self.live.url() {
            (self.report)(&format!("metrics are at {url}"));
        }
        let flags = &self.request.flags;
        let planned = self.planned;
        let sets = planned.points.iter().map(|point| &point.device_set);
        let devices = sets.flat_map(DeviceSet::devices).copied();
        let meters = EnergyMeters::for_run(&flags.energy, devices, self.report);
        let ring = self.prepare()?;
        meters.start_command();
        let run_spec = RunSpec::for_task(&self.request.measuring, &planned.plan);
        let out = flags.out.as_deref();
        let mut run = StreamsRun::start("stream", out, &run_spec, &planned.notes)?;
        (self.report)(&format!("results go to {}", run.path().escaped()));
        let mut remarks = BTreeSet::new();
        let mut timeslices = Vec::new();
        for index in 0..planned.points.len() {
            if !self.interrupt.asked() {
                let mut output = StreamOutput {
                    run: &mut run,
                    remarks: &mut remarks,
                    timeslices: &mut timeslices,
                    meters: &meters,
                };
                let notes = self.run_point(index, &ring, &mut output)?;
                run.record.notes.extend(notes);
            }
        }
        meters.stop_command();
        meters.describe_in(&mut run.record);
        run.record.notes.extend(self.live.end());
        run.record.notes.extend(remarks.into_iter().map(str::to_owned));
        let draw =
            |record: &RunRecord, rows: &[StreamRow]| charts::draw_stream(record, rows, &timeslices);
        run.finish(self.interrupt.asked(), flags.charts.then_some(draw))?;
        Ok(run)
    }

    /// Generates or reads timeslices, computes reference results, and puts the timeslices into
    /// shared memory.
    fn prepare(&self) -> Result<Ring, StreamError> {
        let flags = &self.request.flags;
        (self.report)("preparing timeslices and reference results");
        let data = match (&self.planned.params, &self.planned.plan.inputs[0].origin) {
            (Some(params), _) | (None, Origin::Generated(params)) => {
                let variation = Variation {
                    ring: flags.ring as usize,
                    jitter: flags.jitter,
                    has_pauses: flags.spill.is_some(),
                    seed: self.request.measuring.settings.seed,
                };
                Data::simulated(self.request.task, params, &variation)
            }
            (None, Origin::Read { files, options, .. }) => {
                let timeslice = flags.timeslice.expect("files were refused without --timeslice");
                Data::read(self.request.task, files, options, timeslice.as_nanos() as u64)
            }
        };
        let data = data.map_err(MeasureError::from)?;
        let mut expected: Vec<(Semantics, Vec<FrameSums>)> = Vec::new();
        let mut semantics = Vec::new();
        for point in &self.planned.points {
            let of_point = Planned::semantics(self.request.task, point, &*data.frames);
            if !expected.iter().any(|(known, _)| *known == of_point) {
                let found = data.expected(of_point, self.planned.stage.as_ref());
                expected.push((of_point, found.map_err(MeasureError::from)?));
            }
            semantics.push(of_point);
        }
        let length_flag = self.request.task.open_loop().length_flag;
        let no_memory = |source| StreamError::Memory { source, length_flag };
        let memory = ring::share(&*data.frames).map_err(no_memory)?;
        let (sizes, item_unit) = data.sizes();
        let prepared = data.prepared;
        let timeslice_ns = data.timeslice_ns;
        Ok(Ring { memory, sizes, item_unit, expected, semantics, prepared, timeslice_ns })
    }

    /// Runs all speeds on a device; returns a note for readers, if any.
    fn run_point(
        &self,
        index: usize,
        ring: &Ring,
        output: &mut StreamOutput<'_>,
    ) -> Result<Vec<String>, StreamError> {
        let point = &self.planned.points[index];
        let expected = ring.expected.iter().find(|(known, _)| *known == ring.semantics[index]);
        let expected = expected.map_or(&[][..], |(_, expected)| expected);
        let flags = &self.request.flags;
        let count = point.openings.len();
        let info = self.request.task.open_loop();
        let dispatcher = Dispatcher::new(count, info, expected.to_vec(), flags.check_every);
        let dispatcher = Arc::new(dispatcher);
        let mut device_run = DeviceRun {
            point,
            ring,
            expected: expected.iter().map(|it| it.digest(Segments::ALL).into()).collect(),
            workers: Workers::new(Arc::clone(&dispatcher), count),
            dispatcher,
            meters: output.meters,
        };
        if !flags.find_limit {
            for (index, &speed) in flags.speeds.iter().enumerate() {
                if self.interrupt.asked() {
                    break;
                }
                let moment = flags.moment(index);
                if self.run_speed(&mut device_run, speed, moment, output)?.is_none() {
                    break;
                }
            }
            return Ok(Vec::new());
        }
        let guess = match self.fill(&mut device_run)? {
            Ok(readiness) => guess(&readiness, count, ring.timeslice_ns),
            Err(refusal) => {
                record_refusal(self.row(&device_run, flags.speeds[0]), refusal, output)?;
                return Ok(Vec::new());
            }
        };
        let max_speed = max_speed(flags.length(), ring.timeslice_ns as f64 * 1e-9);
        let limit = search_limit(guess, max_speed, |speed| {
            if self.interrupt.asked() {
                return Ok(None);
            }
            self.run_speed(&mut device_run, speed, None, output)
        })?;
        Ok(vec![words_of_limit(point, &limit, flags.length())])
    }

    /// Starts missing workers.
    fn fill(
        &self,
        device_run: &mut DeviceRun<'_>,
    ) -> Result<Result<Readiness, WorkerRefusal>, StreamError> {
        let openings = &device_run.point.openings;
        let filled = device_run.workers.fill(&device_run.ring.memory, openings)?;
        if let Ok(readiness) = &filled
            && readiness.seconds > 0.0
        {
            let ids: Vec<String> = device_run.workers.ids().map(|id| id.to_string()).collect();
            let ready = units::seconds(readiness.seconds, 2);
            let device = &device_run.point.device_set;
            (self.report)(&format!("workers on {device}, ready in {ready}: {}", ids.join(" ")));
        }
        Ok(filled)
    }

    /// Runs a speed, from the start time on if one is given. Returns true if workers kept up, or
    /// `None` if no further speed can be run on the device.
    fn run_speed(
        &self,
        device_run: &mut DeviceRun<'_>,
        speed: f64,
        moment: Option<SystemTime>,
        output: &mut StreamOutput<'_>,
    ) -> Result<Option<bool>, StreamError> {
        let mut row = self.row(device_run, speed);
        row.begin = moment.map(exactly).unwrap_or_default();
        if let Err(refusal) = self.fill(device_run)? {
            record_refusal(row, refusal, output)?;
            return Ok(None);
        }
        let content = Content { sizes: &device_run.ring.sizes, expected: &device_run.expected };
        (self.report)(&self.describe_speed(device_run.point, speed));
        let results = self.results_folder(device_run.point, speed)?;
        let begin = match self.begin(moment) {
            Ok(begin) => begin,
            Err(StartMissed::Stopped) => return Ok(None),
            Err(StartMissed::Late(late)) => {
                record_refusal(row, too_late(late), output)?;
                output.run.counts.failed += 1;
                return Ok(Some(false));
            }
        };
        row.begin = exactly(begin.time);
        let ran = self.stream(device_run, speed, begin, results).run(&SpeedContext {
            dispatcher: &device_run.dispatcher,
            workers: &device_run.workers,
            spare_cpu: device_run.point.spare_cpu,
            timeout: self.request.flags.timeout,
            meters: device_run.meters,
            devices: device_run.point.device_set.devices(),
            interrupt: self.interrupt,
            live: &self.live,
            follower: self.live.follow(&row, content),
            report: self.report,
        })?;
        tally::fill(&mut row, &ran, &content);
        let rows = tally::rows(&row.point_id, &ran, &content);
        if !ran.is_on_time {
            output.remarks.insert(NO_PRIORITY);
        }
        record_speed(row, rows, &ran, output)
    }

    /// Start of the speed; waits for the start time if one is given.
    fn begin(&self, moment: Option<SystemTime>) -> Result<StartTime, StartMissed> {
        let Some(moment) = moment else { return Ok(StartTime::at_once()) };
        if let Ok(left) = moment.duration_since(SystemTime::now()) {
            let left = units::seconds(left.as_secs_f64(), 3);
            (self.report)(&format!("all is ready; begins in {left}, at {}", exactly(moment)));
        }
        StartTime::wait_for(moment, || self.interrupt.asked())
    }

    fn stream(
        &self,
        device_run: &DeviceRun<'_>,
        speed: f64,
        begin: StartTime,
        results: Option<PathBuf>,
    ) -> Stream {
        let flags = &self.request.flags;
        let schedule = Schedule {
            timeslice_ns: device_run.ring.timeslice_ns,
            speed,
            spill: flags.spill,
            prepared: device_run.ring.prepared,
            seed: self.request.measuring.settings.seed,
        };
        let duration_ns = u64::try_from(flags.length().as_nanos()).unwrap_or(u64::MAX);
        let queue = flags.queue as usize;
        let capacity = schedule.due_within(duration_ns) as usize;
        Stream {
            emitting: Emitting { schedule, begin_ns: begin.ns, duration_ns },
            log: TimesliceLog::new(
                device_run.point.openings.len(),
                capacity,
                queue,
                flags.when_full,
            ),
            results,
            // A search can stop as soon as workers fall behind.
            max_waiting: flags.find_limit.then_some(queue),
        }
    }

    /// Folder for the results of a speed, if they are written.
    fn results_folder(
        &self,
        point: &StreamPoint,
        speed: f64,
    ) -> Result<Option<PathBuf>, StreamError> {
        let Some(all) = &self.request.results else { return Ok(None) };
        // The path is absolute, because workers may have another working directory.
        let all = std::path::absolute(all).unwrap_or_else(|_| all.clone());
        let own = all.join(format!("{}-{}", point.device_set, short(speed)).replace(':', "-"));
        match files::create_folder(&own) {
            Ok(()) => Ok(Some(own)),
            Err(source) => Err(StreamError::Results { path: own, source }),
        }
    }

    fn row(&self, device_run: &DeviceRun<'_>, speed: f64) -> StreamRow {
        let flags = &self.request.flags;
        let point = device_run.point;
        StreamRow {
            backend: point.backend.clone(),
            timeslice_s: device_run.ring.timeslice_ns as f64 * 1e-9,
            spill: flags.spill.map_or_else(String::new, |spill| spill.to_string()),
            jitter: flags.jitter,
            queue: flags.queue as usize,
            when_full: flags.when_full.name().to_owned(),
            item_unit: device_run.ring.item_unit.to_owned(),
            ..StreamRow::new(&point.identity, point.openings.len(), speed)
        }
    }

    /// Description such as `time-sweep on cpu, speed 2, for 20s`.
    fn describe_speed(&self, point: &StreamPoint, speed: f64) -> String {
        let length = humantime::format_duration(self.request.flags.length());
        let variant = &point.identity.variant;
        let speed = short(speed);
        format!("{variant} on {}, speed {speed}, for {length}", point.device_set)
    }
}

/// Outputs for rows: the run, and timeslices for the charts.
struct StreamOutput<'o> {
    run: &'o mut StreamResult,
    /// Notes for readers that concern the complete run, each once.
    remarks: &'o mut BTreeSet<&'static str>,
    timeslices: &'o mut Vec<TimesliceRow>,
    meters: &'o EnergyMeters,
}

/// Writes the row of a device that can't be used, or whose results are wrong.
fn record_refusal(
    row: StreamRow,
    refusal: WorkerRefusal,
    output: &mut StreamOutput<'_>,
) -> Result<(), StreamError> {
    let WorkerRefusal { problem, is_wrong } = refusal;
    let what = if is_wrong { WRONG } else { "not run" };
    let row = StreamRow { valid: YesNo::No, note: format!("{what}: {problem}"), ..row };
    output.run.counts.wrong += usize::from(is_wrong);
    Ok(output.run.append(row, &[])?)
}

fn too_late(late: Duration) -> WorkerRefusal {
    let late = units::seconds(late.as_secs_f64(), 3);
    WorkerRefusal::unable(format!(
        "it was not ready until {late} after the begin; give a later --begin"
    ))
}

/// Writes the row of a speed. Returns true if workers kept up, or `None` if no further speed can be
/// run on the device.
fn record_speed(
    row: StreamRow,
    rows: Vec<TimesliceRow>,
    ran: &SpeedResult,
    output: &mut StreamOutput<'_>,
) -> Result<Option<bool>, StreamError> {
    let has_no_workers = ran.log.has_no_workers();
    let counts = &mut output.run.counts;
    counts.measured += usize::from(row.due > 0);
    counts.wrong += usize::from(ran.is_wrong());
    counts.failed += usize::from(!ran.log.is_balanced() || has_no_workers);
    let can_continue = !ran.is_wrong() && !has_no_workers && !ran.was_interrupted;
    let kept_up = row.kept_up == YesNo::Yes;
    output.run.append(row, &rows)?;
    output.timeslices.extend(rows);
    Ok(can_continue.then_some(kept_up))
}
