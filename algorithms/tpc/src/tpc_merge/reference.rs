//! Slow and simple reference: tracks as lists of legs, legs as lists of pieces.
//!
//! A *track* is the set of legs that are connected as neighbours, from the lowest to the uppermost,
//! each a list of pieces from head to tail. Following a link between two tracks overlays one with
//! the other, so that a leg of the one coincides with a leg of the other, and joins the coinciding
//! legs; or it appends one to the other. Inside a track nothing changes. No pointer is followed.
//!
//! Components are independent, so shares of the components are processed in parallel. Slice tracks
//! of one component in different shares would lead to an error, not pass unnoticed.

use std::collections::VecDeque;

use generators_tpc::slice_tracks::{NONE, Relations, SliceTrack, SliceTracks};
use parallel::{Grain, collect, map, par_map};

use super::components;
use super::resolve::same_leg;

type Leg = Vec<u32>;

/// Minimum number of slice tracks of a share.
const MIN_SHARE: usize = 1 << 14;
const MAX_SHARES: usize = 256;

/// Follows all links.
pub(super) fn merge(input: &SliceTracks) -> Vec<Relations> {
    merge_in(input, (input.len() / MIN_SHARE).clamp(1, MAX_SHARES))
}

/// Merges in `shares` shares.
fn merge_in(input: &SliceTracks, shares: usize) -> Vec<Relations> {
    let shares = Shares::new(input, shares);
    let merged: Vec<Vec<Relations>> = map(&shares.members, |members| {
        let mut merger = Merger::new(input, members, &shares.indices);
        for &a in members {
            let b = input.links()[a as usize];
            if b != NONE {
                merger.follow(a, b);
            }
        }
        merger.relations()
    });
    collect(input.len(), Grain::Adaptive, |tracks| {
        let indices = shares.share_of[tracks.clone()].iter().zip(&shares.indices[tracks]);
        indices.map(|(&share, &index)| merged[usize::from(share)][index as usize])
    })
}

/// Slice tracks in shares: those of a component are in the same share.
struct Shares {
    /// The slice tracks of each share, in ascending order.
    members: Vec<Vec<u32>>,
    /// The share of each slice track.
    share_of: Vec<u16>,
    /// The index of each slice track in its share.
    indices: Vec<u32>,
}

impl Shares {
    fn new(input: &SliceTracks, count: usize) -> Self {
        if count == 1 {
            let all: Vec<u32> = (0..input.len() as u32).collect();
            return Shares {
                share_of: vec![0; all.len()],
                indices: all.clone(),
                members: vec![all],
            };
        }
        let labels = components::labels(input);
        let share_of_label = shares_of_labels(&labels, count);
        let share_of = par_map(&labels, |&label| share_of_label[label as usize]);
        let mut members = vec![Vec::new(); count];
        let add = |(&share, track): (&u16, u32)| {
            let share: &mut Vec<u32> = &mut members[usize::from(share)];
            share.push(track);
            share.len() as u32 - 1
        };
        let indices = share_of.iter().zip(0..).map(add).collect();
        Shares { members, share_of, indices }
    }
}

/// The share of each component, by its label: about the same number of slice tracks in each.
fn shares_of_labels(labels: &[u32], count: usize) -> Vec<u16> {
    let mut sizes = vec![0; labels.len()];
    for &label in labels {
        sizes[label as usize] += 1;
    }
    let mut before = 0;
    let share = |size: usize| {
        let share = before * count / labels.len();
        before += size;
        share.min(count - 1) as u16
    };
    sizes.into_iter().map(share).collect()
}

/// The slice tracks of a share.
struct Merger<'a> {
    kinematics: &'a [SliceTrack],
    /// The index of each slice track among those of the share.
    indices: &'a [u32],
    /// The legs of each track, from the lowest to the uppermost; tracks that were merged into
    /// others have none.
    tracks: Vec<VecDeque<Leg>>,
    /// The track of each slice track.
    track_of: Vec<u32>,
}

/// Index of a leg in a track.
#[derive(Clone, Copy)]
struct LegIndex {
    track: usize,
    leg: usize,
}

impl<'a> Merger<'a> {
    fn new(input: &'a SliceTracks, members: &[u32], indices: &'a [u32]) -> Self {
        let mut merger = Merger {
            kinematics: input.tracks(),
            indices,
            tracks: Vec::new(),
            track_of: vec![NONE; members.len()],
        };
        let relations = input.relations();
        for &track in members {
            let related = &relations[track as usize];
            let is_lowest_head = related.segment_prev == NONE && related.neighbours[0] == NONE;
            if is_lowest_head {
                merger.add_track(relations, track);
            }
        }
        merger
    }

    fn number(&self, piece: u32) -> usize {
        self.indices[piece as usize] as usize
    }

    fn add_track(&mut self, relations: &[Relations], lowest: u32) {
        let mut legs = VecDeque::new();
        for head in follow(lowest, |head| relations[head as usize].neighbours[1]) {
            let pieces = follow(head, |piece| relations[piece as usize].segment_next);
            legs.push_back(pieces.collect());
        }
        self.name(&legs, self.tracks.len());
        self.tracks.push(legs);
    }

    /// Sets the track of the pieces of legs.
    fn name(&mut self, legs: &VecDeque<Leg>, track: usize) {
        for &piece in legs.iter().flatten() {
            let number = self.number(piece);
            self.track_of[number] = track as u32;
        }
    }

