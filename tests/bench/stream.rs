//! `bench stream`: what becomes of timeslices, whatever happens to the workers.

use std::fs;
use std::time::{Duration, Instant};

use crate::common::{Folder, Run, children, is_there, measuring, send, signal, wait_until};

/// 1.25 ms of mCBM, on the host.
const SMALL: &str = "stream --preset mcbm-2024 --scale 0.0005 --ring 2";

/// Some timeslices long.
const A_MOMENT: Duration = Duration::from_millis(150);

/// A column of `stream.csv`, a value for each speed.
fn column(folder: &Folder, run: &str, name: &str) -> Vec<String> {
    let text = folder.read(format!("{run}/stream.csv"));
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headers = rows.headers().expect("a header").clone();
    let index = headers.iter().position(|header| header == name).expect(name);
    rows.records().map(|row| row.expect("a row")[index].to_owned()).collect()
}

fn numbers<const N: usize>(folder: &Folder, run: &str, names: [&str; N]) -> [u64; N] {
    names.map(|name| column(folder, run, name)[0].parse().expect(name))
}

/// Returns true if a `bench` emits timeslices: its source process exists.
fn emits(bench: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{bench}/task")).into_iter().flatten().flatten();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.into_iter().any(|name| name == "source\n")
}

#[test]
fn each_timeslice_has_a_fate_and_each_speed_a_row() {
    let Some(folder) = measuring() else { return };
    let own = "--speed 0.05,0.1 --duration 400ms --check-every 2 --hits hits --out run";
    let line = format!("{SMALL} {own}");
    let reported = folder.bench(&line).exits(0);
    for words in ["timeslices of 1.25 ms", "keeps up with", "p99.9"] {
        assert!(reported.stdout.contains(words), "{words}: {}", reported.stdout);
    }
    folder.has("run/run.json run/stream-over-time.svg run/stream-over-time.png");
    folder.has("run/stream-latency.png run/stream-kept-up.png");
    assert_eq!(column(&folder, "run", "speed"), ["0.05", "0.1"]);
    assert_eq!(column(&folder, "run", "due"), ["16", "32"]);
    assert_eq!(column(&folder, "run", "valid"), ["yes", "yes"]);
    let [done, lost, dropped, backlog] =
        numbers(&folder, "run", ["done", "lost", "dropped", "backlog"]);
    assert_eq!(done + lost + dropped + backlog, 16);
    let [checked] = numbers(&folder, "run", ["checked"]);
    assert!(0 < checked && checked < 16, "{checked}");
    let timeslices = folder.read("run/timeslices.csv");
    assert_eq!(timeslices.lines().count(), 1 + 16 + 32);
    let written = fs::read_dir(folder.join("hits/cpu-0.05")).expect("there").count();
    assert_eq!(written as u64, done);
    // The folder belongs to this run only.
    folder.bench(&line).exits(2).says("holds a run already");
}

#[test]
fn time_frames_of_the_tpc_are_streamed_too() {
    let Some(folder) = measuring() else { return };
    let small = "stream tpc --sectors 1 --orbits 2 --ring 2 --processes 1 --no-charts";
    let own = "--speed 0.002 --duration 2s --check-every 1 --spill 1s/1s --jitter 0.2 --out run";
    folder.bench(format!("{small} {own}")).exits(0);
    // Two orbits last 178.2 µs.
    assert_eq!(column(&folder, "run", "due"), ["22"]);
    assert_eq!(column(&folder, "run", "item_unit"), ["sample"]);
    assert_eq!(column(&folder, "run", "valid"), ["yes"]);
    let [done, checked] = numbers(&folder, "run", ["done", "checked"]);
    assert!(done > 0 && checked <= done, "{done} {checked}");
    for (line, problem) in [
        (format!("{small} --variant balanced --out no"), "tpc has no variant"),
        (format!("{small} --events --out no"), "unexpected argument '--events'"),
        ("stream --quiet tpc".to_owned(), "cannot be used with"),
    ] {
        folder.bench(line).exits(2).says(problem);
    }
}

#[test]
fn raw_data_spills_and_an_overload_are_accounted_for() {
    let Some(folder) = measuring() else { return };
    let shape = "--from raw --spill 20ms/10ms --jitter 0.2 --processes 1 --queue 2 --no-charts";
    let line = format!("{SMALL} {shape} --speed 50 --when-full drop --duration 300ms --out run");
    folder.bench(&line).exits(0);
    let [due, done, dropped, backlog] =
        numbers(&folder, "run", ["due", "done", "dropped", "backlog"]);
    assert_eq!(due, 12_000);
    assert!(dropped > 0 && done + dropped + backlog == due && backlog <= 2, "{dropped} {backlog}");
    assert_eq!(column(&folder, "run", "kept_up"), ["no"]);
    let line = line.replace("--when-full drop", "--when-full wait").replace("run", "held");
    folder.bench(&line).exits(0);
    let [due, emitted, done, backlog] =
        numbers(&folder, "held", ["due", "emitted", "done", "backlog"]);
    assert!(emitted < due && done + backlog == due, "{emitted} {done} {backlog}");
}

