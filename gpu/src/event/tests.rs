//! Queues and events, on queues that run as late as possible, and in random orders.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ceilings::MemoryStreams;
use crate::emulator::{Config, Execution, unavailable};
use crate::{DeviceBuffer, DeviceError, Gpu, MAX_LEASED_QUEUES, MAX_QUEUES, POISON};

fn emulator(execution: Execution) -> Option<Gpu> {
    if let Some(reason) = unavailable() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let config = Config { checked: true, ..Config::default() };
    Some(Gpu::emulated_queues(config, execution).expect("an emulator"))
}

fn emulators() -> impl Iterator<Item = Gpu> {
    let random = (0..4).map(|seed| Execution::Random { seed });
    [Execution::Late, Execution::Eager].into_iter().chain(random).filter_map(emulator)
}

fn filled(gpu: &Gpu, byte: u8) -> DeviceBuffer<u8> {
    let buffer = gpu.buffer(4).expect("memory");
    gpu.fill(&buffer, byte).expect("started");
    buffer
}

#[test]
fn a_queue_waits_for_the_event_of_another_one() {
    for gpu in emulators() {
        let first = gpu.queue().expect("a queue");
        let second = gpu.queue().expect("a queue");
        let mut found = gpu.pinned::<u8>(4).expect("memory");
        let buffer = filled(&first, 9);
        let written = first.record_event().expect("recorded");
        first.fill(&filled(&gpu, 1), 2).expect("after the event");
        second.wait_for(&written).expect("ordered");
        second.download(&mut found, &buffer).expect("started");
        assert_eq!(*found, [9; 4]);
    }
}

#[test]
fn without_the_event_data_come_too_early() {
    let Some(gpu) = emulator(Execution::Late) else { return };
    let [first, second] = [(); 2].map(|()| gpu.queue().expect("a queue"));
    let mut found = gpu.pinned::<u8>(4).expect("memory");
    let buffer = filled(&first, 9);
    second.download(&mut found, &buffer).expect("started");
    second.wait().expect("no failure");
    assert_eq!(*found, [POISON; 4]);
}

#[test]
fn an_event_is_only_about_the_work_before_it() {
    let Some(gpu) = emulator(Execution::Late) else { return };
    let queue = gpu.queue().expect("a queue");
    let buffer = filled(&queue, 9);
    let event = queue.record_event().expect("recorded");
    queue.fill(&buffer, 8).expect("started");
    let pending = || gpu.emulator_queues().expect("an emulator").pending();
    assert_eq!(pending(), 2);
    event.wait().expect("no failure");
    assert_eq!(pending(), 1, "what came after it");
    assert_eq!(event.is_done(), Ok(true));
}

#[test]
fn polling_an_event_comes_to_an_end() {
    for gpu in emulators() {
        let queue = gpu.queue().expect("a queue");
        let buffers = [1, 2, 3].map(|byte| filled(&queue, byte));
        let event = queue.record_event().expect("recorded");
        let polls = (0..100).position(|_| event.is_done().expect("no failure"));
        assert!(polls.is_some());
        let found = gpu.read_back(&buffers[2], 0..4);
        assert_eq!(found, Ok(vec![3; 4]));
    }
}

#[test]
fn events_free_host_memory_for_others() {
    for gpu in emulators() {
        let queue = gpu.queue().expect("a queue");
        let buffer = filled(&queue, 5);
        let mut host = gpu.pinned::<u8>(4).expect("memory");
        queue.download(&mut host, &buffer).expect("started");
        let event = queue.record_event().expect("recorded");
        event.wait().expect("no failure");
        let queues = gpu.emulator_queues().expect("an emulator");
        let before = queues.counts().waits;
        assert_eq!(*host, [5; 4]);
        assert_eq!(queues.counts().waits, before, "known to have ended");
    }
}

#[test]
fn emulators_have_no_times_and_other_devices_are_refused() {
    let Some(gpu) = emulator(Execution::Eager) else { return };
    let Some(other) = emulator(Execution::Late) else { return };
    let event = gpu.record_event().expect("recorded");
    let later = gpu.record_event().expect("recorded");
    assert_eq!(later.seconds_since(&event), Ok(None));
    let device = "emulator".to_owned();
    let refused = DeviceError::OtherDevice { device, what: "earlier event" };
    let foreign = other.record_event().expect("recorded");
    assert_eq!(later.seconds_since(&foreign), Err(refused));
}

