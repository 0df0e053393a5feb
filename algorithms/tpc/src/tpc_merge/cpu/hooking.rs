//! Components by lock-free hooking, then pointer jumping (Sutton, Ben-Nun, Barak 2018; thesis 3.7),
//! and by the single-threaded union-find of the crate `petgraph` for comparison.
//!
//! Each slice track has a parent, initially itself. For each link and relation, the larger of the
//! two roots is hooked onto the smaller one by compare-and-swap; the thread that loses the race
//! follows the new parent and tries again. Parents only become smaller, so this terminates.

use std::sync::atomic::{AtomicU32, Ordering};

use generators_tpc::slice_tracks::SliceTracks;
use parallel::shared::atomic;
use parallel::{Grain, for_each_part, for_each_range};
use petgraph::unionfind::UnionFind;

use super::{ComponentBounds, FindComponents, PART};
use crate::tpc_merge::components::named;
use tasks::device::{Arena, ArenaVec, buffers};

/// The parent of each slice track.
pub(super) struct Hooking<'a> {
    parents: ArenaVec<'a, u32>,
}

buffers!(Hooking<'_>: parents);

impl<'a> FindComponents<'a> for Hooking<'a> {
    fn take(tracks: usize, _: usize, arena: &'a Arena) -> Self {
        Hooking { parents: arena.vector(tracks) }
    }

    fn setup(&mut self, _: &SliceTracks) -> ComponentBounds {
        make_roots(&mut self.parents);
        ComponentBounds::Nothing
    }

    fn hook(&mut self, input: &SliceTracks) {
        let parents = atomic(&mut self.parents);
        for_each_range(parents.len(), Grain::AtLeast(PART), |tracks| {
            for track in tracks {
                for other in named(input, track) {
                    join(parents, track as u32, other);
                }
            }
        });
    }

    fn jump(&mut self) {
        let parents = atomic(&mut self.parents);
        for_each_range(parents.len(), Grain::AtLeast(PART), |tracks| {
            for parent in &parents[tracks] {
                let root = root(parents, parent.load(Ordering::Relaxed));
                parent.store(root, Ordering::Relaxed);
            }
        });
    }

    fn labels(&self) -> &[u32] {
        &self.parents
    }
}

/// Makes each slice track its own parent.
pub(super) fn make_roots(parents: &mut [u32]) {
    for_each_part(parents, Grain::AtLeast(PART), |first, parents| {
        for (parent, track) in parents.iter_mut().zip(first as u32..) {
            *parent = track;
        }
    });
}

#[inline(always)]
fn load(parents: &[AtomicU32], track: u32) -> u32 {
    parents[track as usize].load(Ordering::Relaxed)
}

#[inline(always)]
fn root(parents: &[AtomicU32], mut track: u32) -> u32 {
    loop {
        let above = load(parents, track);
        if above == track {
            return track;
        }
        track = above;
    }
}

/// Joins the trees of two slice tracks.
#[inline]
fn join(parents: &[AtomicU32], one: u32, other: u32) {
    let mut one = load(parents, one);
    let mut other = load(parents, other);
    while one != other {
        let low = one.min(other);
        let high = one.max(other);
        let above = load(parents, high);
        if above == low || (above == high && hook(parents, high, low)) {
            return;
        }
        one = load(parents, load(parents, high));
        other = load(parents, low);
    }
}

/// Hooks a root onto another one, if it is still a root.
fn hook(parents: &[AtomicU32], root: u32, onto: u32) -> bool {
    let success = Ordering::Relaxed;
    let failure = Ordering::Relaxed;
    parents[root as usize].compare_exchange(root, onto, success, failure).is_ok()
}

/// The crate's forest, which can't be reused, and the resulting labels.
pub(super) struct Petgraph<'a> {
    forest: UnionFind<u32>,
    labels: ArenaVec<'a, u32>,
}

buffers!(Petgraph<'_>: labels);

impl<'a> FindComponents<'a> for Petgraph<'a> {
    fn take(tracks: usize, _: usize, arena: &'a Arena) -> Self {
        Petgraph { forest: UnionFind::new(0), labels: arena.vector(tracks) }
    }

    fn setup(&mut self, input: &SliceTracks) -> ComponentBounds {
        self.forest = UnionFind::new(input.len());
        ComponentBounds::Nothing
    }

    fn hook(&mut self, input: &SliceTracks) {
        for track in 0..input.len() {
            for other in named(input, track) {
                self.forest.union(track as u32, other);
            }
        }
    }

    fn jump(&mut self) {
        for (track, label) in self.labels.iter_mut().enumerate() {
            *label = self.forest.find_mut(track as u32);
        }
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }
}
