//! The union-find of the crate `petgraph`, for comparison; it is single-threaded.

use generators::tpc::slice_tracks::SliceTracks;
use petgraph::unionfind::UnionFind;

use super::by_component::{ComponentBounds, FindComponents};
use crate::device::{Arena, ArenaVec, buffers};
use crate::tpc_merge::components::named;

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
