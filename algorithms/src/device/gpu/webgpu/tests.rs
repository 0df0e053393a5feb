//! Functions that launchers rely on, tested on a GPU that wgpu knows, or on a software renderer.

use std::sync::Arc;

use super::{Checks, adapters, open};
use crate::ceilings::{Direction, HostMemory, Launches, LinkBuffers, MemoryStreams};
use crate::device::gpu::{DeviceError, Gpu};
#[cfg(feature = "wgpu")]
use crate::device::{Backend, Device, Target, Team};

/// A little more than a tile, so that the last block is not full.
const BYTES: usize = (1 << 14) + 48;

/// The first GPU, once without and once with checks; none if wgpu knows none.
fn gpus() -> Vec<Arc<Gpu>> {
    if let Err(reason) = adapters() {
        eprintln!("skipped: no shaders run here: {reason}");
        return Vec::new();
    }
    let gpu = |checks| Arc::new(open(0, checks).unwrap_or_else(|error| panic!("{error}")));
    [Checks::None, Checks::All].map(gpu).into()
}

#[test]
fn copy_and_triad_compute_correctly() {
    for gpu in gpus() {
        let streams = MemoryStreams::new(&gpu, BYTES).expect("memory");
        assert_eq!(streams.check(&gpu), Ok(()));
    }
}

#[test]
fn copies_over_the_link_are_exact() {
    for gpu in gpus() {
        for memory in [HostMemory::Pageable, HostMemory::Pinned] {
            let mut link = LinkBuffers::new(&gpu, memory, BYTES).expect("memory");
            assert_eq!(link.check(&gpu), Ok(()), "{memory}");
            for &direction in memory.directions() {
                let twice = u64::from(direction == Direction::Both) + 1;
                let copied = link.copy(&gpu, direction, BYTES);
                assert_eq!(copied, Ok(twice * BYTES as u64), "{memory} {direction}");
            }
        }
        let mapped = LinkBuffers::new(&gpu, HostMemory::Mapped, BYTES).err();
        assert!(mapped.expect("none").to_string().contains("shaders reach no memory of the host"));
    }
}

#[test]
fn copies_and_fills_of_any_length_stay_in_bounds() {
    for gpu in gpus() {
        for length in [1, 3, 4, 5, 63, 1025] {
            let there = gpu.buffer::<u8>(length + 9).expect("memory");
            let mut expected = vec![0xee; length + 9];
            gpu.fill(&there, 0xee).expect("filled");
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            gpu.upload(&there, &bytes).expect("copied");
            expected[..length].copy_from_slice(&bytes);
            assert_eq!(gpu.read_back(&there, 0..length + 9).as_ref(), Ok(&expected), "{length}");
            for byte in [0, 0x5a] {
                gpu.fill_first(&there, length, byte).expect("filled");
                expected[..length].fill(byte);
                assert_eq!(gpu.read_back(&there, 0..length + 9).as_ref(), Ok(&expected));
            }
            let mut part = vec![0; 7];
            gpu.download_part(&mut part, &there, 1).expect("copied");
            assert_eq!(part, expected[1..8]);
        }
    }
}

#[test]
fn grids_of_more_than_one_row_run_all_blocks() {
    const WORDS: usize = 70_000 * 256;
    let Some(gpu) = gpus().pop() else { return };
    let there = gpu.buffer::<u32>(WORDS).expect("memory");
    gpu.fill(&there, 0x11).expect("filled");
    let last = gpu.read_back(&there, WORDS - 1..WORDS);
    assert_eq!(last, Ok(vec![0x1111_1111]));
}

#[test]
fn recorded_work_runs_at_each_replay() {
    for gpu in gpus() {
        let launches = Launches::new(&gpu).expect("memory");
        let graph = launches.recorded(&gpu, 3).expect("recorded");
        assert_eq!(gpu.replay(&graph).and_then(|()| gpu.finish()), Ok(()));
    }
}

#[test]
fn buffers_above_the_limit_are_refused_with_both_sizes() {
    let Some(gpu) = gpus().pop() else { return };
    let max = adapters().expect("some")[0].largest_buffer;
    let refused = gpu.buffer::<u8>(max as usize + 1).err().expect("too large");
    let device = "wgpu:0".to_owned();
    assert_eq!(refused, DeviceError::TooLarge { device, needed: max + 1, max });
    assert!(gpu.buffer::<u8>(4).is_ok(), "others have memory");
}

#[test]
fn an_index_out_of_range_is_refused() {
    let Ok(known) = adapters() else { return };
    let refused = open(known.len() as u32, Checks::None).err().expect("none");
    assert!(refused.to_string().contains("wgpu:0"), "{refused}");
}

/// Checks all variants of all tasks on small hard inputs; returns the number of checked runs.
#[cfg(feature = "wgpu")]
fn all_are_right(gpu: Arc<Gpu>) -> usize {
    const MAX_ITEMS: u64 = 6_000;
    let team = Team::new(1).expect("a thread");
    let target = Target { device: Device::Wgpu(0), gpu: Some(gpu), team: &team };
    let mut run = 0;
    for task in crate::registry::tasks() {
        let infos = task.variants();
        let of_shaders = |index: &usize| infos[*index].backend == Backend::Wgpu;
        let numbers: Vec<_> = (0..infos.len()).filter(of_shaders).collect();
        let mut cases = if numbers.is_empty() { Vec::new() } else { task.hard_cases(5) };
        cases.retain(|(_, case)| case.work().items <= MAX_ITEMS);
        for (name, case) in &cases {
            for &index in &numbers {
                let Ok(mut candidate) = case.prepare(index, &target) else { continue };
                let ran = candidate.reset().and_then(|()| candidate.poison());
                let ran = ran.and_then(|()| candidate.run()).map(drop);
                if matches!(ran, Err(DeviceError::Lacking { .. } | DeviceError::TooLarge { .. })) {
                    continue;
                }
                let what = format!("{} {}, {name}", task.name(), infos[index].name);
                assert_eq!(ran, Ok(()), "{what}");
                candidate.check().unwrap_or_else(|error| panic!("{what}: {error}"));
                run += 1;
            }
        }
    }
    run
}

#[test]
#[cfg(feature = "wgpu")]
fn variants_are_right_with_whole_subgroups_and_with_parts_of_them() {
    let Some(gpu) = gpus().into_iter().next() else { return };
    assert!(all_are_right(gpu) > 80);
    if let Some(gpu) = super::with_min_lanes(4) {
        assert!(all_are_right(Arc::new(gpu)) > 80);
    }
}
