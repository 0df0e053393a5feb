//! A GPU at work just before a sample: its clocks go down while it has nothing to
//! do, and making fresh input on the host takes long enough for that.

use std::time::{Duration, Instant};

use algorithms::ceilings::MemoryStreams;
use algorithms::device::gpu::{DeviceError, Gpu};

use super::watch::Watch;

/// Before a sample: longer than a clock needs that went down a little.
const BEFORE_A_SAMPLE: Duration = Duration::from_millis(10);
/// A GPU that had nothing to do for no longer than this has not begun to lower it.
const WARM_UNTIL: Duration = Duration::from_millis(20);
/// Before a sample on such a GPU: it is at work when the run begins.
const TO_BE_AT_WORK: Duration = Duration::from_millis(1);
/// A GPU that had nothing to do for longer may have lowered its clock by much.
const COLD_AFTER: Duration = Duration::from_millis(500);
/// Between two looks at the clock of such a GPU.
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);
/// The clock is steady when so many looks in a row
const STEADY_LOOKS: usize = 3;
/// differ by less than this part.
const STEADY: f64 = 0.01;
/// A clock that is never steady is left alone after so many looks.
const MOST_LOOKS: usize = 40;
/// Arrays with a block for each multiprocessor of a large GPU, which leave most
/// of an L2 cache to others.
const ARRAY_BYTES: usize = 2 << 20;
/// Kernels in a row.
const BURST: usize = 16;
/// Times the L2 cache that is written to empty it: as much as for those of CPUs.
const TIMES_L2: u64 = 2;
/// What is written where its size is not known.
const UNKNOWN_L2_BYTES: u64 = 64 << 20;

/// Keeps the GPU at work for a moment, or until its clock is steady (a second at
/// most) if it had nothing to do for long.
///
/// # Errors
/// If the device refuses.
pub(in crate::measure) fn warm(gpu: &Gpu, watch: &Watch) -> Result<(), DeviceError> {
    match watch.idle() {
        Some(idle) if idle < WARM_UNTIL => work(gpu, TO_BE_AT_WORK)?,
        Some(idle) if idle < COLD_AFTER => work(gpu, BEFORE_A_SAMPLE)?,
        _ => warm_up(gpu, watch)?,
    }
    watch.has_worked();
    Ok(())
}

fn warm_up(gpu: &Gpu, watch: &Watch) -> Result<(), DeviceError> {
    let (mut last, mut steady) = (None::<f64>, 0);
    for _ in 0..MOST_LOOKS {
        work(gpu, BETWEEN_LOOKS)?;
        let clock = watch.clock_mhz();
        // Where no clock can be seen, some looks have to do.
        let is_steady = match (last, clock) {
            (Some(last), Some(clock)) => (clock / last - 1.0).abs() < STEADY,
            (_, clock) => clock.is_none(),
        };
        steady = if is_steady { steady + 1 } else { 0 };
        if steady >= STEADY_LOOKS {
            break;
        }
        last = clock;
    }
    Ok(())
}

fn work(gpu: &Gpu, duration: Duration) -> Result<(), DeviceError> {
    let start = Instant::now();
    let streams = MemoryStreams::new(gpu, ARRAY_BYTES)?;
    while start.elapsed() < duration {
        for _ in 0..BURST {
            streams.triad(gpu)?;
        }
        gpu.finish()?;
    }
    Ok(())
}

/// Writes more than the L2 cache holds.
///
/// # Errors
/// If the device refuses, or has no room.
pub(in crate::measure) fn empty_cache(gpu: &Gpu) -> Result<(), DeviceError> {
    let bytes = match gpu.properties().l2_bytes {
        0 => UNKNOWN_L2_BYTES,
        known => TIMES_L2 * known,
    };
    let buffer = gpu.buffer::<u8>(bytes as usize)?;
    gpu.fill(&buffer, 0)?;
    gpu.finish()
}