#[test]
fn the_host_waits_for_events_of_other_machines() {
    let Some(gpu) = emulator(Execution::Late) else { return };
    let Some(other) = emulator(Execution::Late) else { return };
    let _buffer = filled(&other, 1);
    let event = other.record_event().expect("recorded");
    assert_eq!(other.emulator_queues().map(|queues| queues.pending()), Some(1));
    gpu.wait_for(&event).expect("no failure");
    assert_eq!(other.emulator_queues().map(|queues| queues.pending()), Some(0));
}

#[test]
fn queues_are_limited_and_reused() {
    let Some(gpu) = emulator(Execution::Late) else { return };
    let mut queues: Vec<_> =
        (0..MAX_LEASED_QUEUES).map(|_| gpu.queue().expect("a queue")).collect();
    let text = gpu.queue().err().expect("no more").to_string();
    assert_eq!(text, "all 16 queues of emulator are in use; drop one");
    let dropped = queues.pop().expect("some");
    let buffer = filled(&dropped, 3);
    drop(dropped);
    let again = gpu.queue().expect("one is free");
    assert_eq!(again.read_back(&buffer, 0..4), Ok(vec![3; 4]), "its work runs to the end");
}

#[test]
fn ranges_and_indices_beyond_the_end_are_errors() {
    for gpu in emulators() {
        let buffer = filled(&gpu, 1);
        let mut host = gpu.pinned::<u8>(5).expect("memory");
        let other = filled(&gpu, 2);
        let device = "emulator".to_owned();
        let refused = |what, needed| {
            let device = device.clone();
            Err(DeviceError::OutOfBounds { device, what, needed, length: 4 })
        };
        assert_eq!(gpu.upload(&buffer, &host), refused("an upload", 5));
        assert_eq!(gpu.upload_part(&buffer, 9, host.part(0..0)), refused("an upload", 9));
        assert_eq!(gpu.download(&mut host, &buffer), refused("a download", 5));
        let both = gpu.exchange(&buffer, &[1_u8][..], &mut host, &other);
        assert_eq!(both, refused("a download", 5));
        assert_eq!(gpu.fill_first(&buffer, 6, 0), refused("a fill", 6));
        assert_eq!(gpu.copy(&buffer, &buffer), Ok(()));
        let text = gpu.with_queue(MAX_QUEUES, Gpu::wait).expect_err("none").to_string();
        assert!(text.contains("its index is 5; they are below 5"), "{text}");
        assert_eq!(gpu.read_back(&buffer, 0..4), Ok(vec![1; 4]));
    }
}

#[test]
fn a_recording_has_neither_queues_nor_events() {
    for gpu in emulators() {
        for (text, outcome) in [
            ("a recording has one queue", gpu.capture("queue", |gpu| gpu.queue().map(drop))),
            ("it needs no events", gpu.capture("event", |gpu| gpu.record_event().map(drop))),
        ] {
            let error = outcome.map(drop).expect_err("refused").to_string();
            assert!(error.contains(text), "{error}");
        }
        let queue = gpu.queue().expect("none is recorded");
        let panics = || gpu.capture("panics", |_| panic!("in the midst of it")).map(drop);
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(queue.record_event().is_ok());
    }
}

/// All work is in one queue then, in the order in which it was started.
#[test]
fn queues_run_in_order_while_times_are_taken() {
    for gpu in emulators() {
        let [first, second] = [(); 2].map(|()| gpu.queue().expect("a queue"));
        let mut found = gpu.pinned::<u8>(4).expect("memory");
        gpu.start_timeline().expect("started");
        let buffer = filled(&first, 9);
        second.download(&mut found, &buffer).expect("started");
        second.wait().expect("no failure");
        assert_eq!(*found, [9; 4]);
        gpu.stages().expect("no times");
    }
}

#[test]
fn kernels_of_a_queue_find_their_data() {
    for gpu in emulators() {
        let queue = gpu.queue().expect("a queue");
        let streams = MemoryStreams::new(&queue, 4096).expect("memory");
        assert_eq!(streams.check(&queue), Ok(()));
    }
}
