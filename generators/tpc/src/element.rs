//! Elements of lists, as checks of algorithms change them.

use generators_common::element::{Choose, Element, Poison};

use crate::PadId;
use crate::charges::Charge;
use crate::slice_tracks::Relations;

/// An invalid sample: larger than any valid one.
impl Poison for Charge {
    const POISON: Self =
        Charge { time: u32::POISON, pad: PadId::from_bits(u16::POISON), charge: u16::POISON };
}

impl Element for Relations {
    const NAME: &'static str = "slice track";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut changed = *self;
        let [lower, upper] = &mut changed.neighbours;
        let words = [&mut changed.segment_prev, &mut changed.segment_next, lower, upper];
        *words[choose(4)] ^= 1 << choose(32);
        changed
    }
}

/// An invalid slice track.
impl Poison for Relations {
    const POISON: Self = Relations {
        segment_prev: u32::POISON,
        segment_next: u32::POISON,
        neighbours: [u32::POISON; 2],
    };
}
