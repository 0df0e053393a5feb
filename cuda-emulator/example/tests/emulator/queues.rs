//! Queues run in order, wait for each other, and reveal premature accesses of the host.

use cuda_emulator::{
    Config, Emulator, EmulatorError, Execution, Faults, QueueConfig, QueuedEmulator,
};
use cuda_emulator_example::KERNELS;

/// Bytes that a copy has not written.
const POISON: u8 = 0xa5;

fn device(execution: Execution) -> Option<QueuedEmulator> {
    if let Some(reason) = KERNELS.unavailable() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let emulator = Emulator::new(Config::default());
    Some(QueuedEmulator::new(emulator, QueueConfig { queues: 3, execution }))
}

fn executions() -> impl Iterator<Item = Execution> {
    let random = (0..8).map(|seed| Execution::Random { seed });
    [Execution::Eager, Execution::Late].into_iter().chain(random)
}

/// A page-locked byte of the host.
struct Pinned<'d> {
    device: &'d QueuedEmulator,
    byte: Box<u8>,
}

impl<'d> Pinned<'d> {
    fn new(device: &'d QueuedEmulator, byte: u8) -> Self {
        let mut byte = Box::new(byte);
        // SAFETY: it is unlocked before the box is freed.
        unsafe { device.lock_pages(&raw mut *byte, 1) };
        Pinned { device, byte }
    }

    fn upload(&self, queue: usize, to: u64) {
        // SAFETY: the box stays, and tests write it on purpose.
        let uploaded = unsafe { self.device.upload(queue, to, &raw const *self.byte, 1) };
        uploaded.expect("submitted");
    }

    fn download(&mut self, queue: usize, from: u64) {
        // SAFETY: the box stays, and tests read it on purpose.
        let downloaded = unsafe { self.device.download(queue, &raw mut *self.byte, from, 1) };
        downloaded.expect("submitted");
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        self.device.unlock_pages(&raw mut *self.byte);
    }
}

#[test]
fn queues_run_in_order_and_wait_for_each_other() {
    for device in executions().filter_map(device) {
        let there = device.allocate(1).expect("memory").address();
        let mut host = Pinned::new(&device, 0);
        for byte in 1..=5 {
            device.fill(0, there, byte, 1).expect("submitted");
        }
        device.follow(2, 0);
        host.download(2, there);
        device.wait(2).expect("no failure");
        assert_eq!(*host.byte, 5, "{}", device.execution());
    }
}

#[test]
fn late_queues_run_when_they_are_waited_for_and_no_sooner() {
    let Some(device) = device(Execution::Late) else { return };
    let there = device.allocate(1).expect("memory").address();
    let mut host = Pinned::new(&device, 0);
    device.fill(0, there, 1, 1).expect("submitted");
    host.download(1, there);
    assert_eq!((*host.byte, device.pending()), (POISON, 2), "read too early");
    device.wait(1).expect("no failure");
    assert_eq!((*host.byte, device.pending()), (POISON, 1), "nothing orders the two");
    device.finish().expect("no failure");
    assert_eq!(device.pending(), 0);
}

#[test]
fn premature_changes_by_the_host_are_errors() {
    let Some(device) = device(Execution::Late) else { return };
    let there = device.allocate(1).expect("memory").address();
    let mut host = Pinned::new(&device, 1);
    host.upload(0, there);
    *host.byte = 2;
    let changed = device.finish().expect_err("changed");
    assert!(changed.to_string().contains("changed before their upload had run"), "{changed}");
    host.upload(0, there);
    drop(host);
    let freed = device.finish().expect_err("freed");
    assert!(freed.to_string().contains("freed before a copy of it had run"), "{freed}");
    assert_eq!(device.finish(), Ok(()), "reported once");
}

#[test]
fn memory_that_is_not_page_locked_is_copied_by_the_call() {
    for device in executions().filter_map(device) {
        let there = device.allocate(4).expect("memory").address();
        let mut up = [1_u8, 2, 3, 4];
        let mut down = [0_u8; 4];
        // SAFETY: both arrays stay.
        unsafe {
            device.upload(0, there, up.as_ptr(), 4).expect("submitted");
            up.fill(9);
            device.download(0, down.as_mut_ptr(), there, 4).expect("copied");
        }
        assert_eq!((down, up), ([1, 2, 3, 4], [9; 4]));
    }
}

