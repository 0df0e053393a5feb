//! Traces of streams of events: their deliveries and the events themselves, stream by stream.

use std::collections::HashMap;

use super::model::{Slice, Trace, arguments};
use crate::throughput::{EventRow, ThroughputRow};

/// Trace of the events of a run.
pub fn trace(rows: &[ThroughputRow], events: &[EventRow]) -> Trace {
    let mut trace = Trace::default();
    let mut points: HashMap<&str, Vec<&EventRow>> = HashMap::new();
    for event in events {
        points.entry(&event.point_id).or_default().push(event);
    }
    let mut begin_s = 0.0;
    for row in rows {
        let events = points.remove(row.point_id.as_str()).unwrap_or_default();
        let process =
            trace.process(&format!("{} {} on {}", row.algorithm, row.variant, row.device));
        let meters = [("CPU", row.cpu_w), ("GPU", row.gpu_w), ("command", row.command_w)];
        process.mean_power(begin_s, meters);
        // Events may begin before the window and end after it.
        let first_s = events.iter().map(|event| event.begin_s).fold(0.0, f64::min);
        let base_s = begin_s - first_s;
        let mut end_s = base_s + row.window_s.unwrap_or(0.0);
        for event in events {
            let track = format!("stream {}", event.stream);
            let [delivery, work] = slices(row, event, base_s);
            end_s = end_s.max(work.end_s());
            process.add(&track, delivery);
            process.add(&track, work);
        }
        begin_s = end_s;
    }
    trace.note("windows follow one another: the time between them was not recorded".to_owned());
    trace.note(super::NO_STAGES.to_owned());
    trace
}

/// Delivery and work of an event.
fn slices(row: &ThroughputRow, event: &EventRow, base_s: f64) -> [Slice; 2] {
    let start_s = base_s + event.begin_s;
    let arguments = arguments([
        ("streams", row.streams.into()),
        ("point", row.point_id.as_str().into()),
        ("params", row.params.to_string().into()),
    ]);
    let delivery = Slice {
        name: "delivery".to_owned(),
        category: "delivery",
        start_s,
        seconds: event.delivery_s,
        arguments: arguments.clone(),
        flow: None,
    };
    let work = Slice {
        name: format!("event {}", event.event),
        category: "event",
        start_s: start_s + event.delivery_s,
        seconds: event.seconds,
        arguments,
        flow: None,
    };
    [delivery, work]
}
