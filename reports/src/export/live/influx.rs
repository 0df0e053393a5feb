//! The metrics of a stream for InfluxDB: its line protocol. Each metric is a field, named without
//! the common prefix; labels are tags, as in Telegraf.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::metrics::{METRICS, labels};
use super::series::LiveStream;
use crate::export::influx::key;

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
