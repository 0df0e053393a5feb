//! Event building as the stage after the chain.

use crate::sts_events::{EventStage, event_sums, events_digest};
use tasks::algorithm::{Digest, KINDS, SegmentSums, Segments};
use tasks::open_loop::FrameStage;

/// Items of a result: events, and digis in any of them.
impl FrameStage for EventStage<'_> {
    fn run(&mut self) {
        EventStage::run(self);
    }

    fn counts(&self) -> [u32; KINDS] {
        let events = self.events();
        // Indices of digis have 32 bits, which was checked when the stage was prepared.
        [events.events.len() as u32, events.digis_kept() as u32]
    }

    fn sums(&self) -> SegmentSums {
        event_sums(self.events())
    }

    fn digest(&self, segments: Segments) -> Digest {
        events_digest(self.events(), segments)
    }

    fn release(&mut self) {
        EventStage::release(self);
    }
}
