//! `bench throughput`.

use crate::common::{Run, children, is_there, measuring, send, signal, wait_until};

/// Small inputs of each task that is a whole step of the online chain.
const TASKS: [&str; 8] = [
    "sts --preset mcbm-2024 --scale 0.0005 --variant time-sweep",
    "sts --from raw --preset mcbm-2024 --scale 0.0005 --variant time-sweep",
    "unpack --preset mcbm-2024 --scale 0.0005 --variant simd",
    "decode --orbits 1 --sectors 1 --variant simd",
    "cluster-finder --orbits 1 --sectors 1 --variant rows --occupancy 0.02",
    "tpc --orbits 1 --sectors 1 --variant rows --occupancy 0.02",
    "merge --tracks 1k --variant sequential",
    "gather --scale 0.0001 --variant streamed",
];

const SHORT: &str = "--device cpu --batch 2 --duration 60ms --quiet";

#[test]
fn every_step_of_the_chain_can_be_kept_busy() {
    let Some(folder) = measuring() else { return };
    for (number, task) in TASKS.iter().enumerate() {
        let run = format!("run-{number}");
        let line = format!("throughput {task} {SHORT} --streams 1,2 --out {run} --format csv");
        let reported = folder.bench(&line).exits(0);
        assert_eq!(reported.stdout.lines().count(), 1 + 2, "{task}: {}", reported.stdout);
        assert_eq!(reported.stdout.matches(",yes,").count(), 2, "{task}: {}", reported.stdout);
        let events = folder.read(format!("{run}/events.csv"));
        assert!(events.lines().count() > 2, "{task}");
    }
}

#[test]
fn a_run_leaves_tables_and_charts() {
    let Some(folder) = measuring() else { return };
    let task = "merge --tracks 1k --variant sequential,components --threads 1,2";
    let line = format!("throughput {task} {SHORT} --streams 1,2,4 --out run");
    let reported = folder.bench(&line).exits(0);
    for words in ["slice tracks per event", "of ideal", "1 thread per stream: ", "cores"] {
        assert!(reported.stdout.contains(words), "{words}: {}", reported.stdout);
    }
    for chart in ["throughput-over-streams", "latency-over-streams", "throughput-over-threads"] {
        folder.has(&format!("run/{chart}.svg run/{chart}.png"));
    }
    folder.has("run/run.json run/events.csv");
    let points = folder.read("run/throughput.csv");
    assert_eq!(points.lines().count(), 1 + 2 * 2 * 3, "{points}");
    let record = folder.record("run");
    assert!(record.finished.is_some() && !record.ceilings.is_empty());
    assert!(record.notes.iter().any(|note| note.contains("take turns") || note.contains("CPU")));
    // The folder belongs to this run only.
    folder.bench(&line).exits(2).says("holds a run already");
}

#[test]
fn two_numbers_of_streams_have_a_plateau_or_a_lower_bound_of_it() {
    let Some(folder) = measuring() else { return };
    let line = "throughput velo --events 10 --variant tables --device cpu --duration 200ms --quiet";
    let two = folder.bench(format!("{line} --streams 1,2 --out two --no-charts")).exits(0);
    assert!(two.stdout.contains("1 thread per stream: plateau of "), "{}", two.stdout);
    let one = folder.bench(format!("{line} --streams 1 --out one --no-charts")).exits(0);
    assert!(one.stdout.contains("plateau not judged"), "{}", one.stdout);
}

#[test]
fn an_input_from_a_file_is_an_event_of_all_streams() {
    let Some(folder) = measuring() else { return };
    folder.bench("generate tracks --tracks 1k --out tracks.bin").exits(0);
    let line = format!("throughput merge --input tracks.bin {SHORT} --variant sequential");
    let reported = folder.bench(format!("{line} --streams 2 --out run --no-charts")).exits(0);
    assert!(reported.stdout.contains("sequential"), "{}", reported.stdout);
    assert!(!folder.join("run/throughput-over-streams.svg").exists());
}

#[test]
fn what_is_said_of_a_file_counts_for_all_events() {
    let Some(folder) = measuring() else { return };
    folder.bench("generate sts-physics --preset mcbm-2024 --scale 0.0005 --out d.csv").exits(0);
    std::fs::rename(folder.join("d.setup.json"), folder.join("elsewhere.json")).expect("moved");
    let data = "--input d.csv --setup elsewhere.json";
    let line = format!("throughput sts {data} {SHORT} --variant time-sweep --streams 1");
    folder.bench(format!("{line} --no-charts --out run")).exits(0);
    let own = "--timeslice 1250us --speed 0.05 --duration 100ms --no-charts";
    folder.bench(format!("stream {data} {own} --processes 1 --out stream")).exits(0);
}

