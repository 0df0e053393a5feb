//! Merging on the host.
//!
//! All variants but the sequential one do the same in stages, of which each may be done
//! in several ways: components are found, links brought together by component, then
//! followed.
//!
//! | module | holds |
//! |---|---|
//! | `sequential` | link by link |
//! | `by_component` | the stages, and a variant that is ready to run |
//! | `hooking`, `petgraph`, `hooking_ahead` | ways to find components |
//! | `cuts` | where numbers keep components apart |
//! | `links_by_component`, `links_by_share` | ways to bring links together |
//! | `atomics`, `prefetch` | small things that these need |

mod atomics;
mod by_component;
mod cuts;
mod hooking;
mod hooking_ahead;
mod links_by_component;
mod links_by_share;
mod petgraph;
mod prefetch;
mod sequential;

use generators::tpc::slice_tracks::SliceTracks;

use super::TpcMerge;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};

/// A way to merge.
pub(super) struct CpuMerge {
    name: &'static str,
    summary: &'static str,
    prepare: for<'a> fn(&'a SliceTracks, &'a Arena, usize) -> Box<dyn Prepared<TpcMerge> + 'a>,
}

pub(super) static SEQUENTIAL: CpuMerge = CpuMerge {
    name: "sequential",
    summary: "link by link in ascending order, one thread (thesis 3.7)",
    prepare: |input, arena, _| Box::new(sequential::PreparedSequential::new(input, arena)),
};

pub(super) static COMPONENTS: CpuMerge = CpuMerge {
    name: "components",
    summary: "components by lock-free hooking and pointer jumping, each one worker's (thesis 3.7)",
    prepare: |input, arena, threads| {
        by_component::prepare::<hooking::Hooking, links_by_component::LinksByComponent>(
            input, arena, threads,
        )
    },
};

pub(super) static PETGRAPH: CpuMerge = CpuMerge {
    name: "petgraph",
    summary: "peer: components by the union-find of the crate petgraph, the rest as components",
    prepare: |input, arena, threads| {
        by_component::prepare::<petgraph::Petgraph, links_by_component::LinksByComponent>(
            input, arena, threads,
        )
    },
};

pub(super) static SHARES: CpuMerge = CpuMerge {
    name: "shares",
    summary: "components only where numbers don't keep them apart; links in shares, fetched ahead",
    prepare: |input, arena, threads| {
        by_component::prepare::<hooking_ahead::HookingAhead, links_by_share::LinksByShare>(
            input, arena, threads,
        )
    },
};

impl Variant<TpcMerge> for CpuMerge {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        input: &'a SliceTracks,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcMerge> + 'a>, Unavailable> {
        Ok((self.prepare)(input, arena, place.team.threads()))
    }
}
