//! Streams on the host and on emulated GPUs, from the plan to the rows.

pub(crate) mod fake;

use std::time::Duration;

use crate::energy::EnergyMeters;
use crate::registry;
use portable_gpu::emulator;
use reports::record::YesNo;
use reports::throughput::{EventRow, ThroughputRow};
use tasks::device::{Backend, Device};

use super::ceilings::Ceilings;
use super::placement::StreamGpus;
use super::plan::{PointSpec, StreamPlan};
use super::point::{Command, Measured, Setup, WindowLength, measure};
use super::stream::Events;
use crate::cli::{Request, parse};
use crate::plan::CandidateSpec;
use crate::platform::Interrupt;
use crate::request::{AxisValues, Source, ThroughputRequest};

const LENGTH: WindowLength =
    WindowLength { wanted: Duration::from_millis(20), max: Duration::from_millis(500) };

fn request(line: &str) -> ThroughputRequest {
    let line = format!("bench throughput {line}");
    match parse(line.split(' ').map(Into::into)) {
        Ok(Request::Throughput(mut request)) => {
            request.choose_devices();
            *request
        }
        _ => panic!("not understood: {line}"),
    }
}

/// Results of all points of a command.
fn measured(line: &str, interrupt: &Interrupt) -> Vec<Measured> {
    carried_out(&request(line), interrupt)
}

fn carried_out(request: &ThroughputRequest, interrupt: &Interrupt) -> Vec<Measured> {
    measure_all(&StreamPlan::new(request).expect("a plan"), interrupt)
}

fn measure_all(planned: &StreamPlan, interrupt: &Interrupt) -> Vec<Measured> {
    let gpus = StreamGpus::default();
    let ceilings = Ceilings::default();
    let command = Command::default();
    let plan = &planned.plan;
    let meters = EnergyMeters::default();
    let setup = Setup {
        plan,
        gpus: &gpus,
        ceilings: &ceilings,
        meters: &meters,
        interrupt,
        seed: 1,
        command,
    };
    let mut events = Events::default();
    let points = planned.points.iter();
    points.map(|point| measure(&setup, &mut events, point, LENGTH).expect("events")).collect()
}

/// Points of a command for the host, moved to an emulated GPU, which commands do not measure, with
/// the kernels of these names.
fn emulated(line: &str, names: &[&str]) -> StreamPlan {
    let mut planned = StreamPlan::new(&request(line)).expect("a plan");
    let infos = planned.plan.task().variants().into_iter().enumerate();
    let kernels = infos
        .filter(|(_, info)| info.backend == Backend::Cuda && names.contains(&info.name))
        .map(|(variant, _)| variant);
    let point = planned.points[0].clone();
    let device = Device::Emulator;
    let points = kernels.map(|variant| PointSpec {
        candidate: CandidateSpec { variant, device, ..point.candidate },
        device_set: device.into(),
        ..point.clone()
    });
    planned.points = points.collect();
    planned
}

