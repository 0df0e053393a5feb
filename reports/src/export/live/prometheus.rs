//! Response to a scrape by Prometheus: its text format, version 0.0.4.

use std::fmt::Write;

use super::metrics::{Kind, METRICS, Metric, labels};
use super::series::LiveStream;
use crate::export::prometheus::escaped;

/// Content type for the HTTP header.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The metrics of all speeds, by metric. Speeds differ in variant, device or speed.
pub fn page(streams: &[LiveStream]) -> String {
    let mut page = String::new();
    for metric in METRICS {
        let Metric { name, help, .. } = metric;
        // Writing to a `String` does not fail.
        let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {}", kind(metric.kind));
        for stream in streams {
            write_samples(&mut page, &metric, stream);
        }
    }
    page
}

fn write_samples(page: &mut String, metric: &Metric, stream: &LiveStream) {
    let of_all = labels(stream).map(|(name, value)| label(name, &value)).join(",");
    for sample in metric.samples(stream) {
        let own = sample.label.map(|(name, value)| format!(",{}", label(name, &value)));
        let name = metric.name;
        let suffix = sample.suffix;
        let own = own.unwrap_or_default();
        let _ = writeln!(page, "{name}{suffix}{{{of_all}{own}}} {}", sample.value);
    }
}

fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{}\"", escaped(value))
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram => "histogram",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::stream;
    use super::*;

    #[test]
    fn counters_gauges_and_buckets_have_labels_and_values() {
        let page = page(&[stream(1.0), stream(0.5)]);
        let all = "device=\"cpu\",speed=\"0.5\",variant=\"time-sweep\"";
        for line in [
            format!("recobench_stream_timeslices_due_total{{{all}}} 12"),
            format!("recobench_stream_timeslices_total{{{all},state=\"done\"}} 2"),
            format!("recobench_stream_latency_seconds_bucket{{{all},le=\"0.05\"}} 1"),
            format!("recobench_stream_latency_seconds_bucket{{{all},le=\"+Inf\"}} 2"),
            format!("recobench_stream_latency_seconds_sum{{{all}}} 0.11"),
            format!("recobench_stream_latency_seconds_count{{{all}}} 2"),
            format!("recobench_stream_worker_busy_seconds_total{{{all},worker=\"1\"}} 0.25"),
            format!("recobench_stream_worker_up{{{all},worker=\"1\"}} 0"),
            format!("recobench_stream_backlog{{{all}}} 7"),
        ] {
            assert!(page.lines().any(|it| it == line), "{line}: {page}");
        }
    }

    #[test]
    fn each_series_is_there_once_below_the_head_of_its_metric() {
        let page = page(&[stream(1.0), stream(0.5)]);
        let mut metric = "";
        let mut seen = std::collections::HashSet::new();
        for line in page.lines() {
            match line.strip_prefix("# TYPE ") {
                Some(head) => metric = head.split(' ').next().expect("a name"),
                None if line.starts_with("# HELP ") => {}
                None => {
                    let (series, _) = line.rsplit_once(' ').expect("a value");
                    assert!(line.starts_with(metric) && seen.insert(series.to_owned()), "{line}");
                }
            }
        }
        assert!(seen.len() > 2 * METRICS.len());
    }

    #[test]
    fn before_the_first_speed_there_are_heads_only() {
        assert!(page(&[]).lines().all(|line| line.starts_with('#')));
    }
}
