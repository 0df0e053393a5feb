//! The search by triplets: unused hits in lists of their own, windows of eight hits at a time. Each step is
//! done for all triplets of a pair of modules before the next one, so that none waits for another's result.

use std::array::from_fn;
use std::hint::select_unpredictable;

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use super::cuts::{Cuts, ExperimentCuts};
use super::first_hits::FirstHits;
use super::lanes::{Integers, LANES, Numbers};
use super::layer::{Layer, Nearest, Window};
use super::lines::{Lines, Positions};
use super::lists::grow;
use super::unused::Unused;
use crate::velo::model::search::{
    FIRST_HITS, FIRST_HITS_AT_END, MAX_CHI2, MAX_HITS, SearchCuts, chi2,
};
use crate::velo::model::{EventHits, TrackCounts, Tracks};

/// Finds tracks.
#[derive(Clone, Debug, Default)]
pub struct TrackFinder {
    /// All hits of each pair of modules.
    layers: Vec<Layer>,
    /// Unused hits of the pairs of modules with the first, the second and the third hit of a triplet.
    firsts: Unused,
    seconds: Unused,
    unused_thirds: Unused,
    thirds: Layer,
    /// First hits of eight triplets each, by their indices, and the lines through first and second hits.
    candidates: Vec<Integers>,
    lines: Vec<Lines>,
    triplets: Vec<Triplet>,
    /// Second hits, or entries, whose windows have more hits than one look shows.
    incomplete: Vec<u32>,
    /// Slots of the hits that continue entries, or [`NONE`].
    next_slots: Vec<u32>,
    is_used: Vec<bool>,
    /// Triplets, and the tracks that they have become.
    tracks: Vec<Track>,
    /// Those that may be continued.
    entries: Vec<Entry>,
    /// Indices of tracks in the order in which they got a fourth hit, and of those that ended with three.
    long: Vec<u32>,
    three_hit: Vec<u32>,
}

/// Hits of a triplet.
const TRIPLET: usize = 3;
/// No slot, and no index.
const NONE: u32 = u32::MAX;

/// Hits of a triplet, by their indices in their pairs of modules.
#[derive(Clone, Copy, Debug, Default)]
struct Triplet {
    first: u32,
    second: u32,
    third: u32,
}

/// A triplet, or a track of four or more hits.
#[derive(Clone, Copy, Debug)]
struct Track {
    len: u32,
    slots: [u32; MAX_HITS],
}

/// A track that may be continued.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// x, y, z in mm of the last two hits, and 1 if the number of their module is odd, else 0.
    points: [[f32; 4]; 2],
    /// Index of the track.
    track: u32,
    has_skipped: bool,
}

impl TrackFinder {
    /// Appends the tracks of an event.
    pub fn find(
        &mut self,
        hits: &EventHits<'_>,
        geometry: &Geometry,
        cuts: SearchCuts,
        tracks: &mut Tracks,
    ) {
        self.begin(hits);
        if cuts == SearchCuts::EXPERIMENT {
            self.search(geometry, ExperimentCuts);
        } else {
            self.search(geometry, cuts);
        }
        self.consolidate(hits, tracks);
    }

    /// Searches from the last pair of modules to the first.
    fn search(&mut self, geometry: &Geometry, cuts: impl Cuts) {
        let last = MODULE_PAIRS - 1;
        self.seed::<FIRST_HITS_AT_END>(last, geometry, cuts);
        for pair in (2..last).rev() {
            self.forward(pair - 2, geometry, cuts);
            self.seed::<FIRST_HITS>(pair, geometry, cuts);
        }
    }

    fn begin(&mut self, hits: &EventHits<'_>) {
        self.is_used.clear();
        self.is_used.resize(hits.ids.len(), false);
        self.tracks.clear();
        self.entries.clear();
        self.long.clear();
        self.three_hit.clear();
        self.layers.resize_with(MODULE_PAIRS, Layer::default);
        for (layer, pair) in self.layers.iter_mut().zip(hits.pairs) {
            let slots = pair.start as usize..(pair.start + pair.count) as usize;
            layer.fill(hits, slots);
        }
    }

