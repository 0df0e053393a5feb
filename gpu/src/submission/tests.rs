//! Order between host, queues and threads, tested on queues that run as late as possible, and in
//! random orders.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::super::*;
use crate::ceilings::MemoryStreams;
use crate::emulator::{self, Config, Execution, Faults};

/// Emulators with queues; none in a build without an emulator.
fn emulators() -> impl Iterator<Item = Gpu> {
    let random = (0..4).map(|seed| Execution::Random { seed });
    let executions = [Execution::Late, Execution::Eager].into_iter().chain(random);
    executions.filter_map(emulator_with)
}

fn emulator_with(execution: Execution) -> Option<Gpu> {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let config = Config { checked: true, ..Config::default() };
    Some(Gpu::emulated_queues(config, execution).expect("an emulator"))
}

/// A buffer on the device whose bytes are all `byte`.
fn on_device(gpu: &Gpu, byte: u8, count: usize) -> DeviceBuffer<u8> {
    let buffer = gpu.buffer(count).expect("memory");
    gpu.fill(&buffer, byte).expect("started");
    buffer
}

#[test]
fn a_pending_copy_reaches_no_other_buffer_after_an_error() {
    for gpu in emulators() {
        // As in a chain: hits are being copied in one queue when another one needs more memory.
        let gather = || {
            let from = on_device(&gpu, 7, 64);
            let mut host = gpu.pinned::<u8>(64)?;
            gpu.with_queue(2, |gpu| {
                gpu.wait_for_first_queue()?;
                gpu.download(&mut host, &from)
            })?;
            gpu.buffer::<u8>(usize::MAX >> 1).map(drop)
        };
        assert!(gather().is_err());
        let mut innocent = gpu.pinned::<u8>(64).expect("memory");
        innocent.fill(1);
        gpu.finish().expect("no failure");
        assert_eq!(*innocent, [1; 64]);
    }
}

#[test]
fn a_buffer_that_is_read_waits_for_its_downloads() {
    for gpu in emulators() {
        let from = on_device(&gpu, 7, 64);
        let mut host = gpu.pinned::<u8>(64).expect("memory");
        gpu.download(&mut host, &from).expect("started");
        assert_eq!(*host, [7; 64]);
        let nines = on_device(&gpu, 9, 8);
        let copied = gpu.with_queue(1, |gpu| {
            gpu.wait_for_first_queue()?;
            gpu.download(host.part_mut(0..8), &nines)
        });
        copied.expect("started");
        assert_eq!(host[..9], [9, 9, 9, 9, 9, 9, 9, 9, 7]);
    }
}

#[test]
fn a_buffer_that_is_written_waits_for_its_uploads() {
    for gpu in emulators() {
        let to = gpu.buffer::<u8>(4).expect("memory");
        let mut host = gpu.pinned::<u8>(4).expect("memory");
        host.fill(3);
        gpu.upload(&to, &host).expect("started");
        host.fill(4);
        assert_eq!(gpu.read_back(&to, 0..4), Ok(vec![3; 4]));
    }
}

#[test]
fn copies_of_page_locked_and_managed_slices_are_waited_for() {
    for gpu in emulators() {
        let on = on_device(&gpu, 5, 4);
        let mut pinned = gpu.pinned::<u8>(4).expect("memory");
        let mut managed = gpu.managed::<u8>(4).expect("memory");
        for slice in [&mut pinned[..], &mut managed[..]] {
            gpu.fill(&on, 5).expect("started");
            gpu.download(&mut *slice, &on).expect("copied");
            assert_eq!(slice, [5; 4]);
            gpu.upload(&on, &*slice).expect("copied");
            slice.fill(6);
            assert_eq!(gpu.read_back(&on, 0..4), Ok(vec![5; 4]));
        }
    }
}

#[test]
fn device_memory_moves_to_another_queue_when_it_is_free() {
    for gpu in emulators() {
        let mut host = gpu.pinned::<u8>(64).expect("memory");
        let copied = gpu.with_queue(1, |gpu| {
            let sevens = on_device(gpu, 7, 64);
            gpu.download(&mut host, &sevens)
        });
        copied.expect("started");
        // This buffer reuses the memory of the previous one.
        let other = gpu.with_queue(2, |gpu| Ok(on_device(gpu, 8, 64))).expect("memory");
        gpu.with_queue(2, Gpu::wait).expect("no failure");
        gpu.finish().expect("no failure");
        assert_eq!(*host, [7; 64]);
        assert_eq!(gpu.read_back(&other, 0..64), Ok(vec![8; 64]));
    }
}

