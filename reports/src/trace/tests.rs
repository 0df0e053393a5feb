//! Traces of small runs of every kind.

use serde_json::Value;

use super::model::{FlowStep, Process, Track};
use super::*;
use crate::charts::fixture::row;
use crate::record::{SCHEMA_VERSION, SampleRow, Software, SummaryRow};
use crate::stream::TimesliceRow;
use crate::throughput::EventRow;
use crate::{stream as streams, throughput};

fn record() -> RunRecord {
    RunRecord {
        schema_version: SCHEMA_VERSION,
        command: ["bench", "sort"].map(str::to_owned).into(),
        started: "2026-01-31T12:00:00Z".into(),
        software: Software { version: "0.3.0".into(), ..Software::default() },
        ..RunRecord::default()
    }
}

/// A row of a sample that started at that time, if it is known.
fn sample(row: &SummaryRow, index: usize, seconds: f64, start_s: Option<f64>) -> SampleRow {
    SampleRow { start_s, ..SampleRow::new(&row.point(), &row.stage, 0, index, seconds) }
}

/// Rows of `variant` and its stages with their medians, the whole first.
fn staged(variant: &str, device: &str, medians: &[(&str, f64)]) -> Vec<SummaryRow> {
    let of_stage = |(stage, median): &(&str, f64)| SummaryRow {
        stage: (*stage).into(),
        device: device.into(),
        ..row(variant, "segments=24", *median)
    };
    medians.iter().map(of_stage).collect()
}

fn run(summary: Vec<SummaryRow>, samples: Vec<SampleRow>) -> Run {
    Run { folder: "run".into(), record: record(), summary, samples }
}

fn events(trace: model::Trace) -> Vec<Value> {
    let mut bytes = Vec::new();
    chrome::write(&trace, &mut bytes).expect("written");
    assert!(is_trace(&bytes));
    let object: Value = serde_json::from_slice(&bytes).expect("JSON");
    object["traceEvents"].as_array().expect("an array").clone()
}

fn track<'t>(process: &'t Process, name: &str) -> &'t Track {
    process.tracks.iter().find(|track| track.name == name).expect(name)
}

/// Names of slices with their starts and ends in milliseconds.
fn periods(track: &Track) -> Vec<(&str, f64, f64)> {
    let ms = |seconds: f64| (seconds * 1e6).round() / 1e3;
    let slices = track.slices.iter();
    slices.map(|slice| (slice.name.as_str(), ms(slice.start_s), ms(slice.end_s()))).collect()
}