/// The sum of a column of `timeslices.csv`.
fn sum_of_timeslices(folder: &Folder, run: &str, name: &str) -> u64 {
    let text = folder.read(format!("{run}/timeslices.csv"));
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headers = rows.headers().expect("a header").clone();
    let index = headers.iter().position(|header| header == name).expect(name);
    rows.records().filter_map(|row| row.expect("a row")[index].parse::<u64>().ok()).sum()
}

#[test]
fn events_are_built_after_the_chain_and_counted() {
    let Some(folder) = measuring() else { return };
    let shape = "--speed 0.1 --duration 300ms --check-every 1 --no-charts";
    for (run, own) in [("digis", ""), ("raw", "--from raw"), ("random", "--order random")] {
        let line = format!("{SMALL} {shape} --events --min-digis 5 {own} --out {run}");
        folder.bench(&line).exits(0).prints("building p50");
        let [done, checked, digis, events, kept] =
            numbers(&folder, run, ["done", "checked", "done_items", "events", "event_items"]);
        assert_eq!(done, checked, "{run}");
        assert!(events > 10 * done && kept >= 5 * events && kept < digis, "{run}: {events} {kept}");
        assert_eq!(sum_of_timeslices(&folder, run, "events"), events);
        assert_eq!(sum_of_timeslices(&folder, run, "event_digis"), kept);
        let [building, work]: [f64; 2] = ["building_p50_s", "work_p50_s"]
            .map(|name| column(&folder, run, name)[0].parse().expect(name));
        assert!(0.0 < building && building < work, "{run}: {building} {work}");
    }
    folder.bench(format!("{SMALL} {shape} --out without")).exits(0);
    assert_eq!(column(&folder, "without", "events"), [""]);
}

#[test]
fn the_limit_is_a_speed_that_was_kept_up_to_the_end() {
    let Some(folder) = measuring() else { return };
    let own = "--find-limit --duration 100ms --queue 4 --no-charts --out run";
    let reported = folder.bench(format!("{SMALL} {own}")).exits(0);
    reported.says("the detector's rate");
    let [kept_up, duration, speed] =
        ["kept_up", "duration_s", "speed"].map(|name| column(&folder, "run", name));
    assert!(speed.len() > 1, "{speed:?}");
    for (index, speed) in speed.iter().enumerate() {
        // A speed that was not sustained may end early.
        let is_whole = duration[index] == "0.1";
        assert!(is_whole || kept_up[index] == "no", "speed {speed}: {duration:?}");
    }
}

#[test]
fn killed_and_hanging_workers_lose_nothing_unaccounted() {
    let Some(folder) = measuring() else { return };
    let line = format!(
        "{SMALL} --events --processes 3 --speed 0.1 --duration 1s --timeout 200ms --no-charts --out run"
    );
    let bench = folder.start(&line);
    wait_until(|| emits(bench.id()));
    std::thread::sleep(A_MOMENT);
    let seen = children(bench.id());
    send("KILL", seen[0]);
    // One that stands still is taken for gone only when its time is over.
    send("STOP", seen[1]);
    Run::end_of(bench).exits(0);
    let note = column(&folder, "run", "note").remove(0);
    for lost in ["worker 0 was lost: it ended with signal: 9", "worker 1 was lost"] {
        assert!(note.contains(lost), "{note}");
    }
    let [due, done, lost, backlog, gone] =
        numbers(&folder, "run", ["due", "done", "lost", "backlog", "workers_lost"]);
    assert_eq!((due, gone), (80, 2), "{note}");
    assert_eq!(done + lost + backlog, due);
    // Timeslices processed twice are counted once.
    let [events] = numbers(&folder, "run", ["events"]);
    assert_eq!(sum_of_timeslices(&folder, "run", "events"), events);
    assert!(done > 40, "one of three goes on: {done}");
    assert!(seen.into_iter().all(|worker| !is_there(worker)));
}

#[test]
fn without_workers_it_ends_at_once_and_says_so() {
    let Some(folder) = measuring() else { return };
    let line = format!("{SMALL} --processes 1 --speed 0.1 --duration 1h --no-charts --out run");
    let bench = folder.start(&line);
    wait_until(|| emits(bench.id()));
    std::thread::sleep(A_MOMENT);
    let seen = children(bench.id());
    let killed = Instant::now();
    send("KILL", seen[0]);
    Run::end_of(bench).exits(1);
    assert!(killed.elapsed() < Duration::from_secs(5));
    let note = column(&folder, "run", "note").remove(0);
    assert!(note.contains("no worker was left"), "{note}");
}

#[test]
fn workers_end_with_their_parent() {
    let Some(folder) = measuring() else { return };
    let line = format!("{SMALL} --speed 0.1 --duration 1h --no-charts --out run");
    let mut bench = folder.start(&line);
    wait_until(|| emits(bench.id()));
    let seen = children(bench.id());
    assert_eq!(seen.len(), 2);
    bench.kill().expect("killed");
    bench.wait().expect("gone");
    wait_until(|| !seen.iter().any(|&worker| is_there(worker)));
}