#[test]
fn a_queue_sees_the_work_that_it_waits_for() {
    for gpu in emulators() {
        let from = on_device(&gpu, 9, 4);
        let mut found = gpu.pinned::<u8>(4).expect("memory");
        let copied = gpu.with_queue(1, |gpu| {
            gpu.wait_for_first_queue()?;
            gpu.download(&mut found, &from)?;
            gpu.wait()
        });
        assert_eq!(copied, Ok(()));
        assert_eq!(*found, [9; 4]);
    }
}

/// A missing wait changes the result: see also `faults` in the crate's tests.
#[test]
fn without_a_wait_queues_run_in_any_order() {
    let Some(gpu) = emulator_with(Execution::Late) else { return };
    let from = on_device(&gpu, 9, 4);
    let mut found = gpu.pinned::<u8>(4).expect("memory");
    let copied = gpu.with_queue(1, |gpu| {
        gpu.download(&mut found, &from)?;
        gpu.wait()
    });
    assert_eq!(copied, Ok(()));
    assert_eq!(*found, [POISON; 4]);
}

#[test]
fn nested_queues_end_also_after_a_panic() {
    let Some(gpu) = emulator_with(Execution::Late) else { return };
    let [from, to] = [1, 2].map(|byte| on_device(&gpu, byte, 4));
    gpu.finish().expect("no failure");
    let pending = || gpu.emulator_queues().expect("an emulator").pending();
    let worked = gpu.with_queue(1, |gpu| {
        let nested = || {
            gpu.with_queue(2, |gpu| -> Result<(), _> {
                gpu.fill(&from, 3)?;
                panic!("in the midst of it")
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(nested)).is_err());
        gpu.fill(&to, 4)?;
        assert_eq!(pending(), 2);
        gpu.wait()?;
        assert_eq!(pending(), 1, "that of queue 2");
        Ok(())
    });
    assert_eq!(worked, Ok(()));
    gpu.wait().expect("no failure");
    assert_eq!(pending(), 1, "that of queue 2");
}

/// A copy is counted when it is in its queue, so that no wait of another thread treats it as ended
/// before.
#[test]
fn threads_may_start_and_wait_at_the_same_time() {
    for gpu in emulators() {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        gpu.finish().expect("no failure");
                    }
                });
            }
            let from = on_device(&gpu, 7, 8);
            let mut host = gpu.pinned::<u8>(8).expect("memory");
            for queue in (0..MAX_QUEUES).cycle().take(2_000) {
                gpu.wait().expect("no failure");
                gpu.with_queue(queue, |gpu| gpu.download(&mut host, &from)).expect("started");
                assert_eq!(*host, [7; 8]);
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn recorded_work_runs_at_each_replay_and_marks_its_buffers() {
    for gpu in emulators() {
        let there = on_device(&gpu, 0, 2);
        let mut up = gpu.pinned::<u8>(2).expect("memory");
        up.copy_from_slice(&[3, 4]);
        let down = Mutex::new(gpu.pinned::<u8>(2).expect("memory"));
        lock(&down).fill(9);
        let graph = gpu.capture("both", |gpu| {
            gpu.upload(&there, &up)?;
            gpu.download(&mut *lock(&down), &there)
        });
        let graph = graph.expect("recorded");
        assert_eq!(gpu.read_back(&there, 0..2), Ok(vec![0, 0]), "not yet");
        assert_eq!(**lock(&down), [9, 9], "not yet");
        for _ in 0..3 {
            gpu.fill(&there, 0).expect("started");
            lock(&down).fill(9);
            gpu.replay(&graph).expect("started");
            assert_eq!(**lock(&down), [3, 4], "read without a wait");
        }
    }
}

#[test]
fn slices_are_not_recorded() {
    for gpu in emulators() {
        let there = on_device(&gpu, 0, 2);
        let recorded = gpu.capture("up", |gpu| gpu.upload(&there, &[1, 2][..])).map(drop);
        let text = recorded.expect_err("refused").to_string();
        assert!(text.contains("use a page-locked buffer"), "{text}");
        assert_eq!(gpu.read_back(&there, 0..2), Ok(vec![0, 0]), "the device goes on");
    }
}

#[test]
fn copies_both_ways_at_once_are_not_recorded() {
    for gpu in emulators() {
        let [to, of] = [1, 2].map(|byte| on_device(&gpu, byte, 4));
        let from = gpu.pinned::<u8>(4).expect("memory");
        let into = Mutex::new(gpu.pinned::<u8>(4).expect("memory"));
        let recorded = gpu.capture("both", |gpu| gpu.exchange(&to, &from, &mut *lock(&into), &of));
        let text = recorded.map(drop).expect_err("refused").to_string();
        assert!(text.contains("copy one way after the other"), "{text}");
    }
}

#[test]
fn other_handles_are_refused_during_a_recording() {
    for gpu in emulators() {
        let there = on_device(&gpu, 0, 2);
        let graph = gpu.capture("other", |_| gpu.fill(&there, 1)).map(drop);
        let text = graph.expect_err("the handle of the recording is another").to_string();
        assert!(text.contains("other work is being recorded"), "{text}");
        let panics = || gpu.capture("panics", |_| panic!("in the midst of it")).map(drop);
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        gpu.fill(&there, 2).expect("no recording is under way");
        assert_eq!(gpu.read_back(&there, 0..2), Ok(vec![2, 2]));
    }
}

#[test]
fn sizes_beyond_the_address_space_are_refused() {
    for gpu in emulators() {
        let length = 1 << 61;
        let errors = [
            gpu.buffer::<u64>(length).err(),
            gpu.pinned::<u64>(length).err(),
            gpu.mapped::<u64>(length).err(),
            gpu.managed::<u64>(length).err(),
            gpu.buffer::<u64>(usize::MAX).err(),
            gpu.pinned::<u8>(usize::MAX).err(),
        ];
        for error in errors {
            assert!(matches!(error, Some(DeviceError::TooLarge { .. })), "{error:?}");
        }
    }
}

#[test]
fn buffers_of_the_host_are_aligned_for_all_elements() {
    for gpu in emulators() {
        for length in [1, 7, 1000] {
            let pinned = gpu.pinned::<u8>(length).expect("memory");
            let mapped = gpu.mapped::<u8>(length).expect("memory");
            let managed = gpu.managed::<u8>(length).expect("memory");
            for start in [pinned.as_ptr(), mapped.as_ptr(), managed.as_ptr()] {
                assert_eq!(start.addr() % engine::ALIGNMENT, 0);
            }
        }
    }
}

#[test]
fn a_skipped_wait_is_reported() {
    let Some(gpu) = emulator_with(Execution::Late) else { return };
    let queues = gpu.emulator_queues().expect("an emulator");
    let to = gpu.buffer::<u8>(4).expect("memory");
    let mut host = gpu.pinned::<u8>(4).expect("memory");
    host.fill(3);
    gpu.upload(&to, &host).expect("started");
    queues.inject(Faults { skipped_wait: Some(0), ..Faults::default() });
    host.fill(4);
    assert_eq!(queues.counts().waits, 1);
    let text = gpu.finish().expect_err("changed too early").to_string();
    assert!(text.contains("changed before their upload had run"), "{text}");
}

#[test]
fn an_error_met_by_a_buffer_is_returned_by_the_next_wait() {
    let Some(gpu) = emulator_with(Execution::Late) else { return };
    let queues = gpu.emulator_queues().expect("an emulator");
    let from = on_device(&gpu, 7, 4);
    let mut host = gpu.pinned::<u8>(4).expect("memory");
    gpu.finish().expect("no failure");
    queues.inject(Faults { lost_at: Some(0), ..Faults::default() });
    gpu.download(&mut host, &from).expect("started");
    assert_eq!(*host, [POISON; 4], "nothing has come");
    assert!(gpu.is_lost());
    let text = gpu.finish().expect_err("lost").to_string();
    assert!(text.contains("the device was lost"), "{text}");
    queues.inject(Faults::default());
    gpu.download(&mut host, &from).expect("started");
    assert_eq!(*host, [7; 4]);
    assert_eq!(gpu.finish(), Ok(()));
}

#[test]
fn reused_memory_has_no_data_of_its_last_user() {
    let Some(gpu) = emulator_with(Execution::Late) else { return };
    drop(on_device(&gpu, 7, 64));
    let again = gpu.buffer::<u8>(64).expect("memory");
    assert_eq!(gpu.read_back(&again, 0..64), Ok(vec![POISON; 64]));
}

#[test]
fn kernels_run_in_their_queues() {
    for gpu in emulators() {
        let streams = MemoryStreams::new(&gpu, 4096).expect("memory");
        assert_eq!(streams.check(&gpu), Ok(()));
    }
}