#[test]
fn recordings_are_submitted_as_often_as_wanted() {
    for device in executions().filter_map(device) {
        let there = device.allocate(1).expect("memory").address();
        let mut host = Pinned::new(&device, 7);
        device.start_recording(0).expect("the first");
        assert!(device.start_recording(0).is_err(), "one at a time");
        host.upload(0, there);
        let recording = device.end_recording().expect("it was begun");
        assert!(device.end_recording().is_err(), "it is over");
        device.fill(0, there, 1, 1).expect("submitted");
        device.finish().expect("no failure");
        for byte in [8, 9] {
            *host.byte = byte;
            // SAFETY: the host's byte is still there.
            unsafe { device.replay(0, &recording) }.expect("submitted");
            device.finish().expect("no failure");
            let mut found = [0];
            device.emulator().read_at(there, &mut found).expect("there");
            assert_eq!(found, [byte]);
        }
        host.download(0, there);
        device.finish().expect("no failure");
    }
}

#[test]
fn faults_are_injected_at_their_events() {
    let Some(device) = device(Execution::Late) else { return };
    let there = device.allocate(1).expect("memory").address();
    device.inject(Faults { skipped_wait: Some(1), ..Faults::default() });
    device.fill(0, there, 1, 1).expect("submitted");
    device.follow(1, 0);
    device.wait(0).expect("left out");
    assert_eq!((device.pending(), device.counts().waits), (2, 2));
    assert!(device.skipped_wait().is_some_and(|calls| calls.contains("queues")));
    device.wait(0).expect("no failure");
    device.inject(Faults { lost_at: Some(1), ..Faults::default() });
    device.fill(0, there, 2, 1).expect("submitted");
    device.fill(0, there, 3, 1).expect("submitted");
    device.fill(0, there, 4, 1).expect("submitted");
    assert_eq!(device.finish(), Err(EmulatorError::Lost));
    assert!(device.is_lost());
    device.inject(Faults::default());
    let mut found = [0];
    device.emulator().read_at(there, &mut found).expect("there");
    assert_eq!((found, device.finish()), ([2], Ok(())), "what came later did not run");
}

#[test]
fn events_are_points_of_a_queue() {
    for device in executions().filter_map(device) {
        let there = device.allocate(1).expect("memory").address();
        device.fill(0, there, 1, 1).expect("submitted");
        let event = device.record_event(0);
        device.fill(0, there, 2, 1).expect("submitted");
        let polls = (0..100).position(|_| device.has_ended(&event) == Ok(true));
        assert!(polls.is_some(), "polling ends");
        assert_eq!(device.wait_for_event(&event), Ok(()));
        assert!(device.follow_event(1, &event));
        device.copy(1, there, there, 1).expect("submitted");
        assert_eq!(device.finish(), Ok(()));
        let other = QueuedEmulator::new(
            Emulator::new(Config::default()),
            QueueConfig { queues: 1, execution: Execution::Late },
        );
        assert!(!other.follow_event(0, &event), "another machine's");
    }
}

#[test]
fn devices_of_a_machine_copy_and_fail_on_their_own() {
    if KERNELS.unavailable().is_some() {
        return;
    }
    for execution in executions() {
        let config = Config { checked: true, ..Config::default() };
        let emulators = vec![Emulator::new(config), Emulator::new(config)];
        let queues = QueueConfig { queues: 2, execution };
        let [first, second] = &QueuedEmulator::machine(emulators, queues)[..] else {
            panic!("two devices")
        };
        let [from, to] = [first, second].map(|device| device.allocate(2).expect("memory"));
        first.fill(1, from.address(), 7, 2).expect("submitted");
        assert!(second.follow_event(0, &first.record_event(1)));
        second.copy_from_peer(0, to.address(), first, from.address(), 2).expect("submitted");
        assert_eq!(second.wait(0), Ok(()));
        assert_eq!(second.emulator().download::<u8>(to), Ok(vec![7, 7]));
        let failed = first.copy(0, 0, 0, 1).and_then(|()| first.finish());
        assert!(failed.is_err(), "{execution}: nothing is at 0");
        assert_eq!(second.finish(), Ok(()));
    }
}
