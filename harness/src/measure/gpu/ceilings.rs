//! Measured limits of a GPU: memory bandwidth, link to the host, and launch latency.
//!
//! Kernels are timed by the device, as those of variants are. Transfers are timed by the host, many
//! blocks in a row, because the device can time only some of them. The best of several repetitions
//! counts, after results were verified.

use std::time::Instant;

use portable_gpu::ceilings::{Direction, HostMemory, Launches, LinkBuffers, MemoryStreams};
use portable_gpu::{DeviceError, Gpu};
use reports::record::{Bandwidth, Latencies, LinkBandwidth, LinkPoint};

use crate::platform::available_memory;

const REPETITIONS: usize = 10;
/// The first repetition is for warm-up.
const LINK_REPETITIONS: usize = 5;
/// Array size in multiples of the L2 cache, and its limits in bytes.
const TIMES_L2: u64 = 8;
const MIN_ARRAY: u64 = 64 << 20;
const MAX_ARRAY: u64 = 1 << 30;
/// Arrays or buffers take 1/`SHARE_OF_FREE` of the free memory.
const SHARE_OF_FREE: u64 = 8;
/// Block size for the link bandwidth of a run.
const LARGE_BLOCK: usize = 256 << 20;
/// Block sizes of a curve; each is four times the one before.
const MIN_BLOCK: usize = 4 << 10;
const MAX_BLOCK: usize = 1 << 30;
const STEP: usize = 4;
/// Bytes transferred in a row, and maximum number of blocks.
const VOLUME: usize = 64 << 20;
const MAX_BLOCKS: usize = 256;
/// Launches in a row; a device queue holds about this number.
const LAUNCHES: usize = 500;
const LATENCY_REPETITIONS: usize = 100;

/// Copy and triad bandwidth of the memory, and link bandwidth for large blocks of pinned memory.
pub(crate) fn bandwidth(gpu: &Gpu) -> Result<Bandwidth, DeviceError> {
    let (copy, triad) = memory(gpu)?;
    Ok(Bandwidth {
        copy_bytes_per_s: copy,
        triad_bytes_per_s: triad,
        store_bytes_per_s: None,
        link: Some(link(gpu)?),
    })
}

/// Link bandwidth for all kinds of host memory, by block size.
pub(crate) fn link_curves(gpu: &Gpu) -> Result<Vec<LinkPoint>, DeviceError> {
    let mut points = Vec::new();
    let is_there = |memory: &HostMemory| *memory != HostMemory::Mapped || gpu.maps_memory();
    for memory in HostMemory::ALL.into_iter().filter(is_there) {
        let (mut buffers, largest) = buffers(gpu, memory, MAX_BLOCK)?;
        buffers.check(gpu)?;
        for &direction in memory.directions() {
            for block in blocks(largest) {
                points.push(LinkPoint {
                    device: gpu.properties().device.clone(),
                    memory: memory.to_string(),
                    direction: direction.to_string(),
                    block_bytes: block as u64,
                    bytes_per_s: link_rate(gpu, &mut buffers, direction, block)?,
                });
            }
        }
        drop(buffers);
        gpu.trim();
    }
    Ok(points)
}

/// Latencies of launches and small transfers.
pub(crate) fn latencies(gpu: &Gpu) -> Result<Latencies, DeviceError> {
    let launches = Launches::new(gpu)?;
    let graph = launches.recorded(gpu, LAUNCHES)?;
    let of_many = 1.0 / LAUNCHES as f64;
    Ok(Latencies {
        launch_s: latency(gpu, || launches.start(gpu, 1))?,
        queued_launch_s: latency(gpu, || launches.start(gpu, LAUNCHES))? * of_many,
        graph_launch_s: latency(gpu, || gpu.replay(&graph))? * of_many,
        copy_s: latency(gpu, || launches.copy_word(gpu))?,
    })
}

/// Copy and triad bandwidth in bytes per second.
fn memory(gpu: &Gpu) -> Result<(f64, f64), DeviceError> {
    let wanted = TIMES_L2 * gpu.properties().l2_bytes;
    let affordable = gpu.free_bytes()?.unwrap_or(u64::MAX) / SHARE_OF_FREE;
    let bytes = wanted.clamp(MIN_ARRAY, MAX_ARRAY).min(affordable);
    let streams = MemoryStreams::new(gpu, bytes as usize)?;
    streams.check(gpu)?;
    let copy = best_of_kernel(gpu, || streams.copy(gpu))?;
    let triad = best_of_kernel(gpu, || streams.triad(gpu))?;
    Ok((streams.copied_bytes() as f64 / copy, streams.triad_bytes() as f64 / triad))
}

