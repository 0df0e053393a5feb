//! Chrome's trace format, which Perfetto reads: an object with `traceEvents`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::lanes::{Placed, lanes, nanoseconds};
use super::model::{Counter, FlowStep, Process, Slice, Trace, TrackKind};

/// Nanoseconds in the unit of times.
const UNIT: f64 = 1e3;
/// Name and category of arrows.
const FLOW: &str = "flow";

/// An event. Times are in microseconds from the start of the run.
#[derive(Default, Serialize)]
struct Event<'t> {
    #[serde(rename = "ph")]
    phase: &'static str,
    name: &'t str,
    #[serde(rename = "cat", skip_serializing_if = "str::is_empty")]
    category: &'t str,
    #[serde(rename = "ts", skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    #[serde(rename = "dur", skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    #[serde(rename = "pid")]
    process: usize,
    #[serde(rename = "tid")]
    thread: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// `e` binds an arrow to the slice that encloses its time.
    #[serde(rename = "bp", skip_serializing_if = "str::is_empty")]
    binding: &'static str,
    #[serde(rename = "args", skip_serializing_if = "Map::is_empty")]
    arguments: Map<String, Value>,
}

/// Writes a trace.
///
/// # Errors
/// If it can't be written.
pub fn write(trace: &Trace, file: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer { file, is_first: true, thread: 0, waiting: 0 };
    writer.file.write_all(b"{\"traceEvents\":[")?;
    for (index, process) in trace.processes.iter().enumerate() {
        writer.process(index + 1, process)?;
    }
    let mut metadata = trace.metadata.clone();
    metadata.insert("notes".to_owned(), json!(trace.notes));
    writer.file.write_all(b"\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":")?;
    serde_json::to_writer(&mut *writer.file, &metadata)?;
    writer.file.write_all(b"}\n")
}

/// True if a file contains a trace in this format.
pub fn is_trace(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\"traceEvents\":[")
}

/// The file with its last thread and the last id of what waited.
struct Writer<'f> {
    file: &'f mut dyn Write,
    is_first: bool,
    thread: usize,
    waiting: u64,
}

impl Writer<'_> {
    /// One event a line.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let separator: &[u8] = if self.is_first { b"\n" } else { b",\n" };
        self.is_first = false;
        self.file.write_all(separator)?;
        Ok(serde_json::to_writer(&mut *self.file, event)?)
    }

    fn process(&mut self, id: usize, process: &Process) -> io::Result<()> {
        self.describe("process_name", id, 0, "name", process.name.as_str().into())?;
        self.describe("process_sort_index", id, 0, "sort_index", id.into())?;
        for track in &process.tracks {
            match track.kind {
                TrackKind::Nested => {
                    for (lane, slices) in lanes(&track.slices).iter().enumerate() {
                        let thread = self.thread(id, &track.name, lane)?;
                        slices.iter().try_for_each(|slice| self.slice(id, thread, slice))?;
                    }
                }
                TrackKind::Queue => {
                    let mut waiting = track.slices.iter();
                    waiting.try_for_each(|slice| self.waiting(id, &track.name, slice))?;
                }
            }
        }
        process.counters.iter().try_for_each(|counter| self.counter(id, counter))
    }

    /// Names a lane; returns its thread.
    fn thread(&mut self, process: usize, track: &str, lane: usize) -> io::Result<usize> {
        self.thread += 1;
        let thread = self.thread;
        let name = if lane == 0 { track.to_owned() } else { format!("{track} ({})", lane + 1) };
        self.describe("thread_name", process, thread, "name", name.into())?;
        self.describe("thread_sort_index", process, thread, "sort_index", thread.into())?;
        Ok(thread)
    }

    fn describe(
        &mut self,
        what: &str,
        process: usize,
        thread: usize,
        name: &str,
        value: Value,
    ) -> io::Result<()> {
        let arguments = Map::from_iter([(name.to_owned(), value)]);
        self.event(&Event {
            phase: "M",
            name: what,
            process,
            thread,
            arguments,
            ..Event::default()
        })
    }

    fn slice(&mut self, process: usize, thread: usize, placed: &Placed<'_>) -> io::Result<()> {
        let Placed { slice, start_ns, end_ns } = *placed;
        let time = Some(microseconds(start_ns));
        self.event(&Event {
            phase: "X",
            name: &slice.name,
            category: slice.category,
            time,
            duration: Some(microseconds(end_ns - start_ns)),
            process,
            thread,
            arguments: slice.arguments.clone(),
            ..Event::default()
        })?;
        let Some(flow) = slice.flow else { return Ok(()) };
        let (phase, binding) = match flow.step {
            FlowStep::Start => ("s", ""),
            FlowStep::Continue => ("t", "e"),
            FlowStep::End => ("f", "e"),
        };
        self.event(&Event {
            phase,
            name: FLOW,
            category: FLOW,
            time,
            process,
            thread,
            id: Some(flow.id),
            binding,
            ..Event::default()
        })
    }

    /// A slice that may overlap others of its name.
    fn waiting(&mut self, process: usize, track: &str, slice: &Slice) -> io::Result<()> {
        self.waiting += 1;
        let placed = Placed::new(slice);
        let event = |phase, time, arguments| Event {
            phase,
            name: track,
            category: slice.category,
            time: Some(microseconds(time)),
            process,
            id: Some(self.waiting),
            arguments,
            ..Event::default()
        };
        let start = event("b", placed.start_ns, slice.arguments.clone());
        let end = event("e", placed.end_ns, Map::new());
        self.event(&start)?;
        self.event(&end)
    }

    fn counter(&mut self, process: usize, counter: &Counter) -> io::Result<()> {
        for value in &counter.values {
            self.event(&Event {
                phase: "C",
                name: &counter.name,
                time: Some(microseconds(nanoseconds(value.at_s))),
                process,
                arguments: Map::from_iter([("value".to_owned(), value.value.into())]),
                ..Event::default()
            })?;
        }
        Ok(())
    }
}

fn microseconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / UNIT
}
