//! The metrics of a stream as the response to a scrape by Prometheus, in its text format 0.0.4, and
//! as lines for InfluxDB: each metric is a field, named without the common prefix; labels are tags,
//! as in Telegraf.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::formats::{escaped, key};
use super::LiveStream;
use super::metrics::{Kind, METRICS, Metric, labels};

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

const MEASUREMENT: &str = "recobench_stream";

/// The metrics of a speed on a host, at a time in ns since 1970: a line for each combination of
/// tags.
pub fn lines(stream: &LiveStream, host: &str, ns: u128) -> String {
    let mut lines = String::new();
    for (own, fields) in fields(stream) {
        let tags = tags(stream, host, own);
        // Writing to a `String` does not fail.
        let _ = writeln!(lines, "{MEASUREMENT}{tags} {} {ns}", fields.join(","));
    }
    lines
}

/// A tag that only some metrics have.
type Tag = Option<(&'static str, String)>;

/// The fields by their additional tag.
fn fields(stream: &LiveStream) -> BTreeMap<Tag, Vec<String>> {
    let mut fields: BTreeMap<Tag, Vec<String>> = BTreeMap::new();
    for metric in METRICS {
        for sample in metric.samples(stream) {
            let name = metric.short_name();
            let suffix = sample.suffix;
            let field = format!("{name}{suffix}={}", sample.value);
            fields.entry(sample.label).or_default().push(field);
        }
    }
    fields
}

/// Tags, sorted by name, which saves the server from sorting; empty ones are omitted.
fn tags(stream: &LiveStream, host: &str, own: Tag) -> String {
    let mut tags = labels(stream).to_vec();
    tags.push(("host", host.to_owned()));
    tags.extend(own);
    tags.sort();
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty());
    tags.map(|(name, value)| format!(",{name}={}", key(&value))).collect()
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

    #[test]
    fn a_line_has_what_has_the_same_tags() {
        let lines = lines(&stream(0.5), "node 7", 1_767_225_600_000_000_000);
        let all = |own: &str, more: &str| {
            let tags = format!("device=cpu,host=node\\ 7{own},speed=0.5");
            format!("recobench_stream,{tags}{more},variant=time-sweep ")
        };
        let of = |begin: String| lines.lines().find_map(|line| line.strip_prefix(&begin));
        let plain = of(all("", "")).expect("a line");
        for field in ["timeslices_due_total=12,", "latency_seconds_sum=0.11,", "backlog=7,"] {
            assert!(plain.contains(field), "{field}: {plain}");
        }
        let done = of(all("", ",state=done"));
        assert_eq!(done, Some("timeslices_total=2 1767225600000000000"));
        let bucket = of(all(",le=0.05", "")).expect("a line");
        assert!(bucket.starts_with("latency_seconds_bucket=1,work_seconds_bucket=2,"), "{bucket}");
        let worker = "variant=time-sweep,worker=1 worker_up=0,worker_timeslices_total=1,\
                      worker_busy_seconds_total=0.25 ";
        assert!(lines.contains(worker), "{lines}");
    }

    #[test]
    fn fields_of_a_line_are_unique() {
        for line in lines(&stream(1.0), "", 1).lines() {
            let fields = line.split(' ').nth(1).expect("fields");
            let names: Vec<_> = fields.split(',').map(|it| it.split('=').next()).collect();
            let mut once = names.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), names.len(), "{line}");
            assert!(!line.contains("host="), "an empty tag is none: {line}");
        }
    }
}