#[test]
fn ctrl_c_keeps_what_was_done() {
    let Some(folder) = measuring() else { return };
    let line = format!("{SMALL} --speed 0.1,0.2 --duration 1h --no-charts --out run");
    let bench = folder.start(&line);
    wait_until(|| emits(bench.id()));
    std::thread::sleep(A_MOMENT);
    signal(&bench, "INT");
    Run::end_of(bench).exits(130).says("what was measured is kept in run");
    assert_eq!(column(&folder, "run", "speed"), ["0.1"]);
    let [due, done, backlog] = numbers(&folder, "run", ["due", "done", "backlog"]);
    assert!(done > 0 && done + backlog == due, "{due} {done} {backlog}");
    assert_eq!(folder.record("run").finished, None);
}

#[test]
fn invalid_input_is_refused_and_leaves_nothing() {
    let Some(folder) = measuring() else { return };
    folder.check(
        "
        2 | stream --speed 0 --out r | use a number from 0.001
        2 | stream --spill 4s --out r | two times such as 4s/6s
        2 | stream --jitter 2 --out r | use a share from 0 to 0.577
        2 | stream --device cpu+cuda:0 --out r | devices of different kinds
        2 | stream --threads 1,2 --out r | --threads takes one value here
        2 | stream --threads 2x2 --out r | one level
        2 | stream --duration 0s --out r | more than 0s
        2 | stream --scale 0.0005 --preset mcbm-2024,cbm-auau --out r | give each axis one value
        2 | stream --scale 0.0005 --speed 10000 --duration 1h --out r | account is kept of 2 M
        2 | stream --scale 0.0005 --ring 1000000 --processes 1000000 --out r | of memory
        2 | stream --scale 0.0005 --processes 1000000 --out r | of memory
        2 | stream --input digis.bin --out r | --input needs --timeslice
        2 | stream --timeslice 1ms --out r | --input
        2 | stream --window 5ns --out r | --events
        2 | stream --preset mcbm-2024 --scale 0.0005 --events --min-digis 5000000000 --out r | --min-digis 5000000000
        2 | stream --preset mcbm-2024 --scale 0.0005 --events --dead-time 0ns --before 2s --out r | longer --dead-time
        2 | stream --find-limit --speed 2 --out r | cannot be used with
        2 | stream --preset mcbm-2024 --scale 0.0005 --variant offline --hits h --out r | online reconstruction
        2 | stream --scale 0.0005 --variant none --out r | there are
        5 | stream --scale 0.0005 --device cuda:900 --out r | cuda:900
        5 | stream --scale 0.0005 --device emulator --out r | emulator
        ",
    );
    assert!(!folder.join("r").exists());
    // Workers are not started by hand.
    let alone = folder.bench("stream-worker --memory 999").exits(1);
    assert!(alone.stdout.contains("is only started by `bench stream`"), "{}", alone.stdout);
}

/// For how long memory is watched: the longer the better, and an hour at night.
const SOAK: &str = "RECOBENCH_SOAK";

/// Bytes of memory that a process has, but those that others have, too.
fn own_memory(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    let number = line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    number.expect("reported") * 1024
}

#[test]
#[ignore = "takes an hour"]
fn a_long_stream_takes_no_more_memory() {
    let Some(folder) = measuring() else { return };
    let length = std::env::var(SOAK).unwrap_or("1h".to_owned());
    let seconds = match length.split_at(length.len() - 1) {
        (number, "h") => 3600 * number.parse::<u64>().expect("hours"),
        (number, "m") => 60 * number.parse::<u64>().expect("minutes"),
        _ => panic!("{SOAK} is such as 3m or 1h"),
    };
    // An hour holds the timeslices of six hours of the detector.
    let line = format!("{SMALL} --events --speed 0.5 --duration {length} --no-charts --out run");
    let bench = folder.start(&line);
    wait_until(|| emits(bench.id()));
    let all = [vec![bench.id()], children(bench.id())].concat();
    let memory = || all.iter().map(|&process| own_memory(process)).collect::<Vec<_>>();
    let tenth = Duration::from_secs(seconds) / 10;
    std::thread::sleep(tenth);
    let before = memory();
    std::thread::sleep(8 * tenth);
    let after = memory();
    // Slots for all timeslices are allocated at the start, and filled on arrival.
    let of_timeslice = 96;
    let due_meanwhile = seconds * 400 * 8 / 10;
    let more = |process: usize| if process == 0 { due_meanwhile * of_timeslice } else { 0 };
    for (process, (before, after)) in before.iter().zip(&after).enumerate() {
        let max = before + before / 50 + (4 << 20) + more(process);
        assert!(*after <= max, "process {process}: {before} bytes, then {after}");
    }
    Run::end_of(bench).exits(0);
    assert_eq!(column(&folder, "run", "workers_lost"), ["0"]);
}
