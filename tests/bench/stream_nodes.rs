//! Streams that begin at the same moment on several nodes, and what becomes of their results.

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reports::record::YesNo;
use reports::stream::{StreamRow, TimesliceRow};

use crate::common::{Folder, Run, edit_record, edit_rows, measuring, signal, wait_until};

/// 1.25 ms of mCBM on the host, one in 25 ms.
const SMALL: &str = "stream --preset mcbm-2024 --scale 0.0005 --ring 2 --processes 1 --no-charts \
    --speed 0.05 --duration 500ms --check-every 2 --events";

/// Returns the time in `seconds` seconds, as a flag value.
fn after(seconds: f64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    format!("{:.3}", now.as_secs_f64() + seconds)
}

fn table<R: serde::de::DeserializeOwned>(folder: &Folder, file: &str) -> Vec<R> {
    let text = folder.read(file);
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("a row")).collect()
}

fn the_row(folder: &Folder, run: &str) -> StreamRow {
    let rows = table(folder, &format!("{run}/stream.csv"));
    let [row] = rows.try_into().unwrap_or_else(|rows: Vec<StreamRow>| panic!("{}", rows.len()));
    row
}

/// Two nodes, `n1` and `n2`, each with a stream of its own.
fn nodes(folder: &Folder) {
    // On a busy machine it takes long until all is ready.
    let are_there = [1.2, 6.0, 30.0].into_iter().any(|wait| {
        let begin = after(wait);
        let started = ["n1", "n2"].map(|name| {
            let _ = fs::remove_dir_all(folder.join(name));
            folder.start(&format!("{SMALL} --quiet --begin {begin} --out {name}"))
        });
        started.map(Run::end_of).iter().all(|run| run.code == Some(0))
    });
    assert!(are_there);
}

/// A copy of a node's folder under another name.
fn copy(folder: &Folder, from: &str, to: &str) {
    fs::create_dir_all(folder.join(to)).expect("made");
    for file in ["run.json", "stream.csv", "timeslices.csv"] {
        fs::copy(folder.join(from).join(file), folder.join(to).join(file)).expect("copied");
    }
}

#[test]
fn nodes_begin_together_and_are_merged_as_far_as_they_are_there() {
    let Some(folder) = measuring() else { return };
    nodes(&folder);
    all_are_there(&folder);
    one_is_missing(&folder);
    what_does_not_belong_together_is_refused(&folder);
}

fn all_are_there(folder: &Folder) {
    let reported = folder.bench("stream --merge n1 n2 --out all").exits(0);
    reported.prints("2 nodes · 2 workers").prints("time-sweep on cpu: keeps up with");
    let [first, second] = ["n1", "n2"].map(|node| the_row(folder, node));
    let all = the_row(folder, "all");
    assert_eq!(first.begin, second.begin);
    assert_eq!((all.begin, all.nodes, all.processes), (first.begin.clone(), 2, 2));
    assert_eq!((all.due, all.done), (40, first.done + second.done));
    assert_eq!(all.events, first.events.zip(second.events).map(|(a, b)| a + b));
    assert!(all.events > Some(0) && all.kept_share.is_some() && all.building_p50_s.is_some());
    assert_eq!(all.checked, first.checked + second.checked);
    let kept_up = [&first, &second].into_iter().all(|row| row.kept_up == YesNo::Yes);
    assert_eq!((all.kept_up, all.valid), (YesNo::from(kept_up), YesNo::Yes));
    let longest = [&first, &second].into_iter().filter_map(|row| row.max_s).reduce(f64::max);
    assert_eq!(all.max_s, longest);
    let each: Vec<StreamRow> = table(folder, "all/nodes.csv");
    let named = |node: &str, row: &StreamRow| StreamRow { node: node.into(), ..row.clone() };
    assert_eq!(each, [named("n1", &first), named("n2", &second)]);
    let timeslices: Vec<TimesliceRow> = table(folder, "all/timeslices.csv");
    let of = |node: &str| timeslices.iter().filter(|it| it.node == node).count();
    assert_eq!((of("n1"), of("n2")), (20, 20));
    // Quantiles are those of all timeslices.
    let mut latencies: Vec<f64> = timeslices.iter().filter_map(TimesliceRow::latency_s).collect();
    latencies.sort_by(f64::total_cmp);
    let median = all.p50_s.expect("known");
    assert!(latencies[18] <= median && median <= latencies[21], "{median}: {latencies:?}");
    folder.has("all/stream-over-time.svg");
    assert!(folder.record("all").notes.iter().any(|note| note == "merged from n1, n2"));
}