    /// Makes triplets with the second hit in the pair of modules before, of `N` first hits for each second.
    #[inline(never)]
    fn seed<const N: usize>(&mut self, pair: usize, geometry: &Geometry, cuts: impl Cuts) {
        let all_firsts = &self.layers[pair];
        let all_seconds = &self.layers[pair - 1];
        let all_thirds = &self.layers[pair - 2];
        self.firsts.fill(all_firsts.marks(&self.is_used));
        self.seconds.fill(all_seconds.marks(&self.is_used));
        if self.firsts.indices().is_empty() || self.seconds.indices().is_empty() {
            return;
        }
        self.unused_thirds.fill(all_thirds.marks(&self.is_used));
        if self.unused_thirds.indices().is_empty() {
            return;
        }
        self.thirds.fill_from(all_thirds, &self.unused_thirds);
        let distance = geometry.pair_z(pair - 2) - geometry.pair_z(pair);
        self.draw_lines::<N>(pair, distance);
        let found = self.find_triplets::<N>(pair, cuts);
        let triplets = &self.triplets[..found];
        let first_slots = [pair, pair - 1, pair - 2].map(|pair| self.layers[pair].first_slot());
        let [all_seconds, all_thirds] = [pair - 1, pair - 2].map(|pair| &self.layers[pair]);
        let next = self.tracks.len() as u32;
        self.entries.extend(triplets.iter().zip(next..).map(|(triplet, track)| Entry {
            points: [*all_seconds.point(triplet.second), *all_thirds.point(triplet.third)],
            track,
            has_skipped: false,
        }));
        self.tracks.extend(triplets.iter().map(|triplet| triplet.track(first_slots)));
    }

    /// Lines through `N` first hits and each second one, with the angle at a distance from the first.
    fn draw_lines<const N: usize>(&mut self, pair: usize, distance: f32) {
        let all_firsts = &self.layers[pair];
        let all_seconds = &self.layers[pair - 1];
        let first_hits = FirstHits::new(all_firsts, &mut self.firsts);
        self.candidates.clear();
        for seconds in self.seconds.indices().chunks(LANES) {
            let phi = |lane: usize| all_seconds.phi()[of_lane(seconds, lane) as usize];
            self.candidates.extend_from_slice(&first_hits.near::<N>(from_fn(phi)));
        }
        let distances = Numbers::splat(distance);
        self.lines.clear();
        let groups = self.seconds.indices().chunks(LANES).zip(self.candidates.chunks_exact(N));
        for (seconds, candidates) in groups {
            let to = |lane: usize| all_seconds.point(of_lane(seconds, lane));
            let [x, y, z, _] = Numbers::transposed(from_fn(to));
            let to = Positions { x, y, z };
            for candidates in candidates {
                let indices = candidates.array();
                let from = |lane: usize| all_firsts.point(indices[lane] as u32);
                let [x, y, z, _] = Numbers::transposed(from_fn(from));
                self.lines.push(Lines::new(Positions { x, y, z }, to, distances));
            }
        }
    }

    /// Finds the nearest third hit for each second one; returns the number of triplets.
    fn find_triplets<const N: usize>(&mut self, pair: usize, cuts: impl Cuts) -> usize {
        let all_thirds = &self.layers[pair - 2];
        let seconds = self.seconds.indices();
        grow(&mut self.triplets, seconds.len());
        grow(&mut self.incomplete, seconds.len());
        let mut incomplete = 0;
        for second in 0..seconds.len() {
            let lines = &self.lines[second / LANES * N..][..N];
            let windows = Windows::<N>::new(&self.thirds, cuts, lines, second % LANES);
            let third = windows.nearest(&self.thirds, cuts);
            self.triplets[second] = self.triplet::<N>(second, &third, cuts);
            // Written in any case, without a branch that nothing predicts.
            self.incomplete[incomplete] = second as u32;
            incomplete += usize::from(!windows.are_complete);
        }
        for &second in &self.incomplete[..incomplete] {
            let second = second as usize;
            let lines = &self.lines[second / LANES * N..][..N];
            let lane = second % LANES;
            let third = nearest_third(&self.thirds, all_thirds, cuts, lines, lane, &self.is_used);
            self.triplets[second] = self.triplet::<N>(second, &third, cuts);
        }
        let mut found = 0;
        for second in 0..seconds.len() {
            let triplet = self.triplets[second];
            self.triplets[found] = triplet;
            found += usize::from(triplet.third != NONE);
        }
        found
    }