fn link(gpu: &Gpu) -> Result<LinkBandwidth, DeviceError> {
    let (mut buffers, block) = buffers(gpu, HostMemory::Pinned, LARGE_BLOCK)?;
    buffers.check(gpu)?;
    let mut rate = |direction| link_rate(gpu, &mut buffers, direction, block);
    Ok(LinkBandwidth {
        h2d_bytes_per_s: rate(Direction::ToDevice)?,
        d2h_bytes_per_s: rate(Direction::ToHost)?,
        both_bytes_per_s: rate(Direction::Both)?,
    })
}

/// Shortest time of a kernel in seconds, timed by the device.
fn best_of_kernel(
    gpu: &Gpu,
    start: impl Fn() -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    let no_times = || DeviceError::Failed {
        device: gpu.properties().device.clone(),
        what: "taking a time",
        problem: "times mean nothing here".to_owned(),
    };
    minimum(REPETITIONS, || {
        gpu.start_timeline()?;
        start()?;
        gpu.finish()?;
        let kernel = gpu.stages()?.into_iter().next();
        Ok(kernel.ok_or_else(no_times)?.seconds)
    })
}

/// Minimum of `repetitions` times.
fn minimum(
    repetitions: usize,
    mut time: impl FnMut() -> Result<f64, DeviceError>,
) -> Result<f64, DeviceError> {
    (0..repetitions).try_fold(f64::INFINITY, |minimum, _| Ok(time()?.min(minimum)))
}

/// Allocates buffers for the largest possible block size up to a limit; page-locked memory may be
/// limited.
pub(crate) fn buffers(
    gpu: &Gpu,
    memory: HostMemory,
    largest: usize,
) -> Result<(LinkBuffers, usize), DeviceError> {
    let free = gpu.free_bytes()?.unwrap_or(u64::MAX);
    let affordable = (free.min(available_memory()) / SHARE_OF_FREE) as usize;
    let mut bytes = largest.min(affordable);
    loop {
        bytes = blocks(bytes).next_back().unwrap_or(MIN_BLOCK);
        match LinkBuffers::new(gpu, memory, bytes) {
            Ok(buffers) => return Ok((buffers, bytes)),
            Err(error) if bytes == MIN_BLOCK => return Err(error),
            Err(_) => bytes /= STEP,
        }
    }
}

/// Block sizes up to `largest`.
fn blocks(largest: usize) -> impl DoubleEndedIterator<Item = usize> {
    let count = (largest / MIN_BLOCK).max(1).ilog(STEP) + 1;
    (0..count).map(|step| MIN_BLOCK * STEP.pow(step))
}

/// Bytes per second for blocks of one size in a row.
fn link_rate(
    gpu: &Gpu,
    buffers: &mut LinkBuffers,
    direction: Direction,
    block: usize,
) -> Result<f64, DeviceError> {
    let count = (VOLUME / block).clamp(1, MAX_BLOCKS);
    let mut best = 0.0_f64;
    for _ in 0..LINK_REPETITIONS {
        gpu.finish()?;
        let start = Instant::now();
        let mut bytes = 0;
        for _ in 0..count {
            bytes += buffers.copy(gpu, direction, block)?;
        }
        gpu.finish()?;
        best = best.max(bytes as f64 / start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Shortest time in seconds from starting an operation until its completion is known.
fn latency(gpu: &Gpu, start: impl Fn() -> Result<(), DeviceError>) -> Result<f64, DeviceError> {
    minimum(LATENCY_REPETITIONS, || {
        gpu.finish()?;
        let begin = Instant::now();
        start()?;
        gpu.finish()?;
        Ok(begin.elapsed().as_secs_f64())
    })
}

#[cfg(test)]
mod tests {
    use portable_gpu::emulator::{self, Config};

    use super::*;

    #[test]
    fn blocks_are_powers_of_four_up_to_the_largest() {
        let all: Vec<_> = blocks(MAX_BLOCK).collect();
        assert_eq!((all.len(), all[0], all[9]), (10, 4 << 10, 1 << 30));
        let few: Vec<_> = blocks(100 << 10).collect();
        assert_eq!(few, [4 << 10, 16 << 10, 64 << 10]);
        assert_eq!(blocks(1).collect::<Vec<_>>(), [4 << 10]);
    }

    #[test]
    fn emulators_have_no_bandwidth() {
        let Ok(gpu) = Gpu::emulated(Config::default()) else {
            eprintln!("skipped: {:?}", emulator::unavailable());
            return;
        };
        let streams = MemoryStreams::new(&gpu, 1 << 10).expect("room");
        let refused = best_of_kernel(&gpu, || streams.copy(&gpu)).expect_err("no times");
        assert!(refused.to_string().contains("mean nothing"), "{refused}");
    }
}
