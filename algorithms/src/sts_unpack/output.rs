//! Output of unpacking, and its check.

use generators::sts::raw::{MicrosliceCounts, TimesliceCounts, Unpacked};

use crate::algorithm::mutants::inside;
use crate::algorithm::{CheckError, Choose, Element, Mutants, Output};

/// All counts, and all digis in their order.
impl Output for Unpacked {
    fn nothing() -> Self {
        Unpacked::default()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        compare_counts(self, right)?;
        self.digis.compare(&right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let timeslices = self.timeslices.mutants(choose);
        let microslices = self.microslices.mutants(choose);
        let digis = self.digis.mutants(choose);
        let timeslices = inside(self, timeslices, |all, list| all.timeslices = list);
        let microslices = inside(self, microslices, |all, list| all.microslices = list);
        let digis = inside(self, digis, |all, list| all.digis = list);
        timeslices.chain(microslices).chain(digis).collect()
    }
}

/// All but the digis.
pub(super) fn compare_counts(found: &Unpacked, right: &Unpacked) -> Result<(), CheckError> {
    found.timeslices.compare(&right.timeslices)?;
    found.microslices.compare(&right.microslices)
}

impl Element for TimesliceCounts {
    const NAME: &'static str = "timeslice";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut numbers: [u64; 6] = bytemuck::cast(*self);
        numbers[choose(6)] ^= 1 << choose(64);
        bytemuck::cast(numbers)
    }
}

impl Element for MicrosliceCounts {
    const NAME: &'static str = "microslice";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut numbers: [u32; 7] = bytemuck::cast(*self);
        numbers[choose(7)] ^= 1 << choose(32);
        bytemuck::cast(numbers)
    }
}