    /// Removes the legs of a track, to be assigned to another one.
    fn take(&mut self, track: usize, new: usize) -> VecDeque<Leg> {
        let legs = std::mem::take(&mut self.tracks[track]);
        self.name(&legs, new);
        legs
    }

    fn leg_index(&self, piece: u32) -> LegIndex {
        let track = self.track_of[self.number(piece)] as usize;
        let mut legs = self.tracks[track].iter();
        let leg = legs.position(|leg| leg.contains(&piece));
        LegIndex { track, leg: leg.expect("each piece lies on a leg of its track") }
    }

    fn follow(&mut self, a: u32, b: u32) {
        let leg_a = self.leg_index(a);
        let leg_b = self.leg_index(b);
        if leg_a.track == leg_b.track {
            return;
        }
        let [track_a, track_b] = [a, b].map(|piece| &self.kinematics[piece as usize]);
        if same_leg(track_a, track_b) {
            self.overlay(leg_a, leg_b);
            return;
        }
        let (from_a, to_a) = self.extent(a, leg_a);
        let (from_b, to_b) = self.extent(b, leg_b);
        if to_b - from_a > to_a - from_b {
            self.join_above(leg_a, leg_b);
        } else {
            self.join_below(leg_a, leg_b);
        }
    }

    /// The z extent of a piece and of its leg's head.
    fn extent(&self, piece: u32, leg: LegIndex) -> (f32, f32) {
        let head = self.tracks[leg.track][leg.leg][0];
        let [piece, head] = [piece, head].map(|piece| &self.kinematics[piece as usize]);
        (piece.zt_min.min(head.zt_min), piece.zt_max.max(head.zt_max))
    }

    /// Joins leg `b` as the one above leg `a`.
    fn join_above(&mut self, a: LegIndex, b: LegIndex) {
        let is_uppermost = a.leg + 1 == self.tracks[a.track].len();
        match (is_uppermost, b.leg == 0) {
            (true, true) => self.put_above(a.track, b.track),
            (true, false) => self.overlay(b.adjacent(-1), a),
            (false, _) => self.overlay(a.adjacent(1), b),
        }
    }

    /// Joins leg `b` as the one below leg `a`.
    fn join_below(&mut self, a: LegIndex, b: LegIndex) {
        let is_uppermost = b.leg + 1 == self.tracks[b.track].len();
        match (a.leg == 0, is_uppermost) {
            (true, true) => self.put_above(b.track, a.track),
            (true, false) => self.overlay(b.adjacent(1), a),
            (false, _) => self.overlay(a.adjacent(-1), b),
        }
    }

    fn put_above(&mut self, lower: usize, upper: usize) {
        let mut legs = self.take(upper, lower);
        self.tracks[lower].append(&mut legs);
    }

    /// Overlays the track of `b` with that of `a`, leg by leg: pieces of the upper one are appended
    /// to those of the lower one.
    fn overlay(&mut self, a: LegIndex, b: LegIndex) {
        let upper = self.take(b.track, a.track);
        let lower = &mut self.tracks[a.track];
        let mut first = a.leg as isize - b.leg as isize;
        while first < 0 {
            lower.push_front(Leg::new());
            first += 1;
        }
        for (leg, mut pieces) in upper.into_iter().enumerate() {
            let leg = first as usize + leg;
            if leg == lower.len() {
                lower.push_back(Leg::new());
            }
            lower[leg].append(&mut pieces);
        }
    }

    /// The relations of the slice tracks of the share.
    fn relations(&self) -> Vec<Relations> {
        let mut relations = vec![Relations::ALONE; self.track_of.len()];
        for legs in &self.tracks {
            for leg in legs {
                for pair in leg.windows(2) {
                    relations[self.number(pair[0])].segment_next = pair[1];
                    relations[self.number(pair[1])].segment_prev = pair[0];
                }
            }
            let heads: Vec<_> = legs.iter().map(|leg| leg[0]).collect();
            for pair in heads.windows(2) {
                relations[self.number(pair[0])].neighbours[1] = pair[1];
                relations[self.number(pair[1])].neighbours[0] = pair[0];
            }
        }
        relations
    }
}

impl LegIndex {
    /// The leg above (1) or below (-1).
    fn adjacent(self, step: isize) -> Self {
        LegIndex { leg: self.leg.wrapping_add_signed(step), ..self }
    }
}

/// The slice tracks that are reached by following a relation.
fn follow(first: u32, next: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first), move |track| Some(next(*track)).filter(|next| *next != NONE))
}

#[cfg(test)]
mod tests {
    use generators_tpc::slice_tracks::{Ids, TrackShape, generate};

    use parallel::testing::with_all_pools;

    use super::*;
    use crate::tpc_merge::hard_inputs;

    #[test]
    fn shares_match_a_single_share() {
        let mut several = 0;
        for (name, input) in hard_inputs::all(3) {
            let together = merge_in(&input, 1);
            for shares in [2, 3, 50] {
                several += usize::from(input.len() > shares);
                let found = with_all_pools(|| merge_in(&input, shares));
                assert!(found == together, "{name} in {shares} shares");
            }
        }
        assert!(several > 10, "{several}");
    }

    #[test]
    fn large_inputs_have_several_shares() {
        for ids in [Ids::Local, Ids::Shuffled] {
            let tracks = 5 * MIN_SHARE;
            let input = generate(&TrackShape { tracks, ids }, 1).expect("made");
            let shares = Shares::new(&input, 5);
            assert!(shares.members.iter().all(|members| members.len() > tracks / 6));
            assert!(merge(&input) == merge_in(&input, 1));
        }
    }
}
