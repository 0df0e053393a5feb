//! Merging on the host.
//!
//! All variants except the sequential one have the same stages (`by_component`), each with a choice
//! of algorithms: components are found, links brought together by component, then followed.

mod by_component;
mod hooking;
mod hooking_ahead;
mod links;

use std::borrow::Cow;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks};

use super::TpcMerge;
use super::resolve::{ExclusiveRelations, follow, input_bytes};
use crate::algorithm::{Runner, Variant, VariantContext};
use crate::all_cores::copy;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec};
use by_component::ByComponent;
use hooking::{Hooking, Petgraph};
use hooking_ahead::HookingAhead;
use links::{LinksByComponent, LinksByShare};

pub(super) const VARIANTS: &[Variant<TpcMerge>] = &[
    Variant::cpu("sequential", "link by link in ascending order, one thread (thesis 3.7)", |at| {
        at.session(Sequential::new(at))
    }),
    Variant::cpu(
        "components",
        "components by lock-free hooking and pointer jumping, each one worker's (thesis 3.7)",
        |at| at.session(ByComponent::<Hooking, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "petgraph",
        "peer: components by the union-find of the crate petgraph, the rest as components",
        |at| at.session(ByComponent::<Petgraph, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "shares",
        "components only where numbers don't keep them apart; links in shares, fetched ahead",
        |at| at.session(ByComponent::<HookingAhead, LinksByShare>::new(at)),
    ),
];

struct Sequential<'a> {
    input: &'a SliceTracks,
    arena: &'a Arena,
}

impl<'a> Sequential<'a> {
    fn new(at: &VariantContext<'a, '_, TpcMerge>) -> Self {
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
