//! The GPU that a candidate is sampled on. It is kept busy just before a sample, because its clocks
//! drop while it is idle, and preparing fresh input on the host takes long enough for that.

use std::sync::Arc;
use std::time::{Duration, Instant};

use portable_gpu::ceilings::MemoryStreams;
use portable_gpu::nvtx::{Range, StageRanges};
use portable_gpu::{DeviceError, Gpu};

use super::watch::Watch;
use crate::measure::TOTAL;

/// Warm-up before a sample: long enough for a clock that dropped a little.
const WARM_UP: Duration = Duration::from_millis(10);
/// A GPU that was idle for no longer than this has not lowered its clock yet.
const WARM_UNTIL: Duration = Duration::from_millis(20);
/// Warm-up before a sample on such a GPU: it is busy when the run starts.
const WARM_UP_SHORT: Duration = Duration::from_millis(1);
/// A GPU that was idle for longer may have lowered its clock by much.
const COLD_AFTER: Duration = Duration::from_millis(500);
/// Interval between clock readings of such a GPU.
const READING_INTERVAL: Duration = Duration::from_millis(25);
/// The clock is steady if this number of consecutive readings
const STEADY_READINGS: usize = 3;
/// differ by less than this fraction.
const STEADY: f64 = 0.01;
/// Maximum number of readings; a clock that is not steady by then is accepted.
const MAX_READINGS: usize = 40;
/// Array size with a block for each multiprocessor of a large GPU; small enough to leave most of
/// the L2 cache to the candidate.
const ARRAY_BYTES: usize = 2 << 20;
/// Kernels in a row.
const BURST: usize = 16;
/// Bytes written to empty the L2 cache, in multiples of its size; as for CPU caches.
const TIMES_L2: u64 = 2;
/// Bytes written if the L2 size is unknown.
const UNKNOWN_L2_BYTES: u64 = 64 << 20;

/// A GPU during a block of samples.
pub(crate) struct SampledGpu<'a> {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) watch: &'a Watch,
    pub(crate) mode: GpuMode,
    /// Ranges of its runs, if a profiler takes some.
    pub(crate) ranges: Option<RunRanges>,
}

/// Ranges of the runs of a candidate for a profiler.
pub(crate) struct RunRanges {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) stages: StageRanges,
}

/// The range of a run, and of the stages in it.
pub(crate) struct RunRange<'r> {
    gpu: &'r Gpu,
    _run: Range,
}

impl RunRanges {
    /// Begins the range of a run on this thread.
    pub(crate) fn begin(&self) -> RunRange<'_> {
        self.gpu.show_ranges(Some(self.stages.clone()));
        RunRange { gpu: &self.gpu, _run: self.stages.range(TOTAL) }
    }
}

impl Drop for RunRange<'_> {
    fn drop(&mut self) {
        self.gpu.show_ranges(None);
    }
}

/// Work done on a GPU in addition to timed runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GpuMode {
    /// Keep the GPU busy before runs, and repeat some runs for their stages.
    Measure,
    /// Like `Measure`, but repeat all runs for their stages, and measure no energy.
    MeasureKernels,
    /// No additional work, so that a profiler sees only the runs.
    Profile,
}

impl SampledGpu<'_> {
    /// Keeps the GPU busy just before a run: for a moment, or until its clock is steady (at most a
    /// second) if it was idle for long.
    pub(crate) fn warm_up(&self) -> Result<(), DeviceError> {
        if self.mode == GpuMode::Profile {
            return Ok(());
        }
        match self.watch.idle() {
            Some(idle) if idle < WARM_UNTIL => self.work(WARM_UP_SHORT)?,
            Some(idle) if idle < COLD_AFTER => self.work(WARM_UP)?,
            _ => self.work_until_steady()?,
        }
        self.watch.has_worked();
        Ok(())
    }

    fn work_until_steady(&self) -> Result<(), DeviceError> {
        let mut last = None::<f64>;
        let mut steady = 0;
        for _ in 0..MAX_READINGS {
            self.work(READING_INTERVAL)?;
            let clock = self.watch.look().clock_mhz;
            // Without clock readings, a fixed number of iterations is used.
            let is_steady = match (last, clock) {
                (Some(last), Some(clock)) => (clock / last - 1.0).abs() < STEADY,
                (_, clock) => clock.is_none(),
            };
            steady = if is_steady { steady + 1 } else { 0 };
            if steady >= STEADY_READINGS {
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

    /// Writes more bytes than the L2 cache holds.
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
