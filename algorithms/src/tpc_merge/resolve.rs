//! Follows a link: two slice tracks, and the slice tracks that belong to them, become one track.
//!
//! As in the experiment's online reconstruction, October 2024; Rohr, thesis section 3.7.

use generators::tpc::slice_tracks::{NONE, SliceTrack, SliceTracks};

use super::relation_store::RelationStore;

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