fn right(measured: Measured) -> (ThroughputRow, Vec<EventRow>) {
    match measured {
        Measured::Right(row, events) => (*row, events),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_point_has_its_rates_and_its_events() {
    let line = "merge --tracks 500 --device cpu --variant sequential --streams 3,1 --batch 2";
    let measured = measured(line, &Interrupt::default());
    let streams: Vec<usize> = measured
        .into_iter()
        .map(|measured| {
            let (row, events) = right(measured);
            assert_eq!((row.valid, row.batch, row.items), (YesNo::Yes, 2, 500.0));
            assert!(row.items_per_s.is_some() && row.cores_share.is_some(), "{row:?}");
            assert_eq!(row.events, events.len());
            assert!(events.iter().all(|it| it.stream < row.streams && it.event < 2));
            assert!(row.working_set_bytes > 0);
            row.streams
        })
        .collect();
    assert_eq!(streams, [1, 3]);
}

#[test]
fn streams_of_gpus_have_queues_and_buffers_of_their_own() {
    if emulator::unavailable().is_some() {
        return;
    }
    for (line, names) in [
        ("gather --scale 0.00001", &["naive"][..]),
        ("merge --tracks 200", &["components", "buckets"]),
        ("sts --preset mcbm-2024 --scale 0.0001", &["per-side", "online"]),
    ] {
        let line = format!("{line} --device cpu --streams 2 --batch 2");
        let planned = emulated(&line, names);
        assert!(!planned.points.is_empty(), "{line}");
        for measured in measure_all(&planned, &Interrupt::default()) {
            assert!(right(measured).0.rate().is_some(), "{line}");
        }
    }
}

#[test]
fn wrong_outputs_yield_no_figures() {
    for (variant, expected) in [
        ("right", None),
        ("wrong", Some("wrong output: an act is missing")),
        ("wrong-later", Some("after the window, stream 0: wrong output: an act is missing")),
        ("panics-later", Some("panicked: no more acts")),
        ("fails-later", Some("not run: ")),
    ] {
        let mut request = request("merge --device cpu --streams 2 --batch 1");
        request.measuring.task = &fake::TASK;
        request.measuring.source = Source::Generated(AxisValues::default());
        request.measuring.settings.variants = vec![variant.to_owned()];
        let measured = carried_out(&request, &Interrupt::default());
        let [measured] = <[Measured; 1]>::try_from(measured).expect("one point");
        let note = match measured {
            Measured::Right(row, _) => {
                assert_eq!((expected, row.valid), (None, YesNo::Yes));
                continue;
            }
            Measured::Wrong(row) | Measured::Unavailable(row) => {
                assert_eq!(row.valid, YesNo::No, "{variant}");
                row.note
            }
            Measured::Interrupted => panic!("{variant}"),
        };
        assert!(note.starts_with(expected.expect(variant)), "{variant}: {note}");
    }
}

#[test]
fn an_interrupt_ends_a_point_without_a_row() {
    let interrupt = Interrupt::default();
    interrupt.ask();
    let line = "merge --tracks 500 --device cpu --variant sequential --streams 2";
    let measured = measured(line, &interrupt);
    assert!(matches!(measured[..], [Measured::Interrupted]), "{measured:?}");
}

#[test]
fn events_differ_and_are_made_once_for_all_points() {
    let request = request("merge --tracks 500 --device cpu --variant sequential --streams 1,2");
    let planned = StreamPlan::new(&request).expect("a plan");
    let mut events = Events::default();
    let of_point = |events: &mut Events, point: usize| -> Vec<*const u8> {
        let point = &planned.points[point];
        let streams: Vec<usize> = (0..point.streams).collect();
        let cases = events.of_streams(point, &streams, &planned.plan, 1).expect("made");
        assert_eq!(cases.len(), point.streams);
        let cases = cases.iter().flatten();
        cases.map(|case| std::ptr::from_ref(*case).cast()).collect()
    };
    let one = of_point(&mut events, 0);
    let two = of_point(&mut events, 1);
    assert_eq!((one.len(), two.len()), (4, 8));
    assert_eq!(one, two[..4]);
}

#[test]
fn device_lists_with_missing_devices_are_skipped() {
    let mut request = request("merge --device cpu --streams 1");
    let missing = "cuda:900+cuda:901".parse().expect("one kind");
    request.device_sets.push(missing);
    request.choose_devices();
    let planned = StreamPlan::new(&request).expect("the CPU is there");
    assert!(planned.points.iter().all(|point| point.device_set == Device::Cpu.into()));
    let notes = &planned.plan.notes;
    assert!(notes.iter().any(|note| note.contains("cuda:900 can't be used")), "{notes:?}");
}

#[test]
fn every_task_runs_in_streams() {
    for task in registry::tasks() {
        let request = request(&format!("{} --device cpu --streams 2", task.name()));
        assert_eq!(request.measuring.task.name(), task.name());
        assert_eq!(request.stream_counts(), [2]);
    }
}
