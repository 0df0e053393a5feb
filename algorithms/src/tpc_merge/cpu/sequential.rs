//! Link by link in ascending order.

use std::borrow::Cow;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks};

use super::by_component::{input_bytes, refresh};
use crate::algorithm::Prepared;
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::tpc_merge::TpcMerge;
use crate::tpc_merge::legs::AllLegs;
use crate::tpc_merge::resolve::follow;

pub(super) struct PreparedSequential<'a> {
    input: &'a SliceTracks,
    arena: &'a Arena,
    relations: Vec<Relations>,
}

impl<'a> PreparedSequential<'a> {
    pub(super) fn new(input: &'a SliceTracks, arena: &'a Arena) -> Self {
        PreparedSequential {
            input,
            arena,
            relations: Vec::new(),
        }
    }
}

impl Prepared<TpcMerge> for PreparedSequential<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        refresh(&mut self.relations, self.input, self.arena);
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        // Its only buffer is the input that it changes.
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let mut legs = AllLegs(&mut self.relations);
        for (track, &link) in self.input.links().iter().enumerate() {
            if link != NONE {
                follow(&mut legs, self.input.tracks(), track as u32, link);
            }
        }
        Ok(())
    }

    fn output(&self) -> Cow<'_, Vec<Relations>> {
        Cow::Borrowed(&self.relations)
    }

    fn release(&mut self) {
        self.arena.give(std::mem::take(&mut self.relations));
    }

    fn buffer_bytes(&self) -> u64 {
        input_bytes(self.input)
    }
}
