//! Follows link by link in ascending order.

use std::borrow::Cow;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks};

use crate::algorithm::{Runner, VariantContext};
use crate::all_cores::copy;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec};
use crate::tpc_merge::TpcMerge;
use crate::tpc_merge::relation_store::ExclusiveRelations;
use crate::tpc_merge::resolve::{follow, input_bytes};

pub(super) struct Sequential<'a> {
    input: &'a SliceTracks,
    arena: &'a Arena,
}

impl<'a> Sequential<'a> {
    pub(super) fn new(at: &VariantContext<'a, '_, TpcMerge>) -> Self {
        Sequential { input: at.input, arena: at.arena }
    }
}

impl<'a> Runner<TpcMerge> for Sequential<'a> {
    type Buffers = ArenaVec<'a, Relations>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        Ok(self.arena.vector(self.input.len()))
    }

    fn load(&mut self, relations: &mut Self::Buffers) -> Result<(), DeviceError> {
        copy(relations, self.input.relations());
        Ok(())
    }

    fn run(&mut self, relations: &mut Self::Buffers) -> Result<(), DeviceError> {
        let mut legs = ExclusiveRelations(relations);
        for (track, &link) in self.input.links().iter().enumerate() {
            if link != NONE {
                follow(&mut legs, self.input.tracks(), track as u32, link);
            }
        }
        Ok(())
    }

    fn output<'b>(&'b self, relations: &'b Self::Buffers) -> Cow<'b, Vec<Relations>> {
        Cow::Borrowed(relations)
    }

    fn input_bytes(&self) -> u64 {
        input_bytes(self.input)
    }
}
