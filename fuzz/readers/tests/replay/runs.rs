//! Files of runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fuzz_readers::SEPARATOR;
use reports::compare::{CompareOptions, Measured, compare};
use reports::history::{Store, Unfinished};
use reports::record::{
    Bandwidth, CEILINGS_VERSION, CeilingsRecord, Latencies, LinkPoint, Machine, Point, RunRecord,
    SCHEMA_VERSION, SampleRow, SummaryRow, YesNo,
};
use reports::store::{RunFolder, StreamFolder};
use reports::stream::{StreamRow, TimesliceRow, TimesliceState};

use super::Corpus;

pub fn corpora() -> Vec<Corpus> {
    let folder = tempfile::tempdir().expect("a folder");
    let [base, new] = ["base", "new"].map(|name| folder.path().join(name));
    write(&base, 0.001);
    write(&new, 0.002);
    let files = ["run.json", "samples.csv", "summary.csv"];
    vec![
        ("run_folder", vec![("finished", joined(&base, &files))]),
        ("stream_folder", vec![("two-speeds", of_stream(&folder.path().join("stream")))]),
        ("store", vec![("accepted", of_store(&base, &folder.path().join("store")))]),
        ("comparison", vec![("slower", of_comparison(&base, &new))]),
        ("ceilings", vec![("measured", serde_json::to_vec_pretty(&ceilings()).expect("JSON"))]),
    ]
}

fn write(folder: &Path, seconds: f64) {
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        command: vec!["bench".into(), "sort".into()],
        started: "2026-01-01T00:00:00Z".into(),
        finished: Some("2026-01-01T00:01:00Z".into()),
        machine_key: "00ff".into(),
        notes: vec!["a \"note\",\nin two lines".into()],
        ..RunRecord::default()
    };
    let row = SummaryRow {
        algorithm: "sort".into(),
        variant: "online".into(),
        stage: "total".into(),
        device: "cpu".into(),
        threads: 2,
        params: "digis=1000;order=time".parse().expect("parameters"),
        median_s: Some(seconds),
        valid: YesNo::Yes,
        note: "a \"note\",\nin two lines".into(),
        ..SummaryRow::default()
    };
    let mut run = RunFolder::create(folder, &record).expect("created");
    let sample = |round| SampleRow::new(&row.point(), "total", round, 0, seconds);
    run.append_samples(&[0, 1, 2].map(sample)).expect("written");
    run.append_summary(&[row]).expect("written");
    run.describe(&record).expect("described");
}

fn joined(folder: &Path, names: &[&str]) -> Vec<u8> {
    let files = names.iter().map(|name| fs::read(folder.join(name)).expect("readable"));
    files.collect::<Vec<_>>().join(&SEPARATOR)
}

fn of_stream(path: &Path) -> Vec<u8> {
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        command: vec!["bench".into(), "stream".into()],
        started: "2026-01-01T00:00:00Z".into(),
        finished: Some("2026-01-01T00:01:00Z".into()),
        ..RunRecord::default()
    };
    let mut folder = StreamFolder::create(path, &record).expect("created");
    for speed in [0.5, 2.0] {
        let (row, timeslices) = speed_of_stream(speed);
        folder.append(&row, &timeslices).expect("written");
    }
    drop(folder);
    joined(path, &["run.json", "stream.csv", "timeslices.csv"])
}

/// Two timeslices with events, of which one was lost.
fn speed_of_stream(speed: f64) -> (StreamRow, [TimesliceRow; 2]) {
    let point = Point {
        algorithm: "sts".into(),
        variant: "time-sweep".into(),
        device: "cpu".into(),
        params: "min-digis=10;preset=mcbm-2024".parse().expect("parameters"),
        ..Point::default()
    };
    let row = StreamRow {
        timeslice_s: 0.05,
        due: 2,
        emitted: 2,
        done: 1,
        lost: 1,
        items: 1000.0,
        item_unit: "digi".into(),
        done_items: 1000,
        events: Some(3),
        event_items: Some(40),
        kept_share: Some(0.04),
        due_per_s: Some(20.0 * speed),
        p50_s: Some(0.01),
        building_p50_s: Some(0.001),
        kept_up: YesNo::No,
        valid: YesNo::Yes,
        note: "worker 0 was lost: it \"ended\",\nin two lines".into(),
        ..StreamRow::new(&point, 2, speed)
    };
    let done = TimesliceRow {
        point_id: row.point_id.clone(),
        due_s: 0.05,
        emitted_s: Some(0.05),
        begun_s: Some(0.051),
        ended_s: Some(0.06),
        worker: Some(1),
        fate: TimesliceState::Done,
        digis: 1000,
        events: Some(3),
        event_digis: Some(40),
        building_s: Some(0.001),
        ..TimesliceRow::default()
    };
    let lost = TimesliceRow {
        timeslice: 1,
        ended_s: None,
        fate: TimesliceState::Lost,
        events: None,
        event_digis: None,
        building_s: None,
        ..done.clone()
    };
    (row, [done, lost])
}

fn of_store(run: &Path, root: &Path) -> Vec<u8> {
    let store = Store::create_or_open(root).expect("made");
    let added = store.add(run, Unfinished::Refuse).expect("added");
    store.accept(added.id(), "good").expect("accepted");
    let receipt = format!("runs/{}/stored.json", added.id());
    let mut marks = fs::read_dir(root.join("accepted")).expect("readable");
    let mark = marks.next().expect("a mark").expect("a file").file_name();
    let mark = format!("accepted/{}", mark.to_string_lossy());
    joined(root, &["store.json", &receipt, &mark])
}

fn of_comparison(base: &Path, new: &Path) -> Vec<u8> {
    let [base, new] = [base, new].map(|folder| Measured::read(folder).expect("readable"));
    let mut comparison = compare(&base, &new, &CompareOptions::default()).expect("compared");
    (comparison.base.folder, comparison.new.folder) = ("base".into(), "new".into());
    serde_json::to_vec_pretty(&comparison).expect("JSON")
}

fn ceilings() -> CeilingsRecord {
    let copy_bytes_per_s = 2e10;
    let triad_bytes_per_s = 3e10;
    let bandwidth = Bandwidth { copy_bytes_per_s, triad_bytes_per_s, ..Bandwidth::default() };
    let latencies =
        Latencies { launch_s: 4e-6, queued_launch_s: 2e-6, graph_launch_s: 1e-6, copy_s: 8e-6 };
    let link = LinkPoint {
        device: "cuda:0".into(),
        memory: "pinned".into(),
        direction: "h2d".into(),
        block_bytes: 1 << 20,
        bytes_per_s: 2.5e10,
    };
    CeilingsRecord {
        schema_version: CEILINGS_VERSION,
        started: "2026-01-01T00:00:00Z".into(),
        machine_key: "00ff".into(),
        machine: Machine::default(),
        ceilings: BTreeMap::from([("cpu/2".into(), bandwidth)]),
        links: vec![link],
        links_at_once: Vec::new(),
        latencies: BTreeMap::from([("cuda:0".into(), latencies)]),
        notes: vec!["one".into()],
    }
}
