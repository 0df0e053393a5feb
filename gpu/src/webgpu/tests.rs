//! Functions that launchers rely on, tested on a GPU that wgpu knows, or on a software renderer.

use std::sync::Arc;

use super::{Checks, adapters, open};
use crate::ceilings::{Direction, HostMemory, Launches, LinkBuffers, MemoryStreams};
use crate::{DeviceError, Gpu};

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