    /// The triplet of a second hit, by its index among unused ones; without a third hit, that is [`NONE`].
    #[inline]
    fn triplet<const N: usize>(&self, second: usize, third: &Third, cuts: impl Cuts) -> Triplet {
        let candidates = &self.candidates[second / LANES * N..][..N];
        Triplet {
            first: candidates[third.candidate].at(second % LANES) as u32,
            second: self.seconds.indices()[second],
            third: select_unpredictable(
                third.hit.scatter < cuts.max_scatter(),
                third.hit.index,
                NONE,
            ),
        }
    }

    /// Continues all entries in a pair of modules.
    #[inline(never)]
    fn forward(&mut self, pair: usize, geometry: &Geometry, cuts: impl Cuts) {
        self.find_next_slots(pair, geometry, cuts);
        let layer = &self.layers[pair];
        let [mut kept, mut long, mut ended] = [0, self.long.len(), self.three_hit.len()];
        self.long.resize(long + self.entries.len(), 0);
        self.three_hit.resize(ended + self.entries.len(), 0);
        for (index, &slot) in self.next_slots.iter().enumerate() {
            let is_found = slot != NONE;
            let Entry { points, track, has_skipped } = &self.entries[index];
            let track_index = *track;
            let track = &mut self.tracks[track_index as usize];
            // All of it in any case, without a branch that nothing predicts: a track to be continued has a
            // free slot.
            let is_triplet = track.len as usize == TRIPLET;
            self.long[long] = track_index;
            long += usize::from(is_triplet & is_found);
            self.three_hit[ended] = track_index;
            ended += usize::from(is_triplet & !is_found & has_skipped);
            track.slots[track.len as usize] = slot;
            track.len += u32::from(is_found);
            for of in 0..TRIPLET {
                self.is_used[track.slots[of] as usize] |= is_found;
            }
            let used = select_unpredictable(is_found, slot, track.slots[0]);
            self.is_used[used as usize] |= is_found;
            let is_kept = select_unpredictable(is_found, track.len < MAX_HITS as u32, !has_skipped);
            let next = layer.point(select_unpredictable(is_found, slot - layer.first_slot(), 0));
            let before = *select_unpredictable(is_found, &points[1], &points[0]);
            let last = *select_unpredictable(is_found, next, &points[1]);
            let entry = &mut self.entries[kept];
            entry.points[0] = before;
            entry.points[1] = last;
            entry.track = track_index;
            entry.has_skipped = !is_found;
            kept += usize::from(is_kept);
        }
        self.entries.truncate(kept);
        self.long.truncate(long);
        self.three_hit.truncate(ended);
    }

