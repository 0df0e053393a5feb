//! The metrics of a stream: their names, and their values at a speed.

use super::{Histogram, LiveStream, LiveWorker};

/// A metric.
pub struct Metric {
    /// Name in Prometheus: with the unit, and `_total` for counters.
    pub name: &'static str,
    /// Kind of the metric.
    pub kind: Kind,
    /// Description.
    pub help: &'static str,
    of: fn(&LiveStream) -> Reading<'_>,
}

/// Kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only increases.
    Counter,
    /// It can increase and decrease.
    Gauge,
    /// Counters of times in buckets.
    Histogram,
}

/// Value of a metric at a speed.
enum Reading<'a> {
    Number(f64),
    /// Numbers, distinguished by the values of a label.
    Each(&'static str, Vec<(String, f64)>),
    Times(&'a Histogram),
}

/// A number, with its suffix and label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    /// Suffix of the metric's name.
    pub(super) suffix: &'static str,
    pub(super) label: Option<(&'static str, String)>,
    pub(super) value: f64,
}

const PREFIX: &str = "recobench_stream_";

const fn metric(
    kind: Kind,
    [name, help]: [&'static str; 2],
    of: fn(&LiveStream) -> Reading<'_>,
) -> Metric {
    Metric { name, kind, help, of }
}

/// All metrics.
pub const METRICS: [Metric; 25] = [
    metric(
        Kind::Gauge,
        ["recobench_stream_running", "1 while timeslices arrive or are processed, else 0."],
        |it| flag(it.is_running),
    ),
    metric(
        Kind::Gauge,
        ["recobench_stream_valid", "1 if all results that were compared were right, else 0."],
        |it| flag(it.is_valid),
    ),
    metric(
        Kind::Gauge,
        ["recobench_stream_timeslice_seconds", "The detector's time in a timeslice."],
        |it| Reading::Number(it.timeslice_s),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_timeslices_due_total", "Timeslices that were due."],
        |it| number(it.due),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_timeslices_emitted_total", "Timeslices that were emitted."],
        |it| number(it.emitted),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_timeslices_total", "Timeslices by final state."],
        by_state,
    ),
    metric(
        Kind::Counter,
        [
            "recobench_stream_timeslices_repeated_total",
            "Timeslices that were handed to a second worker, because the first one was lost.",
        ],
        |it| number(it.repeated),
    ),
    metric(
        Kind::Counter,
        [
            "recobench_stream_timeslices_checked_total",
            "Timeslices whose results were compared with the reference.",
        ],
        |it| number(it.checked),
    ),
    metric(
        Kind::Gauge,
        ["recobench_stream_backlog", "Timeslices that are due and that no worker has begun."],
        |it| number(it.backlog()),
    ),
    metric(Kind::Gauge, ["recobench_stream_waiting", "Timeslices that wait in the queue."], |it| {
        number(it.waiting)
    }),
    metric(
        Kind::Counter,
        ["recobench_stream_digis_total", "Digis of timeslices that are done."],
        |it| number(it.digis),
    ),
    metric(
        Kind::Counter,
        [
            "recobench_stream_bytes_total",
            "Bytes of timeslices that are done, as digis or as raw data.",
        ],
        |it| number(it.bytes),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_clusters_total", "Clusters in timeslices that are done."],
        |it| number(it.clusters),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_hits_total", "Hits in timeslices that are done."],
        |it| number(it.hits),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_events_total", "Events built of timeslices that are done."],
        |it| number(it.events),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_event_digis_total", "Digis in any event, each counted once."],
        |it| number(it.event_digis),
    ),
    metric(
        Kind::Counter,
        [
            "recobench_stream_event_building_seconds_total",
            "Time that workers spent on building events of completed timeslices.",
        ],
        |it| Reading::Number(it.building_s),
    ),
    metric(
        Kind::Histogram,
        ["recobench_stream_latency_seconds", "Time from when a timeslice was due to its result."],
        |it| Reading::Times(&it.latency),
    ),
    metric(
        Kind::Histogram,
        ["recobench_stream_work_seconds", "Processing time of a timeslice in its worker."],
        |it| Reading::Times(&it.work),
    ),
    metric(
        Kind::Histogram,
        [
            "recobench_stream_emission_lateness_seconds",
            "Delay of the emission of a timeslice, unless the queue was full.",
        ],
        |it| Reading::Times(&it.lateness),
    ),
    metric(Kind::Gauge, ["recobench_stream_workers", "Workers that are running."], |it| {
        number(it.workers.iter().filter(|worker| worker.is_there).count() as u64)
    }),
    metric(
        Kind::Counter,
        ["recobench_stream_workers_lost_total", "Workers that were lost."],
        |it| number(it.workers.iter().filter(|worker| !worker.is_there).count() as u64),
    ),
    metric(
        Kind::Gauge,
        ["recobench_stream_worker_up", "1 if the worker is running, 0 if it was lost."],
        |it| each_worker(it, |worker| f64::from(u8::from(worker.is_there))),
    ),
    metric(
        Kind::Counter,
        ["recobench_stream_worker_timeslices_total", "Timeslices that the worker has done."],
        |it| each_worker(it, |worker| worker.done as f64),
    ),
    metric(
        Kind::Counter,
        [
            "recobench_stream_worker_busy_seconds_total",
            "Time that the worker was busy with completed timeslices.",
        ],
        |it| each_worker(it, |worker| worker.busy_s),
    ),
];

fn number(count: u64) -> Reading<'static> {
    Reading::Number(count as f64)
}

fn flag(is_so: bool) -> Reading<'static> {
    number(is_so.into())
}

fn by_state(stream: &LiveStream) -> Reading<'_> {
    let LiveStream { done, lost, dropped, left, .. } = *stream;
    let states = [("done", done), ("lost", lost), ("dropped", dropped), ("backlog", left)];
    Reading::Each("state", states.map(|(name, count)| (name.to_owned(), count as f64)).to_vec())
}

fn each_worker(stream: &LiveStream, of: fn(&LiveWorker) -> f64) -> Reading<'_> {
    let workers = stream.workers.iter().enumerate();
    Reading::Each("worker", workers.map(|(number, it)| (number.to_string(), of(it))).collect())
}

impl Metric {
    /// The name without the common prefix.
    pub(super) fn short_name(&self) -> &'static str {
        self.name.strip_prefix(PREFIX).unwrap_or(self.name)
    }

    /// The numbers of the metric at a speed.
    pub(super) fn samples(&self, stream: &LiveStream) -> Vec<Sample> {
        let plain = |suffix, value| Sample { suffix, label: None, value };
        match (self.of)(stream) {
            Reading::Number(value) => vec![plain("", value)],
            Reading::Each(name, values) => values
                .into_iter()
                .map(|(of, value)| Sample { suffix: "", label: Some((name, of)), value })
                .collect(),
            Reading::Times(times) => {
                let buckets = times.cumulative().map(|(bound, count)| Sample {
                    suffix: "_bucket",
                    label: Some(("le", upper_end(bound))),
                    value: count as f64,
                });
                let all = [plain("_sum", times.sum()), plain("_count", times.count() as f64)];
                buckets.chain(all).collect()
            }
        }
    }
}

fn upper_end(bound: f64) -> String {
    if bound.is_finite() { bound.to_string() } else { "+Inf".to_owned() }
}

/// Labels that identify a speed, common to all of its numbers.
pub(super) fn labels(stream: &LiveStream) -> [(&'static str, String); 3] {
    let LiveStream { device, speed, variant, .. } = stream;
    [("device", device.clone()), ("speed", speed.to_string()), ("variant", variant.clone())]
}
