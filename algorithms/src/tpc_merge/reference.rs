//! Slow and obvious: tracks as lists of legs, legs as lists of pieces.
//!
//! A *track* here is all that neighbours hold together: its legs from the lowest to the
//! uppermost, each a list of pieces from head to tail. Following a link between two
//! tracks lays one beside the other, so that a leg of the one comes to lie on a leg of
//! the other, and puts what lies on each other together; or it puts one behind the other.
//! Inside a track nothing changes. No pointer is followed.

use std::collections::VecDeque;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTrack, SliceTracks};

use super::resolve::same_leg;

type Leg = Vec<u32>;

/// Follows all links.
pub(super) fn merge(input: &SliceTracks) -> Vec<Relations> {
    let mut merger = Merger::new(input);
    for (a, &b) in input.links().iter().enumerate() {
        if b != NONE {
            merger.follow(a as u32, b);
        }
    }
    merger.relations()
}

struct Merger<'a> {
    kinematics: &'a [SliceTrack],
    /// The legs of each track, from the lowest to the uppermost; tracks that went into
    /// others have none.
    tracks: Vec<VecDeque<Leg>>,
    /// The track of each slice track.
    track_of: Vec<u32>,
}

/// A leg of a track.
#[derive(Clone, Copy)]
struct Place {
    track: usize,
    leg: usize,
}

impl<'a> Merger<'a> {
    fn new(input: &'a SliceTracks) -> Self {
        let mut merger = Merger {
            kinematics: input.tracks(),
            tracks: Vec::new(),
            track_of: vec![NONE; input.len()],
        };
        let relations = input.relations();
        for (track, related) in relations.iter().enumerate() {
            let is_lowest_head = related.segment_prev == NONE && related.neighbours[0] == NONE;
            if is_lowest_head {
                merger.add_track(relations, track as u32);
            }
        }
        merger
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

    /// Notes which track the pieces of legs are of.
    fn name(&mut self, legs: &VecDeque<Leg>, track: usize) {
        for &piece in legs.iter().flatten() {
            self.track_of[piece as usize] = track as u32;
        }
    }

    /// Takes the legs of a track away, to be given to another one.
    fn take(&mut self, track: usize, new: usize) -> VecDeque<Leg> {
        let legs = std::mem::take(&mut self.tracks[track]);
        self.name(&legs, new);
        legs
    }

    fn place(&self, piece: u32) -> Place {
        let track = self.track_of[piece as usize] as usize;
        let mut legs = self.tracks[track].iter();
        let leg = legs.position(|leg| leg.contains(&piece));
        Place {
            track,
            leg: leg.expect("each piece lies on a leg of its track"),
        }
    }

    fn follow(&mut self, a: u32, b: u32) {
        let (place_a, place_b) = (self.place(a), self.place(b));
        if place_a.track == place_b.track {
            return;
        }
        let [track_a, track_b] = [a, b].map(|piece| &self.kinematics[piece as usize]);
        if same_leg(track_a, track_b) {
            self.lay_onto(place_a, place_b);
            return;
        }
        let (from_a, to_a) = self.extent(a, place_a);
        let (from_b, to_b) = self.extent(b, place_b);
        match to_b - from_a > to_a - from_b {
            true => self.join_above(place_a, place_b),
            false => self.join_below(place_a, place_b),
        }
    }

    /// The z extent of a piece and of its leg's head.
    fn extent(&self, piece: u32, place: Place) -> (f32, f32) {
        let head = self.tracks[place.track][place.leg][0];
        let [piece, head] = [piece, head].map(|piece| &self.kinematics[piece as usize]);
        (piece.zt_min.min(head.zt_min), piece.zt_max.max(head.zt_max))
    }

    /// Leg `b` is the one above leg `a`.
    fn join_above(&mut self, a: Place, b: Place) {
        let is_uppermost = a.leg + 1 == self.tracks[a.track].len();
        match (is_uppermost, b.leg == 0) {
            (true, true) => self.put_above(a.track, b.track),
            (true, false) => self.lay_onto(b.beside(-1), a),
            (false, _) => self.lay_onto(a.beside(1), b),
        }
    }

    /// Leg `b` is the one below leg `a`.
    fn join_below(&mut self, a: Place, b: Place) {
        let is_uppermost = b.leg + 1 == self.tracks[b.track].len();
        match (a.leg == 0, is_uppermost) {
            (true, true) => self.put_above(b.track, a.track),
            (true, false) => self.lay_onto(b.beside(1), a),
            (false, _) => self.lay_onto(a.beside(-1), b),
        }
    }

    fn put_above(&mut self, lower: usize, upper: usize) {
        let mut legs = self.take(upper, lower);
        self.tracks[lower].append(&mut legs);
    }

    /// Lays the track of `b` onto that of `a`, leg on leg: pieces of the upper one come
    /// behind those of the lower one.
    fn lay_onto(&mut self, a: Place, b: Place) {
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

    /// What slice tracks then know of each other.
    fn relations(&self) -> Vec<Relations> {
        let mut relations = vec![Relations::ALONE; self.track_of.len()];
        for legs in &self.tracks {
            for leg in legs {
                for pair in leg.windows(2) {
                    relations[pair[0] as usize].segment_next = pair[1];
                    relations[pair[1] as usize].segment_prev = pair[0];
                }
            }
            let heads: Vec<_> = legs.iter().map(|leg| leg[0]).collect();
            for pair in heads.windows(2) {
                relations[pair[0] as usize].neighbours[1] = pair[1];
                relations[pair[1] as usize].neighbours[0] = pair[0];
            }
        }
        relations
    }
}

impl Place {
    /// The leg above (1) or below (-1).
    fn beside(self, step: isize) -> Self {
        Place {
            leg: self.leg.wrapping_add_signed(step),
            ..self
        }
    }
}

/// All that come from following a relation.
fn follow(first: u32, next: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first), move |track| {
        Some(next(*track)).filter(|next| *next != NONE)
    })
}
