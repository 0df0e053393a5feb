//! Elements of lists, as checks of algorithms change them.

use generators_common::element::{Choose, Element, Poison};

use crate::Digi;
use crate::raw::{MicrosliceCounts, TimesliceCounts};

impl Element for Digi {
    const NAME: &'static str = "digi";

    fn changed(&self, choose: Choose<'_>) -> Self {
        Digi::from_bits(self.bits() ^ 1 << choose(64))
    }
}

/// A bit pattern that is unlikely to be a digi of any input.
impl Poison for Digi {
    const POISON: Self = Digi::from_bits(u64::POISON);
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

impl Poison for MicrosliceCounts {
    const POISON: Self = MicrosliceCounts {
        digis: u32::POISON,
        other: u32::POISON,
        elink: u32::POISON,
        first: u32::POISON,
        size: u32::POISON,
        overflow: u32::POISON,
        undefined: u32::POISON,
    };
}
