//! A variant that is ready to run.

use std::borrow::Cow;

use rayon::prelude::*;

use super::Advance;
use super::strips::{self, Strip};
use crate::algorithm::Prepared;
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::tpc_noisy_pads::TpcNoisyPads;
use crate::tpc_noisy_pads::activity::{PadActivity, Verdict};
use crate::tpc_noisy_pads::input::ChargeMaps;

/// What no pad does: a longer run than charges.
const POISON: PadActivity = PadActivity {
    charges: 0,
    longest_run: u16::MAX,
    largest: 0,
    verdict: Verdict::Good,
};

pub(super) struct PreparedStrips<'a> {
    maps: &'a ChargeMaps,
    arena: &'a Arena,
    strips: Vec<Strip>,
    advance: Advance,
    activity: Vec<PadActivity>,
}

impl<'a> PreparedStrips<'a> {
    pub(super) fn new(maps: &'a ChargeMaps, arena: &'a Arena, advance: Advance) -> Self {
        PreparedStrips {
            maps,
            arena,
            strips: strips::of(maps.sectors()),
            advance,
            activity: Vec::new(),
        }
    }
}

impl Prepared<TpcNoisyPads> for PreparedStrips<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        if self.activity.is_empty() {
            self.activity = self.arena.take(self.maps.pads());
        }
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.activity.fill(POISON);
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let mut rest = self.activity.as_mut_slice();
        let mut parts = Vec::with_capacity(self.strips.len());
        for strip in &self.strips {
            let (part, behind) = rest.split_at_mut(strip.pads());
            parts.push((strip, part));
            rest = behind;
        }
        let (maps, advance) = (self.maps, self.advance);
        parts.into_par_iter().for_each(|(strip, activity)| {
            strip.find(maps.map(strip.sector), maps.thresholds(), advance, activity);
        });
        Ok(())
    }

    fn output(&self) -> Cow<'_, Vec<PadActivity>> {
        Cow::Borrowed(&self.activity)
    }

    fn release(&mut self) {
        self.arena.give(std::mem::take(&mut self.activity));
    }

    fn buffer_bytes(&self) -> u64 {
        let activity = self.maps.pads() * size_of::<PadActivity>();
        (size_of_val(self.maps.entries()) + activity) as u64
    }
}
