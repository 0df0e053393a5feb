//! Traces of streams: timeslices from their arrival through a queue and a worker to their results.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use serde_json::Value;

use super::model::{Flow, FlowStep, Process, Slice, Trace, arguments};
use crate::clock;
use crate::store::StreamRun;
use crate::stream::{StreamRow, TimesliceRow, TimesliceState};

/// Category of slices.
const TIMESLICE: &str = "timeslice";
/// Length of slices that stand for a moment.
const MOMENT_S: f64 = 1e-9;

/// Trace of the timeslices of a stream.
pub fn trace(run: &StreamRun) -> Trace {
    let mut trace = Trace::default();
    let started = clock::parse(&run.record.started);
    let mut points: HashMap<&str, Vec<&TimesliceRow>> = HashMap::new();
    for timeslice in &run.timeslices {
        points.entry(&timeslice.point_id).or_default().push(timeslice);
    }
    let mut arrows = 0;
    let mut end_s = 0.0;
    for row in &run.rows {
        let timeslices = points.remove(row.point_id.as_str()).unwrap_or_default();
        let begin_s = begin_of(row, started).unwrap_or_else(|| {
            trace.note(
                "the start of an emission is unknown: speeds follow one another, without the time \
                 between them"
                    .to_owned(),
            );
            end_s
        });
        end_s = f64::max(end_s, begin_s + row.duration_s);
        power(trace.process(&name(row, "")), row, begin_s);
        let mut nodes: BTreeMap<&str, Vec<&TimesliceRow>> = BTreeMap::new();
        for timeslice in timeslices {
            nodes.entry(&timeslice.node).or_default().push(timeslice);
        }
        for (node, timeslices) in nodes {
            let process = trace.process(&name(row, node));
            let mut timeline = Emission { process, begin_s, speed: row.speed, arrows: &mut arrows };
            timeline.add(&timeslices);
        }
    }
    if trace.processes.iter().flat_map(|it| &it.tracks).all(|it| it.name != BUILDING) {
        trace.note(super::NO_STAGES.to_owned());
    }
    trace
}

/// Name of the stage after the task.
const BUILDING: &str = "event building";

/// Seconds from the start of the run to that of an emission.
fn begin_of(row: &StreamRow, started: Option<SystemTime>) -> Option<f64> {
    let begin = clock::parse(&row.begin)?;
    // The start of a run is recorded to the second.
    Some(begin.duration_since(started?).ok()?.as_secs_f64())
}

fn name(row: &StreamRow, node: &str) -> String {
    let node = if node.is_empty() { String::new() } else { format!(", node {node}") };
    format!("{} {} on {}{node}", row.algorithm, row.variant, row.device)
}

/// Mean power of an emission, by each meter.
fn power(process: &mut Process, row: &StreamRow, begin_s: f64) {
    if row.duration_s > 0.0 {
        let meters = [("CPU", row.cpu_j), ("GPU", row.gpu_j), ("command", row.command_j)];
        let watts = |joules: f64| joules / row.duration_s;
        process.mean_power(begin_s, meters.map(|(meter, joules)| (meter, joules.map(watts))));
    }
}

/// Timeslices of a node at one speed.
struct Emission<'t> {
    process: &'t mut Process,
    begin_s: f64,
    speed: f64,
    /// Id of the last arrow.
    arrows: &'t mut u64,
}

impl Emission<'_> {
    fn add(&mut self, timeslices: &[&TimesliceRow]) {
        let next_due = timeslices.iter().skip(1).map(|next| next.due_s);
        let next_due = next_due.chain([f64::INFINITY]);
        for (timeslice, next_s) in timeslices.iter().zip(next_due) {
            self.timeslice(timeslice, next_s);
        }
        let mut waiting = 0.0;
        for Change { at_s, by } in backlog(timeslices) {
            waiting += by;
            self.process.count("backlog", self.begin_s + at_s, waiting);
        }
    }

    fn timeslice(&mut self, timeslice: &TimesliceRow, next_s: f64) {
        *self.arrows += 1;
        let due_s = timeslice.due_s;
        let late_s = timeslice.emitted_s.unwrap_or(due_s) - due_s;
        let free_s = f64::max(next_s - due_s, MOMENT_S);
        let arrival = self.slice(timeslice, due_s, late_s.clamp(MOMENT_S, free_s));
        self.process.add("arrivals", self.step(arrival, FlowStep::Start));
        let Some(begun_s) = timeslice.begun_s else { return };
        if let Some(emitted_s) = timeslice.emitted_s {
            let waiting = self.slice(timeslice, emitted_s, f64::max(begun_s - emitted_s, 0.0));
            self.process.add_waiting("queue", waiting);
        }
        let ended_s = timeslice.ended_s.unwrap_or(begun_s);
        let worker = match timeslice.worker {
            Some(worker) => format!("worker {worker}"),
            None => "a worker".to_owned(),
        };
        let work = self.slice(timeslice, begun_s, f64::max(ended_s - begun_s, MOMENT_S));
        self.process.add(&worker, self.step(work, FlowStep::Continue));
        if timeslice.ended_s.is_none() {
            return;
        }
        if let Some(building_s) = timeslice.building_s {
            let building = self.slice(timeslice, ended_s - building_s, building_s);
            let building = Slice { name: BUILDING.to_owned(), category: "stage", ..building };
            self.process.add(&worker, building);
        }
        if let Some(check_s) = timeslice.check_s {
            let check = self.slice(timeslice, ended_s, check_s);
            let check = Slice { name: "comparison".to_owned(), category: "check", ..check };
            self.process.add(&worker, check);
        }
        let result = self.slice(timeslice, ended_s, MOMENT_S);
        self.process.add("results", self.step(result, FlowStep::End));
    }

    /// Adds a part of the arrow of the present timeslice.
    fn step(&self, slice: Slice, step: FlowStep) -> Slice {
        Slice { flow: Some(Flow { id: *self.arrows, step }), ..slice }
    }

    fn slice(&self, timeslice: &TimesliceRow, start_s: f64, seconds: f64) -> Slice {
        let number = |number: Option<f64>| number.map_or(Value::Null, Value::from);
        Slice {
            name: format!("timeslice {}", timeslice.timeslice),
            category: TIMESLICE,
            start_s: self.begin_s + start_s,
            seconds,
            arguments: arguments([
                ("speed", self.speed.into()),
                ("data", timeslice.data.into()),
                ("fate", timeslice.fate.to_string().into()),
                ("digis", timeslice.digis.into()),
                ("latency_s", number(timeslice.latency_s())),
            ]),
            flow: None,
        }
    }
}

/// Change of the number of timeslices that wait for a worker.
struct Change {
    at_s: f64,
    by: f64,
}

/// Changes of that number in order of time; timeslices that were delayed by a full queue wait, too.
fn backlog(timeslices: &[&TimesliceRow]) -> Vec<Change> {
    let mut changes = Vec::new();
    for timeslice in timeslices.iter().filter(|it| it.fate != TimesliceState::Dropped) {
        changes.push(Change { at_s: timeslice.due_s, by: 1.0 });
        let begun_s = timeslice.begun_s.map(|begun_s| f64::max(begun_s, timeslice.due_s));
        changes.extend(begun_s.map(|at_s| Change { at_s, by: -1.0 }));
    }
    // Of changes at the same time arrivals are first, so that the number is never negative.
    changes.sort_by(|a, b| a.at_s.total_cmp(&b.at_s).then(b.by.total_cmp(&a.by)));
    changes
}