fn one_is_missing(folder: &Folder) {
    let reported = folder.bench("stream --merge n1 n2 n3 --no-charts --out two").exits(1);
    reported.says("merged without node n3: n3/run.json does not exist");
    let two = the_row(folder, "two");
    assert_eq!((two.due, two.nodes, two.kept_up), (40, 2, YesNo::No));
    assert!(two.note.ends_with("without n3"), "{}", two.note);
    // One that was not ready, and one that was ended.
    copy(folder, "n2", "late");
    edit_rows(&folder.join("late/stream.csv"), |row: &mut StreamRow| {
        *row = StreamRow { due: 0, valid: YesNo::No, note: "not run: tired".into(), ..row.clone() };
    });
    copy(folder, "n2", "ended");
    edit_record(&folder.join("ended"), |record| record["finished"] = serde_json::Value::Null);
    let reported = folder.bench("stream --merge n1 late ended --no-charts --out some").exits(1);
    reported.says("node late: speed 0.05 on cpu: not run: tired");
    reported.says("node ended: its stream was interrupted");
    let some = the_row(folder, "some");
    assert_eq!((some.nodes, some.valid, some.kept_up), (2, YesNo::Yes, YesNo::No));
    assert_eq!(folder.record("some").finished, None);
}

fn what_does_not_belong_together_is_refused(folder: &Folder) {
    for name in ["build", "command", "begin", "other/n1", "wrong", "deserted"] {
        copy(folder, "n2", name);
    }
    let build = |record: &mut serde_json::Value| record["software"]["fingerprint"] = "1".into();
    edit_record(&folder.join("build"), build);
    let command = ["bench", "stream", "--speed", "3"];
    edit_record(&folder.join("command"), |record| record["command"] = command.into());
    let begin = |row: &mut StreamRow| row.begin = "2026-01-31T12:00:00.000000Z".into();
    edit_rows(&folder.join("begin/stream.csv"), begin);
    edit_rows(&folder.join("wrong/stream.csv"), |row: &mut StreamRow| {
        (row.valid, row.note) = (YesNo::No, "wrong output: timeslice 3".into());
    });
    edit_rows(&folder.join("deserted/stream.csv"), |row: &mut StreamRow| row.workers_lost = 1);
    folder.check(
        "
        2 | stream --merge n1 build --out r | another build of bench than n1
        2 | stream --merge n1 command --out r | nodes of a stream run the same command
        2 | stream --merge n1 begin --out r | give all nodes the same --begin
        2 | stream --merge n1 other/n1 --out r | there is another folder \"n1\"
        2 | stream --merge n1 all --out r | it is merged already
        2 | stream --merge n1 n2 --speed 2 --out r | cannot be used with
        2 | stream --merge n1 n2 --preset mcbm-2024 --out r | cannot be used with
        2 | stream --merge n1 n2 --out all | holds a run already
        1 | stream --merge n7 n8 --out r | n7/run.json does not exist
        ",
    );
    assert!(!folder.join("r").exists());
    folder.bench("stream --merge n1 wrong --no-charts --quiet --out r").exits(3);
    folder.bench("stream --merge n1 deserted --no-charts --quiet --out d").exits(1);
}

#[test]
fn workers_that_are_not_ready_take_no_part() {
    let Some(folder) = measuring() else { return };
    // Generating this number of timeslices takes longer.
    let line = SMALL.replace("--ring 2", "--ring 20");
    folder.bench(format!("{line} --begin {} --out late", after(0.5))).exits(1);
    let row = the_row(&folder, "late");
    assert_eq!((row.due, row.valid), (0, YesNo::No));
    assert!(row.note.contains("after the begin; give a later --begin"), "{}", row.note);
    assert!(!row.begin.is_empty());
}

#[test]
fn a_future_start_is_waited_for_until_interrupted() {
    let Some(folder) = measuring() else { return };
    let errors = folder.join("errors.txt");
    let mut command = folder.command(&format!("{SMALL} --begin 4e9 --out run"));
    let file = fs::File::create(&errors).expect("made");
    let bench = command.stderr(file).stdout(std::process::Stdio::null()).spawn().expect("it runs");
    let waits = "at 2096-10-02T07:06:40.000000Z";
    wait_until(|| fs::read_to_string(&errors).is_ok_and(|text| text.contains(waits)));
    let asked = Instant::now();
    signal(&bench, "INT");
    Run::end_of(bench).exits(130);
    assert!(asked.elapsed() < Duration::from_secs(5));
    assert_eq!(table::<StreamRow>(&folder, "run/stream.csv"), []);
}

#[test]
fn a_begin_that_can_t_be_kept_is_refused_and_leaves_nothing() {
    let Some(folder) = measuring() else { return };
    folder.check(
        "
        2 | stream --begin 2020-01-31T12:00:00Z --out r | --begin 2020-01-31T12:00:00.000000Z is in the past
        2 | stream --begin noon --out r | use UTC such as 2026-01-31T12:00:00Z, or seconds
        2 | stream --begin 4e9 --find-limit --out r | cannot be used with
        2 | stream --begin 4e9 --device cpu,cuda:0 --out r | --begin takes one --device
        ",
    );
    assert!(!folder.join("r").exists());
}
