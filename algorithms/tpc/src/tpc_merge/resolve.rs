//! Follows a link: two slice tracks, and the slice tracks that belong to them, become one track; and
//! stores relations meanwhile.
//!
//! As in the experiment's online reconstruction, October 2024; Rohr, thesis section 3.7.

use std::sync::atomic::{AtomicU32, Ordering};

use generators_tpc::slice_tracks::{NONE, Relations, SliceTrack, SliceTracks};
use parallel::prefetch::prefetch;

/// |q/pt| in c/GeV below which a particle does not curl up inside the chamber.
const CURLS_FROM: f32 = 2.0;

/// Bytes that are read when following links.
pub(super) fn input_bytes(input: &SliceTracks) -> u64 {
    (size_of_val(input.tracks()) + size_of_val(input.links())) as u64
}

/// Follows the link from slice track `a` to `b`.
#[inline]
pub(super) fn follow(legs: &mut impl RelationStore, tracks: &[SliceTrack], a: u32, b: u32) {
    let head_of_b = head(legs, b);
    if same_leg(&tracks[a as usize], &tracks[b as usize]) {
        join_same_leg(legs, a, head_of_b);
    } else {
        let a = Piece { track: a, head: head(legs, a) };
        join_legs(legs, tracks, a, Piece { track: b, head: head_of_b });
    }
}

/// True if two slice tracks of one particle are pieces of the same leg.
#[inline(always)]
pub(super) fn same_leg(a: &SliceTrack, b: &SliceTrack) -> bool {
    let longer = if a.n_clusters > b.n_clusters { a } else { b };
    longer.q_over_pt.abs() < CURLS_FROM || a.q_over_pt * b.q_over_pt > 0.0
}

/// Appends the chain with the head `b` to that of `a`, which is any of its pieces.
fn join_same_leg(legs: &mut impl RelationStore, a: u32, b: u32) {
    let Some(head) = head_without(legs, a, b) else {
        return;
    };
    if is_adjacent(legs, head, b) {
        return;
    }
    if let Some(tail) = tail_without(legs, a, b) {
        append(legs, head, tail, b);
    }
}

/// A slice track, and the head of its chain.
#[derive(Clone, Copy)]
struct Piece {
    track: u32,
    head: u32,
}

/// Makes the legs of two slice tracks neighbours, or joins their neighbouring legs.
fn join_legs(legs: &mut impl RelationStore, tracks: &[SliceTrack], a: Piece, b: Piece) {
    let head_a = a.head;
    let head_b = b.head;
    if head_a == head_b || is_adjacent(legs, head_a, head_b) {
        return;
    }
    let (from_a, to_a) = extent(tracks, a);
    let (from_b, to_b) = extent(tracks, b);
    let up = usize::from(to_b - from_a > to_a - from_b);
    let beyond_a = legs.neighbour(head_a, up);
    let beyond_b = legs.neighbour(head_b, 1 - up);
    let (first, second) = match (beyond_a, beyond_b) {
        (NONE, NONE) => {
            legs.set_neighbour(head_a, up, head_b);
            legs.set_neighbour(head_b, 1 - up, head_a);
            return;
        }
        (NONE, beyond_b) => (beyond_b, head_a),
        (beyond_a, _) => (beyond_a, head_b),
    };
    let tail = tail(legs, first);
    append(legs, first, tail, second);
}

/// The z extent of a slice track and of the head of its chain.
fn extent(tracks: &[SliceTrack], piece: Piece) -> (f32, f32) {
    let track = &tracks[piece.track as usize];
    let head = &tracks[piece.head as usize];
    (track.zt_min.min(head.zt_min), track.zt_max.max(head.zt_max))
}

/// Appends the chain `b` to the chain `a`, given by head and tail, and likewise the legs next to
/// them, side by side, as far as both have any.
fn append(legs: &mut impl RelationStore, a: u32, tail: u32, b: u32) {
    connect(legs, tail, b);
    for side in [0, 1] {
        join_sides(legs, a, b, side);
    }
}

fn join_sides(legs: &mut impl RelationStore, mut a: u32, mut b: u32, side: usize) {
    for () in legs.steps() {
        let neighbour_b = legs.neighbour(b, side);
        if neighbour_b == NONE {
            return;
        }
        legs.set_neighbour(b, side, NONE);
        let neighbour_a = legs.neighbour(a, side);
        if neighbour_a == NONE {
            legs.set_neighbour(a, side, neighbour_b);
            legs.set_neighbour(neighbour_b, 1 - side, a);
            return;
        }
        legs.set_neighbour(neighbour_b, 1 - side, NONE);
        let tail = tail(legs, neighbour_a);
        connect(legs, tail, neighbour_b);
        (a, b) = (neighbour_a, neighbour_b);
    }
}

fn connect(legs: &mut impl RelationStore, tail: u32, head: u32) {
    legs.set_next(tail, head);
    legs.set_prev(head, tail);
}

#[inline(always)]
fn head(legs: &impl RelationStore, mut track: u32) -> u32 {
    for () in legs.steps() {
        match legs.prev(track) {
            NONE => break,
            prev => track = prev,
        }
    }
    track
}

#[inline(always)]
fn tail(legs: &impl RelationStore, mut track: u32) -> u32 {
    for () in legs.steps() {
        match legs.next(track) {
            NONE => break,
            next => track = next,
        }
    }
    track
}

/// The head of a piece's chain; `None` if that is `other`.
fn head_without(legs: &impl RelationStore, track: u32, other: u32) -> Option<u32> {
    // `other` is a head itself, so it can only be the head of the chain.
    Some(head(legs, track)).filter(|head| *head != other)
}

/// The tail of a piece's chain; `None` if `other` is between.
fn tail_without(legs: &impl RelationStore, mut track: u32, other: u32) -> Option<u32> {
    for () in legs.steps() {
        match legs.next(track) {
            NONE => return Some(track),
            next if next == other => return None,
            next => track = next,
        }
    }
    None
}

/// True if a leg is found by following the neighbours of a head to either side.
fn is_adjacent(legs: &impl RelationStore, head: u32, other: u32) -> bool {
    [0, 1].into_iter().any(|side| {
        let mut leg = legs.neighbour(head, side);
        for () in legs.steps() {
            if leg == NONE || leg == other {
                break;
            }
            leg = legs.neighbour(leg, side);
        }
        leg == other
    })
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
    use generators_tpc::slice_tracks::{NONE, SliceTrack};

    use super::*;

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
