//! Functions that launchers rely on, tested on the emulator.

use super::monitor::Limit;
use super::*;
use crate::ceilings::{Direction, HostMemory, Launches, LinkBuffers, MemoryStreams};
use crate::emulator::{self, Config, Lanes, Policy, Schedule};

/// A little more than a tile, so that the last block is not full.
const BYTES: usize = (1 << 14) + 48;

/// Emulators with different lanes, orders and checks; none in a build without an emulator.
fn emulators() -> impl Iterator<Item = Arc<Gpu>> {
    let config = |lanes, policy, checked| Config {
        lanes,
        schedule: Schedule { seed: 3, policy },
        checked,
        ..Config::default()
    };
    let configs = [
        config(Lanes::L32, Policy::InOrder, false),
        config(Lanes::L64, Policy::Random, false),
        config(Lanes::L32, Policy::Preempting, true),
        config(Lanes::L64, Policy::Reverse, true),
    ];
    configs.into_iter().filter_map(emulator::gpu_for_tests)
}

#[test]
fn copy_and_triad_compute_correctly() {
    for gpu in emulators() {
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        assert_eq!(streams.check(&gpu), Ok(()));
        assert_eq!(streams.copied_bytes(), 2 * BYTES as u64);
    }
}

#[test]
fn copies_through_all_kinds_of_memory_are_exact() {
    for gpu in emulators() {
        for memory in HostMemory::ALL {
            let mut link = LinkBuffers::new(&gpu, memory, BYTES).expect("memory");
            assert_eq!(link.check(&gpu), Ok(()), "{memory}");
            for &direction in memory.directions() {
                let twice = u64::from(direction == Direction::Both) + 1;
                let copied = link.copy(&gpu, direction, BYTES);
                assert_eq!(copied, Ok(twice * BYTES as u64), "{memory} {direction}");
            }
        }
        let mut pageable = LinkBuffers::new(&gpu, HostMemory::Pageable, 64).expect("memory");
        assert!(pageable.copy(&gpu, Direction::Both, 64).is_err());
    }
}

#[test]
fn recorded_work_can_not_wait() {
    for gpu in emulators() {
        let waiting = gpu.capture("waits", Gpu::finish);
        // A device that records fails at once; another one at the replay.
        let problem = waiting.and_then(|graph| gpu.replay(&graph)).err();
        let text = problem.map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("can't wait"), "{text}");
        assert_eq!(gpu.finish(), Ok(()));
    }
}

#[test]
fn any_number_of_empty_launches_can_be_started() {
    for gpu in emulators() {
        let launches = Launches::new(&gpu).expect("memory");
        assert_eq!(launches.start(&gpu, 3), Ok(()));
        let graph = launches.recorded(&gpu, 3).expect("recorded");
        assert_eq!(gpu.replay(&graph), Ok(()));
        assert_eq!(launches.copy_word(&gpu), Ok(()));
    }
}

#[test]
fn resources_of_kernels_are_reported() {
    for gpu in emulators() {
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        streams.copy(&gpu).expect("started");
        streams.copy(&gpu).expect("started");
        let kernels = gpu.kernels().expect("known");
        let [copy] = kernels[..] else {
            panic!("one kernel, not {kernels:?}");
        };
        assert_eq!(copy.kernel, "ceiling_copy");
        assert_eq!(copy.attributes.resident_blocks, 2048 / 256);
        let occupancy = copy.attributes.occupancy(&copy.shape, gpu.properties());
        assert_eq!(occupancy, 1.0);
    }
}

#[test]
fn an_emulator_has_no_times_and_no_limits() {
    for gpu in emulators() {
        gpu.start_timeline().expect("started");
        let streams = MemoryStreams::new(&gpu, 64).expect("memory");
        let done = gpu.scope("inside", || streams.copy(&gpu));
        assert_eq!(done, Ok(()));
        gpu.finish().expect("done");
        assert_eq!(gpu.stages(), Ok(Vec::new()));
        assert!(!gpu.was_host_late());
        assert_eq!(gpu.free_bytes(), Ok(None));
    }
    assert!(Limit::Heat.to_string().contains("fan"));
}

#[test]
fn work_under_load_runs_with_the_other_work() {
    for gpu in emulators() {
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        let buffer = gpu.buffer::<u8>(4).expect("memory");
        let mut found = [0; 4];
        let other = |gpu: &Gpu| {
            gpu.fill(&buffer, 7)?;
            gpu.download(&mut found[..], &buffer)
        };
        // The emulator has no clock.
        assert_eq!(gpu.seconds_alongside(|gpu| streams.copy(gpu), other), Ok(None));
        assert_eq!(found, [7; 4]);
    }
}

#[test]
fn copies_on_the_device_and_to_the_host_are_complete() {
    for gpu in emulators() {
        let values: Vec<u32> = (0..5000).collect();
        let [from, to] = [5000, 6000].map(|length| gpu.buffer::<u32>(length).expect("memory"));
        gpu.fill(&to, POISON).expect("no fault");
        gpu.upload(&from, &values).expect("no fault");
        gpu.copy(&to, &from).expect("no fault");
        let found = gpu.read_back(&to, 0..6000).expect("no fault");
        assert_eq!(found[..5000], values);
        assert_eq!(found[5000..], [u32::from_ne_bytes([POISON; 4]); 1000]);
        assert_eq!(gpu.read_back(&to, 17..23), Ok((17..23).collect::<Vec<_>>()));
        assert_eq!(gpu.read_back(&to, 6000..6000), Ok(Vec::new()));
    }
}

/// Copies of full words and of single bytes; larger ones and pageable memory use ordinary copies.
#[test]
fn small_copies_by_a_kernel_are_exact() {
    let config = |lanes| Config { lanes, ..Config::default() };
    let gpus = [Lanes::L32, Lanes::L64].map(config).into_iter();
    for gpu in gpus.filter_map(emulator::gpu_for_tests) {
        gpu.copy_small_by_kernel();
        for length in [1, 3, 4, 1_000, 1_001, 65_536, 70_000] {
            let wanted: Vec<u8> = (0..length).map(|i| (i * 7 + i / 251) as u8).collect();
            let mut stage = gpu.pinned::<u8>(length).expect("memory");
            stage.copy_from_slice(&wanted);
            let there = gpu.buffer::<u8>(length).expect("memory");
            gpu.upload(&there, &stage).expect("a copy");
            gpu.finish().expect("no failure");
            stage.fill(0);
            gpu.download(&mut stage, &there).expect("a copy");
            gpu.finish().expect("no failure");
            assert!(stage[..] == wanted, "{length} bytes there and back");
            let mut pageable = vec![0; length];
            gpu.download(&mut pageable, &there).expect("a copy");
            gpu.finish().expect("no failure");
            assert!(pageable == wanted, "{length} bytes to other memory");
        }
    }
}
