//! `bench trace`: traces of a fresh run and of kept ones, and what is refused.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Folder, folder, measuring};

/// A run in `docs/results`.
fn kept(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/results").join(name);
    path.to_str().expect("a text").to_owned()
}

fn events(folder: &Folder, file: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_str(&folder.read(file)).expect("JSON");
    trace["traceEvents"].as_array().expect("an array").clone()
}

/// A slice with its track.
struct Slice {
    name: String,
    category: String,
    track: u64,
    start: f64,
    end: f64,
}

fn slices(events: &[Value]) -> Vec<Slice> {
    let slice = |event: &Value| {
        let start = event["ts"].as_f64().expect("a time");
        Slice {
            name: event["name"].as_str().expect("a name").to_owned(),
            category: event["cat"].as_str().expect("a category").to_owned(),
            track: event["tid"].as_u64().expect("a thread"),
            start,
            end: start + event["dur"].as_f64().expect("a duration"),
        }
    };
    events.iter().filter(|event| event["ph"] == "X").map(slice).collect()
}

#[test]
fn a_fresh_run_has_all_samples_with_their_stages_inside() {
    let Some(folder) = measuring() else { return };
    let line = "sts --preset mcbm-2024 --scale 0.002 --threads 1 --samples 3 --variant time-sweep \
                --device cpu --quiet --out run --no-charts";
    folder.bench(line).exits(0);
    folder.bench("trace run").exits(0).says("trace: run/trace.json");
    let rows = folder.samples("run");
    let starts: Vec<f64> = rows.iter().filter_map(|row| row.start_s).collect();
    assert_eq!(starts.len(), rows.len(), "every sample and stage has a start");
    let slices = slices(&events(&folder, "run/trace.json"));
    let count = |name: &str| slices.iter().filter(|slice| slice.name == name).count();
    let mut expected: HashMap<&str, usize> = HashMap::new();
    for row in &rows {
        *expected.entry(&row.stage).or_default() += 1;
    }
    assert!(expected.len() > 3, "{expected:?}");
    for (stage, samples) in expected {
        assert_eq!(count(stage), samples, "{stage}");
    }
    for stage in slices.iter().filter(|slice| slice.category == "stage") {
        let contains = |it: &&Slice| {
            it.category == "sample" && it.track == stage.track && it.start <= stage.start
        };
        // Times are rounded to nanoseconds.
        let sample = slices.iter().rfind(contains).expect("a sample before it");
        assert!(stage.end <= sample.end + 0.002, "{} ends after its sample", stage.name);
    }
    // Samples of a thread do not overlap, so that starts are those of one clock.
    let mut totals: Vec<&Slice> = slices.iter().filter(|it| it.category == "sample").collect();
    totals.sort_by(|a, b| a.start.total_cmp(&b.start));
    assert!(totals.windows(2).all(|pair| pair[0].end <= pair[1].start + 0.002));
}

#[test]
fn a_run_without_stages_has_samples_and_a_note() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 2k --segments 3 --variant std-stable --threads 1 --samples 3 --quiet \
                --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    folder.bench("trace run --out t.json").exits(0).says("note: no stages were recorded");
    assert_eq!(slices(&events(&folder, "t.json")).len(), 3);
    // A trace is replaced.
    folder.bench("trace run --out t.json").exits(0);
    folder.bench("trace run --out t.cali").exits(0).says("note: no stages");
    assert!(folder.read("t.cali").starts_with("__rec=node,"));
}

#[test]
fn kept_runs_of_every_kind_are_traced() {
    let folder = folder();
    folder.bench(format!("trace {} --out t.json", kept("decode-cpu"))).exits(0).says("start_s");
    folder.bench(format!("trace {} --out gpu.json", kept("sts-cuda"))).exits(0).says("repeated");
    let names = |file: &str| -> HashSet<String> {
        let events = events(&folder, file);
        let threads = events.iter().filter(|event| event["name"] == "thread_name");
        threads.map(|it| it["args"]["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert!(names("gpu.json").iter().any(|name| name.ends_with(": copies")));
    folder.bench(format!("trace {} --out stream.json", kept("stream-cuda"))).exits(0);
    let tracks = names("stream.json");
    for track in ["arrivals", "worker 0", "results"] {
        assert!(tracks.contains(track), "{tracks:?}");
    }
    let events = events(&folder, "stream.json");
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert!(count("s") > 0 && count("t") == count("f") && count("b") == count("e"));
    folder.bench(format!("trace {} --out events.json", kept("throughput-cpu"))).exits(0);
    assert!(names("events.json").contains("stream 0"));
}

#[test]
fn what_can_not_be_traced_is_refused() {
    let folder = folder();
    folder.write("notes.json", "{}");
    folder.check(
        "
            2 | trace gone | gone: no such folder, and no run
            2 | trace . --out t.txt | unknown trace format of t.txt
            2 | trace | RUN
        ",
    );
    let run = kept("decode-cpu");
    let replaced = folder.bench(format!("trace {run} --out notes.json"));
    replaced.exits(2).says("notes.json is there and no trace of recobench");
    assert_eq!(folder.read("notes.json"), "{}");
    folder.bench(format!("trace {run} --out notes.json --force")).exits(0);
    folder.bench(format!("trace {run} --out gone/t.json")).exits(1).says("gone/t.json");
    let stream = kept("stream-cuda");
    folder.bench(format!("trace {stream} --out t.cali")).exits(2).says("no stages for Caliper");
}