#[test]
fn invalid_input_is_refused_and_leaves_nothing() {
    let Some(folder) = measuring() else { return };
    folder.check(
        "
        2 | throughput merge --device cpu+cuda:0 --out r | devices of different kinds
        2 | throughput merge --device cuda:0+cuda:0 --out r | cuda:0 is there twice
        2 | throughput merge --streams 2x2 --out r | --streams takes plain numbers
        2 | throughput merge --threads 2x2 --out r | one level
        2 | throughput merge --streams 0 --out r | --streams
        2 | throughput merge --batch 0 --out r | --batch
        2 | throughput merge --device cpu --streams 100000 --out r | of memory
        2 | throughput merge --device cpu --variant none --out r | none
        2 | throughput merge --device cpu --processes per-gpu --out r | --processes per-gpu is for GPUs
        2 | throughput merge --device cpu --streams 2 --processes 3 --out r | need at least 3 --streams
        2 | throughput merge --device cpu --processes 0 --out r | use a number from 1 to
        5 | throughput merge --device cuda:900 --out r | cuda:900 can't be used
        5 | throughput merge --device emulator --out r | emulator
        ",
    );
    assert!(!folder.join("r").exists());
}

#[test]
fn a_budget_that_is_over_keeps_what_was_measured() {
    let Some(folder) = measuring() else { return };
    let line = "throughput merge --tracks 1k --variant sequential --device cpu --batch 1 \
                --streams 1,2,3,4,5,6,7,8 --duration 10s --budget 3s --quiet --out run";
    let run = folder.bench(line);
    assert!(matches!(run.code, Some(0 | 5)), "{}", run.stderr);
    folder.has("run/throughput.csv");
}

#[test]
fn ctrl_c_keeps_the_points_that_are_done() {
    let Some(folder) = measuring() else { return };
    let line = "throughput merge --tracks 1k --variant sequential --device cpu --batch 1 --streams \
                1,2 --duration 100ms --budget 60s --out r";
    folder.bench(line).exits(0);
    let long =
        line.replace("100ms", "10m").replace(" --budget 60s", "").replace("--out r", "--out s");
    let child = folder.start(&long);
    wait_until(|| folder.join("s/events.csv").exists());
    signal(&child, "INT");
    let run = Run::end_of(child).exits(130);
    run.says("what was measured is kept in s");
    assert_eq!(folder.record("s").finished, None);
    assert_eq!(folder.read("s/throughput.csv").lines().count(), 1);
}

#[test]
fn several_processes_do_what_one_does() {
    let Some(folder) = measuring() else { return };
    let task = "merge --tracks 1k --variant sequential --processes 1,2";
    let line = format!("throughput {task} {SHORT} --streams 1,3 --out run");
    let reported = folder.bench(&line).exits(0);
    assert!(reported.stdout.contains("processes"), "{}", reported.stdout);
    folder.has("run/throughput-over-streams.png");
    let text = folder.read("run/throughput.csv");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headers = rows.headers().expect("a header").clone();
    let column = |name: &str| headers.iter().position(|it| it == name).expect(name);
    let names = ["streams", "processes", "valid", "items", "item_unit"].map(column);
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    let of = |row: &csv::StringRecord| names.map(|name| row[name].to_owned()).join(" ");
    let all: Vec<String> = rows.iter().map(of).collect();
    let expected = ["1 1", "3 1", "1 2", "3 2"];
    assert_eq!(all, expected.map(|it| format!("{it} yes 1000.0 slice track")));
    for name in ["items_per_s", "p50_s", "cores_share", "working_set_bytes"] {
        let known =
            |row: &csv::StringRecord| row[column(name)].parse::<f64>().is_ok_and(|it| it > 0.0);
        assert!(rows.iter().all(known), "{name}: {text}");
    }
    // All streams of both processes, each under its own number.
    let events = folder.read("run/events.csv");
    let of_last = |stream: usize| format!("{},{stream},", &rows[3][0]);
    assert!((0..3).all(|stream| events.contains(&of_last(stream))), "{}", rows[3].as_slice());
}

#[test]
fn a_process_that_dies_is_reported_and_leaves_nothing() {
    let Some(folder) = measuring() else { return };
    let line = "throughput merge --tracks 1k --variant sequential --device cpu --batch 1 \
                --streams 2 --processes 2 --duration 10m --out r";
    let bench = folder.start(line);
    let id = bench.id();
    wait_until(|| children(id).len() == 2);
    let both = children(id);
    send("KILL", both[1]);
    Run::end_of(bench).exits(3);
    assert!(both.iter().all(|&child| !is_there(child)), "none is left");
    let reported = folder.read("r/throughput.csv");
    assert!(reported.contains("failed: process 1 on cpu ended with signal: 9"), "{reported}");

    let bench = folder.start(&line.replace("--out r", "--out s"));
    let id = bench.id();
    wait_until(|| children(id).len() == 2);
    let both = children(id);
    signal(&bench, "INT");
    Run::end_of(bench).exits(130).says("what was measured is kept in s");
    assert!(both.iter().all(|&child| !is_there(child)), "none is left");
}