    /// Finds the hit of a pair of modules that continues each entry.
    fn find_next_slots(&mut self, pair: usize, geometry: &Geometry, cuts: impl Cuts) {
        self.next_slots.clear();
        let layer = &self.layers[pair];
        if layer.len() == 0 {
            self.next_slots.resize(self.entries.len(), NONE);
            return;
        }
        let [even, odd] = [2 * pair, 2 * pair + 1].map(|of| Numbers::splat(geometry.module_z[of]));
        self.lines.clear();
        for entries in self.entries.chunks(LANES) {
            let points =
                |of: usize| from_fn(|lane| &entries[lane.min(entries.len() - 1)].points[of]);
            let [x, y, z, parity] = Numbers::transposed(points(0));
            let from = Positions { x, y, z };
            let is_odd = parity.is_above(Numbers::splat(0.5));
            let distances = is_odd.select(odd, even).minus(z);
            let [x, y, z, _] = Numbers::transposed(points(1));
            self.lines.push(Lines::new(from, Positions { x, y, z }, distances));
        }
        let entries = self.entries.len();
        self.next_slots.resize(entries, NONE);
        grow(&mut self.incomplete, entries);
        let mut incomplete = 0;
        for (index, slot) in self.next_slots.iter_mut().enumerate() {
            let line = self.lines[index / LANES].broadcast(index % LANES);
            let next = Next::new(layer, &line, cuts);
            *slot = next.slot;
            self.incomplete[incomplete] = index as u32;
            incomplete += usize::from(!next.is_complete);
        }
        for &index in &self.incomplete[..incomplete] {
            let index = index as usize;
            let line = self.lines[index / LANES].broadcast(index % LANES);
            let by_rule = || layer.nearest_by_rule(cuts, &line, cuts.max_scatter(), None);
            let found = layer.nearest(cuts, &line, cuts.max_scatter(), by_rule);
            self.next_slots[index] = found.map_or(NONE, |hit| layer.first_slot() + hit.index);
        }
    }

    /// Appends the hits of all tracks, and of the accepted ones of three hits.
    fn consolidate(&mut self, hits: &EventHits<'_>, tracks: &mut Tracks) {
        let first = tracks.slots.len();
        let mut append = |slots: &[u32]| {
            tracks.slots.extend_from_slice(slots);
            tracks.offsets.push(tracks.slots.len() as u32);
        };
        for track in &self.long {
            let Track { len, slots } = &self.tracks[*track as usize];
            append(&slots[..*len as usize]);
        }
        let position = |slot: u32| {
            let slot = slot as usize;
            [hits.x[slot], hits.y[slot], hits.z[slot]]
        };
        let left = self.entries.iter().map(|entry| entry.track);
        let mut three_hit = 0;
        for track in self.three_hit.iter().copied().chain(left) {
            let Track { len, slots } = &self.tracks[track as usize];
            let slots = *slots.first_chunk::<TRIPLET>().expect("a triplet");
            let is_free = slots.iter().all(|slot| !self.is_used[*slot as usize]);
            if *len as usize == TRIPLET && is_free && chi2(slots.map(position)) < MAX_CHI2 {
                append(&slots);
                three_hit += 1;
            }
        }
        let long = self.long.len() as u32;
        let slots = &tracks.slots[first..];
        tracks.ids.extend(slots.iter().map(|slot| hits.ids[*slot as usize]));
        tracks.positions.extend(slots.iter().map(|slot| position(*slot)));
        tracks.counts.push(TrackCounts { long, three_hit });
    }
}

impl Triplet {
    /// The track of a triplet, with the first slots of its pairs of modules.
    #[inline]
    fn track(&self, first_slots: [u32; TRIPLET]) -> Track {
        let mut slots = [0; MAX_HITS];
        slots[0] = first_slots[0] + self.first;
        slots[1] = first_slots[1] + self.second;
        slots[2] = first_slots[2] + self.third;
        Track { len: TRIPLET as u32, slots }
    }
}

/// The element of a lane; after the last one, the last one again.
#[inline]
fn of_lane(list: &[u32], lane: usize) -> u32 {
    list[lane.min(list.len() - 1)]
}

/// Windows of the third hits for the `N` candidates of a second one.
struct Windows<const N: usize> {
    /// Of each candidate, the index of the first hit of its window.
    indices: [u32; N],
    /// Of each lane, the smallest scatter of all windows, and the candidate that has it.
    best: Numbers,
    best_candidates: Integers,
    /// True if all of them end among the hits that were looked at.
    are_complete: bool,
}

/// The nearest third hit, whose scatter is the limit if there is none; and the candidate for the first.
struct Third {
    candidate: usize,
    hit: Nearest,
}

