//! The GPU that a candidate is sampled on.

use std::sync::Arc;

use algorithms::device::gpu::{DeviceError, Gpu};

use super::warmth;
use super::watch::{Sight, Watch};
use crate::measure::Sample;

/// A GPU in a visit.
pub(in crate::measure) struct OnGpu<'a> {
    pub(in crate::measure) gpu: Arc<Gpu>,
    pub(in crate::measure) watch: &'a Watch,
    pub(in crate::measure) care: Care,
}

/// What is done on a GPU beside the runs that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum Care {
    /// It is kept at work before them, and each is run once more for its stages.
    Full,
    /// Nothing that a profiler would have to tell from them.
    None,
}

/// What is in the L2 cache when a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum L2 {
    /// What was there before.
    Kept,
    /// Nothing of use.
    Emptied,
}

impl OnGpu<'_> {
    /// To be called just before a run.
    pub(in crate::measure) fn get_ready(&self, cache: L2) -> Result<(), DeviceError> {
        if self.care == Care::Full {
            warmth::warm(&self.gpu, self.watch)?;
        }
        match cache {
            L2::Kept => Ok(()),
            L2::Emptied => warmth::empty_cache(&self.gpu),
        }
    }

    /// A sample with the conditions that it was taken in. What the cores of the
    /// host were at is of no concern: they wait.
    pub(in crate::measure) fn judged(
        &self,
        sample: Sample,
        before: &Sight,
        after: &Sight,
    ) -> Sample {
        self.watch.has_worked();
        let condition = self.watch.judge(before, after);
        Sample {
            slow_clock: condition.slow_clock,
            limits: condition.limits,
            clock_mhz: before.clock_mhz,
            launches_in_stages: self.gpu.was_host_late(),
            ..sample
        }
    }
}
