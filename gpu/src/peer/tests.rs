//! Copies between emulators: of one machine, where they run late or in a random order, and of
//! several.

use crate::emulator::{Config, Execution, Faults, unavailable};
use crate::{DeviceBuffer, DeviceError, Gpu};

const COUNT: usize = 1000;

/// Two devices of one machine in several orders, and two machines.
fn pairs() -> Vec<[Gpu; 2]> {
    if let Some(reason) = unavailable() {
        eprintln!("skipped: {reason}");
        return Vec::new();
    }
    let config = Config { checked: true, ..Config::default() };
    let random = (0..8).map(|seed| Execution::Random { seed });
    let executions = [Execution::Late, Execution::Eager].into_iter().chain(random);
    let machine = |execution| {
        let gpus = Gpu::emulated_devices(2, config, execution).expect("emulators");
        <[Gpu; 2]>::try_from(gpus).ok().expect("two")
    };
    let apart = [(); 2].map(|()| Gpu::emulated_queues(config, Execution::Late).expect("one"));
    executions.map(machine).chain([apart]).collect()
}

fn filled(gpu: &Gpu, byte: u8) -> DeviceBuffer<u8> {
    let buffer = gpu.buffer(COUNT).expect("memory");
    gpu.fill(&buffer, byte).expect("started");
    buffer
}

#[test]
fn a_copy_comes_after_the_work_before_it_and_before_that_after_it() {
    for [here, peer] in pairs() {
        let from = filled(&peer, 7);
        let to = filled(&here, 1);
        here.copy_from_peer(&to, &peer, &from).expect("started");
        peer.fill(&from, 8).expect("started");
        assert_eq!(here.read_back(&to, 0..COUNT), Ok(vec![7; COUNT]));
        assert_eq!(peer.read_back(&from, 0..COUNT), Ok(vec![8; COUNT]));
    }
}

#[test]
fn a_source_may_be_dropped_after_the_call() {
    for [here, peer] in pairs() {
        let to = filled(&here, 1);
        here.copy_from_peer(&to, &peer, &filled(&peer, 7)).expect("started");
        // Takes the same memory, if it is reused.
        let other = filled(&peer, 9);
        assert_eq!(here.read_back(&to, 0..COUNT), Ok(vec![7; COUNT]));
        assert_eq!(peer.read_back(&other, 0..COUNT), Ok(vec![9; COUNT]));
    }
}

#[test]
fn queues_of_two_devices_wait_for_each_other() {
    for [here, peer] in pairs() {
        let [to, from] = [here.queue(), peer.queue()].map(|queue| queue.expect("a queue"));
        let source = filled(&from, 3);
        let target = here.buffer::<u8>(COUNT).expect("memory");
        to.copy_from_peer(&target, &from, &source).expect("started");
        let back = peer.buffer::<u8>(COUNT).expect("memory");
        from.copy_from_peer(&back, &to, &target).expect("started");
        let mut found = vec![0; COUNT];
        from.download(&mut found, &back).expect("copied");
        from.wait().expect("no failure");
        assert_eq!(found, [3; COUNT]);
    }
}

/// Without one of the two orders that `copy_from_peer` makes, a machine that runs late shows what
/// is wrong.
#[test]
fn order_between_devices_matters() {
    for skipped in 0..2 {
        let Some([here, peer]) = pairs().into_iter().next() else { return };
        let from = filled(&peer, 7);
        let to = filled(&here, 1);
        let queues = peer.emulator_queues().expect("an emulator");
        queues.inject(Faults { skipped_wait: Some(skipped), ..Faults::default() });
        here.copy_from_peer(&to, &peer, &from).expect("started");
        if skipped == 1 {
            peer.fill(&from, 8).and_then(|()| peer.finish()).expect("no failure");
        }
        assert!(queues.skipped_wait().is_some());
        assert_ne!(here.read_back(&to, 0..COUNT), Ok(vec![7; COUNT]), "without order {skipped}");
    }
}

#[test]
fn lengths_differ_and_one_device_copies_to_itself() {
    for [here, peer] in pairs() {
        let short = peer.table(&[1_u32, 2, 3]).expect("copied");
        let long = here.table(&[9_u32; 5]).expect("copied");
        here.copy_from_peer(&long, &peer, &short).expect("started");
        assert_eq!(here.read_back(&long, 0..5), Ok(vec![1, 2, 3, 9, 9]));
        let again = here.table(&[0_u32; 2]).expect("copied");
        let queue = here.queue().expect("a queue");
        queue.copy_from_peer(&again, &here, &long).expect("started");
        assert_eq!(queue.read_back(&again, 0..2), Ok(vec![1, 2]));
        let empty = peer.buffer::<u32>(0).expect("memory");
        assert_eq!(here.copy_from_peer(&long, &peer, &empty), Ok(()));
    }
}

#[test]
fn buffers_of_other_devices_and_recordings_are_refused() {
    for [here, peer] in pairs() {
        let [to, from] = [filled(&here, 1), filled(&peer, 2)];
        let device = |gpu: &Gpu| gpu.properties().device.clone();
        let refused = |gpu, what| Err(DeviceError::OtherDevice { device: device(gpu), what });
        assert_eq!(here.copy_from_peer(&from, &peer, &from), refused(&here, "target"));
        assert_eq!(here.copy_from_peer(&to, &peer, &to), refused(&peer, "source"));
        let recorded = here.capture("peer", |gpu| gpu.copy_from_peer(&to, &peer, &from));
        let text = recorded.map(drop).expect_err("refused").to_string();
        assert!(text.contains("a recording has one device"), "{text}");
        assert_eq!(here.read_back(&to, 0..1), Ok(vec![1]));
    }
}

#[test]
fn a_lost_device_does_not_take_its_peer_with_it() {
    let Some([here, peer]) = pairs().into_iter().next() else { return };
    let [to, from] = [filled(&here, 1), filled(&peer, 2)];
    here.finish().and_then(|()| peer.finish()).expect("no failure");
    let queues = here.emulator_queues().expect("an emulator");
    queues.inject(Faults { lost_at: Some(0), ..Faults::default() });
    here.copy_from_peer(&to, &peer, &from).expect("started");
    let text = here.finish().expect_err("lost").to_string();
    assert!(text.contains("emulator:0") && text.contains("the device was lost"), "{text}");
    assert!(here.is_lost() && !peer.is_lost());
    queues.inject(Faults::default());
    assert_eq!(peer.read_back(&from, 0..1), Ok(vec![2]));
}