impl<const N: usize> Windows<N> {
    /// Looks at the windows of a lane of each of `N` lines.
    #[inline]
    fn new(thirds: &Layer, cuts: impl Cuts, lines: &[Lines], lane: usize) -> Self {
        let mut indices = [0; N];
        let mut best = Numbers::splat(cuts.max_scatter());
        let mut best_candidates = Integers::splat(0);
        let mut opposite = Integers::splat(0);
        let mut continue_any = false;
        for (candidate, first) in indices.iter_mut().enumerate() {
            let line = lines[candidate].broadcast(lane);
            *first = thirds.first_of_window(cuts, line.phi.first());
            let window = thirds.window(cuts, &line, *first);
            opposite = opposite.or(window.opposite);
            continue_any |= window.continues;
            let is_better = best.is_above(window.scatters).and(window.is_inside);
            best = is_better.select(window.scatters, best);
            let candidate = Integers::splat(candidate as i32);
            best_candidates = is_better.select_integers(candidate, best_candidates);
        }
        let are_complete = !continue_any & (opposite.signs() == 0);
        Windows { indices, best, best_candidates, are_complete }
    }

    /// The nearest third hit, the first of several.
    #[inline]
    fn nearest(&self, thirds: &Layer, cuts: impl Cuts) -> Third {
        let scatter = self.best.min();
        let lanes = self.best.equals(Numbers::splat(scatter)).bits();
        let mut lane = lanes.trailing_zeros() as usize;
        let is_found = scatter < cuts.max_scatter();
        if select_unpredictable(is_found, lanes & (lanes - 1), 0) != 0 {
            lane = first_candidate(lanes, &self.best_candidates);
        }
        let candidate = self.best_candidates.at(lane) as usize;
        let index = thirds.index_among_all(self.indices[candidate], lane);
        Third { candidate, hit: Nearest { scatter, index } }
    }
}

/// The nearest third hit for a lane of all candidates' lines, some of which have long windows.
#[cold]
fn nearest_third(
    unused: &Layer,
    all: &Layer,
    cuts: impl Cuts,
    lines: &[Lines],
    lane: usize,
    is_used: &[bool],
) -> Third {
    let none = Nearest { scatter: cuts.max_scatter(), index: 0 };
    let mut best = Third { candidate: 0, hit: none };
    for (candidate, lines) in lines.iter().enumerate() {
        let line = lines.broadcast(lane);
        let max_scatter = best.hit.scatter;
        let by_rule = || all.nearest_by_rule(cuts, &line, max_scatter, Some(is_used));
        if let Some(hit) = unused.nearest(cuts, &line, max_scatter, by_rule) {
            best = Third { candidate, hit };
        }
    }
    best
}

/// Of several lanes, the one with the first candidate.
#[cold]
fn first_candidate(lanes: u32, candidates: &Integers) -> usize {
    let of_lanes = (0..LANES).filter(|lane| lanes >> lane & 1 != 0);
    of_lanes.min_by_key(|lane| candidates.at(*lane)).unwrap_or(0)
}

/// The hit that continues a track.
struct Next {
    /// Its slot, or [`NONE`].
    slot: u32,
    /// True if the window ends among the hits that were looked at.
    is_complete: bool,
}

impl Next {
    /// Looks at the window around a line that is in all lanes.
    #[inline]
    fn new(layer: &Layer, line: &Lines, cuts: impl Cuts) -> Self {
        let index = layer.first_of_window(cuts, line.phi.first());
        let Window { scatters, is_inside, opposite, continues } = layer.window(cuts, line, index);
        let max = Numbers::splat(cuts.max_scatter());
        let is_better = max.is_above(scatters).and(is_inside);
        let scatters = is_better.select(scatters, max);
        let nearest = scatters.min();
        let lane = scatters.equals(Numbers::splat(nearest)).bits().trailing_zeros() as usize;
        let slot = layer.first_slot() + layer.index_among_all(index, lane);
        Next {
            slot: select_unpredictable(nearest < cuts.max_scatter(), slot, NONE),
            is_complete: !continues & (opposite.signs() == 0),
        }
    }
}
