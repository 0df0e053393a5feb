//! Storage of relations while links are followed.

use std::sync::atomic::{AtomicU32, Ordering};

use generators::tpc::slice_tracks::Relations;

use crate::device::Poison;
use crate::prefetch::prefetch;

/// An invalid slice track.
impl Poison for Relations {
    const POISON: Self = Relations {
        segment_prev: u32::POISON,
        segment_next: u32::POISON,
        neighbours: [u32::POISON; 2],
    };
}

/// Relations that can be followed and changed.
pub(super) trait RelationStore {
    /// An item for each step that a walk may take.
    type Steps: Iterator<Item = ()>;
    /// Unlimited, unless other threads may change relations meanwhile, which can lead a walk in
    /// circles.
    fn steps(&self) -> Self::Steps;
    /// The piece before one.
    fn prev(&self, track: u32) -> u32;
    /// The piece after one.
    fn next(&self, track: u32) -> u32;
    /// The leg next to one.
    fn neighbour(&self, track: u32, side: usize) -> u32;
    /// Sets the piece after another one.
    fn set_next(&mut self, track: u32, next: u32);
    /// Puts a piece before another one.
    fn set_prev(&mut self, track: u32, prev: u32);
    /// Sets the leg next to one.
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32);
}

/// All relations, with exclusive access.
pub(super) struct ExclusiveRelations<'a>(pub(super) &'a mut [Relations]);

impl RelationStore for ExclusiveRelations<'_> {
    type Steps = std::iter::Repeat<()>;

    #[inline(always)]
    fn steps(&self) -> Self::Steps {
        std::iter::repeat(())
    }

    #[inline(always)]
    fn prev(&self, track: u32) -> u32 {
        self.0[track as usize].segment_prev
    }

    #[inline(always)]
    fn next(&self, track: u32) -> u32 {
        self.0[track as usize].segment_next
    }

    #[inline(always)]
    fn neighbour(&self, track: u32, side: usize) -> u32 {
        self.0[track as usize].neighbours[side]
    }

    #[inline(always)]
    fn set_next(&mut self, track: u32, next: u32) {
        self.0[track as usize].segment_next = next;
    }

    #[inline(always)]
    fn set_prev(&mut self, track: u32, prev: u32) {
        self.0[track as usize].segment_prev = prev;
    }

    #[inline(always)]
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32) {
        self.0[track as usize].neighbours[side] = neighbour;
    }
}

/// The fields of [`Relations`].
type Words = [AtomicU32; 4];
const PREV: usize = 0;
const NEXT: usize = 1;
const NEIGHBOURS: usize = 2;

/// Relations that several workers change, each those of its own components. A worker that violates
/// this makes wrong relations, which a check detects, and no undefined behaviour.
#[derive(Clone, Copy)]
pub(super) struct SharedRelations<'a>(&'a [Words]);

impl<'a> SharedRelations<'a> {
    /// Shares relations between threads.
    pub(super) fn new(relations: &'a mut [Relations]) -> Self {
        const {
            assert!(size_of::<Relations>() == size_of::<Words>());
            assert!(align_of::<Relations>() == align_of::<Words>());
            assert!(std::mem::offset_of!(Relations, segment_next) == 4 * NEXT);
            assert!(std::mem::offset_of!(Relations, neighbours) == 4 * NEIGHBOURS);
        }
        let first = relations.as_mut_ptr().cast();
        let length = relations.len();
        // SAFETY: they are four words each, as checked above, and `relations` is borrowed mutably
        // for the lifetime of the result, so there is no other access.
        SharedRelations(unsafe { std::slice::from_raw_parts(first, length) })
    }

    /// Prefetches the relations of a slice track, if it is valid.
    #[inline(always)]
    pub(super) fn prefetch(&self, track: u32) {
        prefetch(self.0, track as usize);
    }

    #[inline(always)]
    fn get(&self, track: u32, word: usize) -> u32 {
        self.0[track as usize][word].load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn set(&self, track: u32, word: usize, value: u32) {
        self.0[track as usize][word].store(value, Ordering::Relaxed);
    }
}

impl RelationStore for SharedRelations<'_> {
    type Steps = std::iter::RepeatN<()>;

    #[inline(always)]
    fn steps(&self) -> Self::Steps {
        std::iter::repeat_n((), self.0.len())
    }

    #[inline(always)]
    fn prev(&self, track: u32) -> u32 {
        self.get(track, PREV)
    }

    #[inline(always)]
    fn next(&self, track: u32) -> u32 {
        self.get(track, NEXT)
    }

    #[inline(always)]
    fn neighbour(&self, track: u32, side: usize) -> u32 {
        self.get(track, NEIGHBOURS + side)
    }

    #[inline(always)]
    fn set_next(&mut self, track: u32, next: u32) {
        self.set(track, NEXT, next);
    }

    #[inline(always)]
    fn set_prev(&mut self, track: u32, prev: u32) {
        self.set(track, PREV, prev);
    }

    #[inline(always)]
    fn set_neighbour(&mut self, track: u32, side: usize, neighbour: u32) {
        self.set(track, NEIGHBOURS + side, neighbour);
    }
}

#[cfg(test)]
mod tests {
    use generators::tpc::slice_tracks::{NONE, SliceTrack};

    use super::*;
    use crate::tpc_merge::resolve::follow;

    /// Workers that don't keep to their own components, as in a wrong variant.
    #[test]
    fn conflicting_workers_terminate() {
        const TRACKS: u32 = 2000;
        let tracks = vec![SliceTrack::default(); TRACKS as usize];
        let mut relations = vec![Relations::ALONE; tracks.len()];
        let shared = SharedRelations::new(&mut relations);
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let mut shared = shared;
                let tracks = &tracks;
                scope.spawn(move || {
                    for track in 0..TRACKS {
                        let link = (track * 7 + worker * 13) % TRACKS;
                        follow(&mut shared, tracks, track, link);
                    }
                });
            }
        });
        let names = |track: u32| track < TRACKS || track == NONE;
        assert!(relations.iter().all(|one| names(one.segment_next)));
    }

    #[test]
    fn walk_around_a_ring_terminates() {
        let tracks = vec![SliceTrack::default(); 3];
        let mut relations = vec![Relations::ALONE; 3];
        for (track, one) in relations.iter_mut().enumerate() {
            one.segment_prev = (track as u32 + 1) % 3;
            one.segment_next = (track as u32 + 2) % 3;
            one.neighbours = [one.segment_next; 2];
        }
        follow(&mut SharedRelations::new(&mut relations), &tracks, 0, 1);
    }
}