#[test]
fn samples_and_stages_are_written_as_expected() {
    let rows = staged("plain", "cpu", &[("total", 2e-3), ("count", 5e-4)]);
    let samples = vec![
        SampleRow { clock_mhz: Some(3000.0), ..sample(&rows[0], 0, 2e-3, Some(0.25)) },
        sample(&rows[1], 0, 5e-4, Some(0.2505)),
    ];
    let mut trace = samples::trace(&run(rows, samples));
    trace.metadata = metadata(&record());
    let mut bytes = Vec::new();
    chrome::write(&trace, &mut bytes).expect("written");
    let text = String::from_utf8(bytes).expect("a text");
    let point = row("plain", "segments=24", 0.0).point().id();
    let expected = format!(
        r#"{{"traceEvents":[
{{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{{"name":"cpu"}}}},
{{"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{{"sort_index":1}}}},
{{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{{"name":"sort / plain"}}}},
{{"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{{"sort_index":1}}}},
{{"ph":"X","name":"total","cat":"sample","ts":250000.0,"dur":2000.0,"pid":1,"tid":1,"args":{{"clock_mhz":3000.0,"params":"segments=24","point":"{point}","round":0,"sample":0,"threads":2}}}},
{{"ph":"X","name":"count","cat":"stage","ts":250500.0,"dur":500.0,"pid":1,"tid":1,"args":{{"sample":0}}}},
{{"ph":"C","name":"clock (MHz)","ts":250000.0,"pid":1,"tid":0,"args":{{"value":3000.0}}}}
],
"displayTimeUnit":"ms",
"otherData":{{"command":["bench","sort"],"cpu":"","notes":[],"program":"{program} 0.3.0","started":"2026-01-31T12:00:00Z"}}}}
"#,
        program = program::name(),
    );
    assert_eq!(text, expected);
}

#[test]
fn runs_of_earlier_versions_are_laid_out_one_after_another() {
    let a = staged("a", "cpu", &[("total", 2e-3), ("clear", 1e-3), ("fill", 1e-3)]);
    let b = staged("b", "cpu", &[("total", 4e-3)]);
    let samples = vec![
        sample(&a[0], 0, 2e-3, None),
        sample(&a[1], 0, 5e-4, None),
        sample(&a[2], 0, 1e-3, None),
        sample(&b[0], 0, 4e-3, None),
        sample(&a[0], 1, 3e-3, None),
    ];
    let trace = samples::trace(&run([a, b].concat(), samples));
    let [process] = &trace.processes[..] else { panic!("one device") };
    let of_a = [("total", 0.0, 2.0), ("clear", 0.0, 0.5), ("fill", 0.5, 1.5), ("total", 6.0, 9.0)];
    assert_eq!(periods(track(process, "sort / a")), of_a);
    assert_eq!(periods(track(process, "sort / b")), [("total", 2.0, 6.0)]);
    let [samples, stages] = &trace.notes[..] else { panic!("{:?}", trace.notes) };
    assert!(samples.starts_with("samples without start_s") && stages.contains("derived"));
}

#[test]
fn a_run_without_stages_says_so() {
    let rows = staged("plain", "cpu", &[("total", 2e-3)]);
    let samples = vec![sample(&rows[0], 0, 2e-3, Some(0.5))];
    let trace = samples::trace(&run(rows, samples));
    assert_eq!(trace.notes, [NO_STAGES]);
    assert_eq!(trace.slices(), 1);
}

#[test]
fn stages_of_a_gpu_are_in_a_run_of_their_own() {
    let stages = [("total", 4e-3), ("kernel", 2e-3), ("h2d", 1e-3), ("sort", 2e-3), ("d2h", 5e-4)];
    let rows = staged("bucket", "cuda:0", &stages);
    let starts = [0.1, 0.201, 0.2, 0.201, 0.203];
    let samples = rows.iter().zip(stages).zip(starts);
    let samples =
        samples.map(|((row, (_, seconds)), start_s)| sample(row, 0, seconds, Some(start_s)));
    let trace = samples::trace(&run(rows.clone(), samples.collect()));
    let [process] = &trace.processes[..] else { panic!("one device") };
    assert_eq!(process.name, "cuda:0");
    let repeated = "repeated for its stages";
    let expected = [("total", 100.0, 104.0), (repeated, 200.0, 203.5), ("sort", 201.0, 203.0)];
    assert_eq!(periods(track(process, "sort / bucket")), expected);
    let copies = [("h2d", 200.0, 201.0), ("d2h", 203.0, 203.5)];
    assert_eq!(periods(track(process, "sort / bucket: copies")), copies);
    let sum = [("kernel", 201.0, 203.0)];
    assert_eq!(periods(track(process, "sort / bucket: sum of kernels")), sum);
    assert!(trace.notes[0].starts_with("stages on cuda:0"), "{:?}", trace.notes);
}

#[test]
fn energy_is_a_counter() {
    let mut rows = staged("plain", "cpu", &[("total", 0.5)]);
    rows[0].j_per_item = Some(2e-5);
    let samples = vec![sample(&rows[0], 0, 0.5, Some(1.0))];
    let trace = samples::trace(&run(rows, samples));
    let [power] = &trace.processes[0].counters[..] else { panic!("one counter") };
    assert!((power.values[0].value - 40.0).abs() < 1e-9, "20 J in 0.5 s: {power:?}");
}

#[test]
fn timeslices_have_arrows_from_arrival_to_result() {
    let timeslice = |number: u64, due_s: f64, worker: usize| TimesliceRow {
        emitted_s: Some(due_s + 0.001),
        begun_s: Some(due_s + 0.002),
        ended_s: Some(due_s + 0.05),
        worker: Some(worker),
        building_s: Some(0.01),
        check_s: Some(0.005),
        ..streams::fixture::timeslice(number, 0.05)
    };
    let row = streams::fixture::row(1.0);
    let mut timeslices: Vec<TimesliceRow> =
        (0..3).map(|i| timeslice(i, 0.05 * i as f64, i as usize % 2)).collect();
    for timeslice in &mut timeslices {
        timeslice.point_id.clone_from(&row.point_id);
        timeslice.due_s = 0.05 * timeslice.timeslice as f64;
    }
    let mut record = record();
    record.started = "2026-01-31T11:59:50Z".into();
    let run = StreamRun { folder: "run".into(), record, rows: vec![row], timeslices };
    let trace = stream::trace(&run);
    let process = &trace.processes[0];
    let names: Vec<&str> = process.tracks.iter().map(|track| &*track.name).collect();
    assert_eq!(names, ["arrivals", "queue", "worker 0", "results", "worker 1"]);
    let first = periods(track(process, "worker 0"));
    let expected = [
        ("timeslice 0", 10_002.0, 10_050.0),
        ("event building", 10_040.0, 10_050.0),
        ("comparison", 10_050.0, 10_055.0),
    ];
    assert_eq!(first[..3], expected);
    let steps = process.tracks.iter().flat_map(|track| &track.slices).filter_map(|it| it.flow);
    let of_second: Vec<FlowStep> = steps.filter(|flow| flow.id == 2).map(|it| it.step).collect();
    assert_eq!(of_second, [FlowStep::Start, FlowStep::End, FlowStep::Continue]);
    let backlog: Vec<f64> = process.counters[0].values.iter().map(|it| it.value).collect();
    assert_eq!(backlog, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let events = events(trace);
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(["s", "t", "f", "b", "e", "C"].map(count), [3, 3, 3, 3, 3, 6]);
}

#[test]
fn streams_of_events_are_tracks() {
    let rows = [1, 2].map(|streams| throughput::fixture::row(streams, 1e6));
    let event = |row: &throughput::ThroughputRow, stream: usize, begin_s: f64| EventRow {
        point_id: row.point_id.clone(),
        stream,
        begin_s,
        delivery_s: 0.001,
        seconds: 0.002,
        ..EventRow::default()
    };
    let all = [event(&rows[0], 0, -0.001), event(&rows[1], 0, 0.0), event(&rows[1], 1, 0.0)];
    let trace = super::events::trace(&rows, &all);
    let names: Vec<&str> = trace.processes[0].tracks.iter().map(|track| &*track.name).collect();
    assert_eq!(names, ["stream 0", "stream 1"]);
    let first = periods(&trace.processes[0].tracks[0]);
    assert_eq!(first[..2], [("delivery", 0.0, 1.0), ("event 0", 1.0, 3.0)]);
    assert!(first[2].1 >= 3.0, "windows follow one another: {first:?}");
}

#[test]
fn caliper_files_have_a_tree_of_regions() {
    let stages = [("total", 4e-3), ("kernel", 2e-3), ("h2d", 1e-3), ("sort", 2e-3), ("d2h", 5e-4)];
    let mut rows = staged("a=b", "cpu", &stages);
    for row in &mut rows {
        row.min_s = None;
        row.max_s = None;
    }
    let text = caliper::text(&record(), &rows);
    assert!(caliper::is_caliper(text.as_bytes()));
    let expected = r#"__rec=node,id=12,attr=10,data=256,parent=3
__rec=node,id=13,attr=8,data=region,parent=12
__rec=node,id=14,attr=10,data=1,parent=5
__rec=node,id=15,attr=8,data=sum#time.duration,parent=14
__rec=node,id=16,attr=10,data=1,parent=5
__rec=node,id=17,attr=8,data=inclusive#sum#time.duration,parent=16
__rec=node,id=18,attr=10,data=1,parent=5
__rec=node,id=19,attr=8,data=min#inclusive#sum#time.duration,parent=18
__rec=node,id=20,attr=10,data=1,parent=5
__rec=node,id=21,attr=8,data=max#inclusive#sum#time.duration,parent=20
__rec=node,id=22,attr=10,data=1,parent=2
__rec=node,id=23,attr=8,data=samples,parent=22
__rec=node,id=24,attr=13,data=sort
__rec=node,id=25,attr=13,data=a\=b,parent=24
__rec=node,id=26,attr=13,data=24 segments · 2 threads · cache hot,parent=25
__rec=node,id=27,attr=13,data=total,parent=26
__rec=ctx,ref=27,attr=15=17=23,data=0.0005=0.004=10
__rec=node,id=28,attr=13,data=kernel,parent=27
__rec=ctx,ref=28,attr=15=17=23,data=0=0.002=10
__rec=node,id=29,attr=13,data=h2d,parent=27
__rec=ctx,ref=29,attr=15=17=23,data=0.001=0.001=10
"#;
    let head: String = text.split_inclusive('\n').take(21).collect();
    assert_eq!(head, expected);
    let last = text.lines().last().expect("lines");
    assert!(last.starts_with("__rec=globals,attr=") && last.contains("bench sort"), "{last}");
}
