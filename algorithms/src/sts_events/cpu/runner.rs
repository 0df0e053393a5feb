//! Finds events, then copies their digis.

use std::borrow::Cow;

use generators::sts::Digi;

use crate::algorithm::{PrepareResult, Runner, VariantContext};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec};
use crate::sts_events::event::assign_copies;
use crate::sts_events::{DigiStream, Event, EventRules, Events, StsEvents};

/// Finds all events of digis.
pub(super) type Cut = fn(&[Digi], &EventRules) -> Vec<Event>;

/// Copies the digis of all events to a contiguous array.
pub(super) type Copy = fn(&[Digi], &[Event], &mut [Digi]);

struct CutAndCopy<'a> {
    cut: Cut,
    copy: Copy,
    input: &'a DigiStream,
    arena: &'a Arena,
    /// Events of the previous run.
    events: Vec<Event>,
    copies: usize,
}

/// A variant that does both.
pub(super) fn cut_by<'a>(
    at: &VariantContext<'a, '_, StsEvents>,
    cut: Cut,
    copy: Copy,
) -> PrepareResult<'a, StsEvents> {
    let input = at.input;
    let arena = at.arena;
    at.session(CutAndCopy { cut, copy, input, arena, events: Vec::new(), copies: 0 })
}

impl<'a> Runner<StsEvents> for CutAndCopy<'a> {
    type Buffers = ArenaVec<'a, Digi>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        // The number of copies of the previous run, or else the number of digis.
        let copies = if self.copies > 0 { self.copies } else { self.input.digis().len() };
        Ok(self.arena.vector(copies))
    }

    fn run(&mut self, digis: &mut Self::Buffers) -> Result<(), DeviceError> {
        self.events = (self.cut)(self.input.digis(), self.input.rules());
        self.copies = assign_copies(&mut self.events);
        if self.copies > digis.len() {
            // More than the first guess, or wrong, which the check finds.
            digis.resize(self.copies, Digi::default());
        }
        (self.copy)(self.input.digis(), &self.events, &mut digis[..self.copies]);
        Ok(())
    }

    fn output<'b>(&'b self, digis: &'b Self::Buffers) -> Cow<'b, Events> {
        let digis = digis[..self.copies].to_vec();
        Cow::Owned(Events { events: self.events.clone(), digis })
    }

    fn input_bytes(&self) -> u64 {
        size_of_val(self.input.digis()) as u64
    }
}
