//! The GPU that a candidate is sampled on, at work just before a sample: its clocks go
//! down while it has nothing to do, and making fresh input on the host takes long enough
//! for that.

use std::sync::Arc;
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

/// A GPU in a visit.
pub(crate) struct OnGpu<'a> {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) watch: &'a Watch,
    pub(crate) mode: GpuMode,
}

/// What is done on a GPU beside the runs that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GpuMode {
    /// It is kept at work before them, and some are run once more for their stages.
    Measure,
    /// The same, but all runs are made once more for their stages, and none for their energy.
    MeasureKernels,
    /// Nothing that a profiler would have to tell from them.
    Profile,
}

impl OnGpu<'_> {
    /// Just before a run: keeps the GPU at work for a moment, or until its clock is steady
    /// (a second at most) if it had nothing to do for long.
    pub(crate) fn warm_up(&self) -> Result<(), DeviceError> {
        if self.mode == GpuMode::Profile {
            return Ok(());
        }
        match self.watch.idle() {
            Some(idle) if idle < WARM_UNTIL => self.work(TO_BE_AT_WORK)?,
            Some(idle) if idle < COLD_AFTER => self.work(BEFORE_A_SAMPLE)?,
            _ => self.work_until_steady()?,
        }
        self.watch.has_worked();
        Ok(())
    }

    fn work_until_steady(&self) -> Result<(), DeviceError> {
        let (mut last, mut steady) = (None::<f64>, 0);
        for _ in 0..MOST_LOOKS {
            self.work(BETWEEN_LOOKS)?;
            let clock = self.watch.look().clock_mhz;
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

    fn work(&self, duration: Duration) -> Result<(), DeviceError> {
        let start = Instant::now();
        let streams = MemoryStreams::new(&self.gpu, ARRAY_BYTES)?;
        while start.elapsed() < duration {
            for _ in 0..BURST {
                streams.triad(&self.gpu)?;
            }
            self.gpu.finish()?;
        }
        Ok(())
    }

    /// Writes more than the L2 cache holds.
    pub(crate) fn empty_cache(&self) -> Result<(), DeviceError> {
        let bytes = match self.gpu.properties().l2_bytes {
            0 => UNKNOWN_L2_BYTES,
            known => TIMES_L2 * known,
        };
        let buffer = self.gpu.buffer::<u8>(bytes as usize)?;
        self.gpu.fill(&buffer, 0)?;
        self.gpu.finish()
    }
}
