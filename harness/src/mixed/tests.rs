//! Short runs of mixes.

mod file;

use std::time::Duration;

use reports::mixed::is_unbounded;
use reports::record::YesNo;
use tasks::device::Device;

use super::file::{LoadSpec, Mix, Pace, parse};
use super::participants::{Participant, Preparation, Teams, generate};
use super::plan::MixPlan;
use super::session::Session;
use super::window::{NoRows, WindowSetup, measure};
use crate::cli::{Request, parse as parse_line};
use crate::energy::EnergyMeters;
use crate::platform::{Exit, Interrupt};
use crate::request::{AxisValues, MixedRequest, Settings};
use crate::throughput::tests::fake;
use crate::throughput::{Ceilings, Events, StreamGpus};

const MERGE: &str =
    "[[load]]\ntask = \"merge\"\nvariant = \"sequential\"\naxes = { tracks = 200 }\n";

fn mix(text: &str) -> Mix {
    parse("mix.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn request(line: &str) -> MixedRequest {
    let line = format!("bench mixed mix.toml --quiet {line}");
    match parse_line(line.split_whitespace().map(Into::into)) {
        Ok(Request::Mixed(request)) => *request,
        _ => panic!("not understood: {line}"),
    }
}

/// Calls a function with the ready loads of a mix, and the context of their windows.
fn with_participants<R>(
    text: &str,
    line: &str,
    work: impl FnOnce(&WindowSetup<'_>, &mut [Participant<'_>]) -> R,
) -> R {
    let request = request(line);
    let planned = MixPlan::new(&request, mix(text)).expect("a plan");
    let interrupt = Interrupt::default();
    let gpus = StreamGpus::default();
    let teams = Teams::start(&planned).expect("threads");
    let mut events: Vec<Events> = planned.loads.iter().map(|_| Events::default()).collect();
    let cases = generate(&planned, &mut events, 1).expect("events");
    let mut preparation = Preparation { gpus: &gpus, interrupt: &interrupt, queues: 0 };
    let mut participants = preparation.all(&planned, &teams, &cases, &|_| {});
    let setup = WindowSetup {
        ceilings: &Ceilings::default(),
        meters: &EnergyMeters::default(),
        interrupt: &interrupt,
        duration: Duration::from_millis(60),
    };
    work(&setup, &mut participants)
}

#[test]
fn loads_of_a_window_have_a_row_each() {
    let text = format!(
        "{MERGE}[[load]]\nname = \"due\"\ntask = \"merge\"\nvariant = \"sequential\"\n\
        axes = {{ tracks = 200 }}\nrate = \"500/s\"\nstreams = 2\n"
    );
    let line = "--background cores --background-threads 1";
    with_participants(&text, line, |setup, participants| {
        let rows = measure(setup, participants, &[0, 1, 2]);
        let rows = rows.unwrap_or_else(|_| panic!("measured"));
        let names: Vec<&str> = rows.iter().map(|row| row.load.as_str()).collect();
        assert_eq!(names, ["merge", "due", "background-cores"]);
        for row in &rows {
            assert_eq!(row.configuration, "merge+due+background-cores");
            assert!(row.items_per_s.is_some_and(|rate| rate > 0.0), "{row:?}");
        }
        let due = &rows[1];
        let expected = 500.0 * due.window_s.expect("measured");
        assert!((due.due.expect("an open loop") as f64 - expected).abs() <= 1.0, "{due:?}");
        assert_eq!(rows[0].due, None, "a closed loop");
        let alone = measure(setup, participants, &[0]).unwrap_or_else(|_| panic!("measured"));
        assert_eq!(alone.len(), 1, "the others do not run");
    });
}

#[test]
fn a_backlog_grows_at_a_rate_beyond_the_load() {
    let at_rate = |rate: &str| {
        let text = format!("{MERGE}rate = \"{rate}\"\n");
        with_participants(&text, "", |setup, participants| {
            let rows = measure(setup, participants, &[0]);
            rows.unwrap_or_else(|_| panic!("measured")).remove(0)
        })
    };
    let beyond = at_rate("1000000/s");
    assert!(is_unbounded(&beyond, 1), "{beyond:?}");
    let p50 = beyond.p50_s.expect("measured");
    let service = 1.0 / beyond.events_per_s.expect("measured");
    assert!(p50 > 5.0 * service, "latencies count from the due times: {p50} {service}");
    let slow = at_rate("100/s");
    assert!(!is_unbounded(&slow, 1), "{slow:?}");
    // Ten due events at least: 100 ms instead of 60.
    assert!(slow.window_s.expect("measured") >= 0.099, "{slow:?}");
    assert!((80.0..120.0).contains(&slow.events_per_s.expect("measured")), "{slow:?}");
}

#[test]
fn an_interrupted_window_has_no_rows() {
    with_participants(MERGE, "", |setup, participants| {
        setup.interrupt.ask();
        let rows = measure(setup, participants, &[0]);
        assert!(matches!(rows, Err(NoRows::Interrupted)));
    });
}

#[test]
fn a_load_without_its_device_is_named_and_the_others_are_measured() {
    let text = format!(
        "{MERGE}[[load]]\nname = \"gpu\"\ntask = \"merge\"\ndevice = \"cuda:900\"\n\
        variant = \"components-blocks\"\n"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("run");
    let line = format!("--duration 40ms --blocks 2 --no-charts --out {}", out.to_string_lossy());
    let request = request(&line);
    let planned = MixPlan::new(&request, mix(&text)).expect("one of them can run");
    let outcome = Session::run(&request, &planned, &Interrupt::default(), &|_| {});
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    let [merge, gpu] = &outcome.result.loads[..] else { panic!("two") };
    assert!(merge.is_valid() && merge.alone_per_s.is_some(), "{merge:?}");
    assert_eq!(gpu.valid, YesNo::No);
    assert!(gpu.note.contains("cuda:900"), "{}", gpu.note);
    assert_eq!(outcome.run.record.missing_devices, ["cuda:900"]);
}

/// A load of a task whose variants fail at different times.
fn fake_load(name: &str, variant: &str) -> LoadSpec {
    let settings = Settings {
        devices: vec![Device::Cpu],
        threads: vec![vec![1.into()]],
        variants: vec![variant.to_owned()],
        ..Settings::default()
    };
    LoadSpec {
        name: name.to_owned(),
        task: &fake::TASK,
        axes: AxisValues::default(),
        settings,
        streams: 1,
        batch: 1,
        pace: Pace::Closed { weight: 1.0 },
    }
}

#[test]
fn after_a_failure_the_others_are_measured_anew_without_the_load() {
    for (variant, note, exit) in [
        ("wrong", "wrong output: an act is missing", Exit::WrongOutput),
        ("wrong-later", "after the window, stream 0: wrong output", Exit::WrongOutput),
        ("panics-later", "panicked: no more acts", Exit::WrongOutput),
        ("fails-later", "not run: ", Exit::NothingMeasured),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("run");
        let line =
            format!("--duration 40ms --blocks 2 --no-charts --out {}", out.to_string_lossy());
        let loads = vec![fake_load("fine", "right"), fake_load("bad", variant)];
        let request = request(&line);
        let planned = MixPlan::new(&request, Mix { loads }).expect("a plan");
        let outcome = Session::run(&request, &planned, &Interrupt::default(), &|_| {});
        let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
        let [fine, bad] = &outcome.result.loads[..] else { panic!("two") };
        assert!(fine.is_valid() && fine.blocks == 2, "{variant}: {fine:?}");
        assert!(!bad.is_valid() && bad.note.starts_with(note), "{variant}: {}", bad.note);
        assert!(outcome.result.slowdowns.is_empty(), "one load is left");
        assert_eq!(outcome.run.exit(), exit, "{variant}");
        for file in ["loads.csv", "matrix.csv", "windows.csv", "run.json"] {
            assert!(out.join(file).exists(), "{file}");
        }
    }
}
