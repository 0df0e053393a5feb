//! The search by triplets: unused hits in lists of their own, windows of eight hits at a time.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use super::first_hits::{Candidates, FirstHits, Unused};
use super::lanes::{LANES, Numbers};
use super::layer::{Layer, Look};
use super::lines::{Lines, Positions};
use crate::velo::model::search::{
    FIRST_HITS, FIRST_HITS_AT_END, MAX_CHI2, MAX_HITS, MAX_SCATTER, chi2,
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
    is_used: Vec<bool>,
    tracks: Vec<Track>,
    /// Entries to be continued, and those that continue them.
    entries: Vec<Entry>,
    next_entries: Vec<Entry>,
    three_hit: Vec<[u32; 3]>,
}

/// Track of four or more hits.
#[derive(Clone, Copy, Debug)]
struct Track {
    len: u32,
    slots: [u32; MAX_HITS],
}

/// A triplet or a track that may be continued.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Index of the track; none for a triplet.
    track: Option<u32>,
    /// The first hit of a triplet.
    first: u32,
    /// The last two hits.
    last: [u32; 2],
    /// x, y, z in mm of the last two hits, and 1 if the number of their module is odd, else 0.
    points: [[f32; 4]; 2],
    has_skipped: bool,
}

impl TrackFinder {
    /// Appends the tracks of an event.
    pub fn find(&mut self, hits: &EventHits<'_>, geometry: &Geometry, tracks: &mut Tracks) {
        self.begin(hits);
        let last = MODULE_PAIRS - 1;
        self.seed::<FIRST_HITS_AT_END, { LANES / FIRST_HITS_AT_END }>(last, geometry);
        for pair in (2..last).rev() {
            self.forward(pair - 2, geometry);
            self.seed::<FIRST_HITS, { LANES / FIRST_HITS }>(pair, geometry);
        }
        let ended = self.entries.iter().filter(|entry| entry.track.is_none());
        self.three_hit.extend(ended.map(|entry| entry.triplet()));
        self.consolidate(hits, tracks);
    }

    fn begin(&mut self, hits: &EventHits<'_>) {
        self.is_used.clear();
        self.is_used.resize(hits.ids.len(), false);
        self.tracks.clear();
        self.entries.clear();
        self.next_entries.clear();
        self.three_hit.clear();
        self.layers.resize_with(MODULE_PAIRS, Layer::default);
        for (layer, pair) in self.layers.iter_mut().zip(hits.pairs) {
            let slots = pair.start as usize..(pair.start + pair.count) as usize;
            layer.fill(hits, slots);
        }
    }

    /// Makes triplets with the second hit in the pair of modules before: `SECONDS` second hits at a time,
    /// with `N` first hits each.
    #[inline(never)]
    fn seed<const N: usize, const SECONDS: usize>(&mut self, pair: usize, geometry: &Geometry) {
        let all_firsts = &self.layers[pair];
        let all_seconds = &self.layers[pair - 1];
        let all_thirds = &self.layers[pair - 2];
        self.firsts.fill(all_firsts, &self.is_used);
        self.seconds.fill(all_seconds, &self.is_used);
        if self.firsts.indices().is_empty() || self.seconds.indices().is_empty() {
            return;
        }
        self.unused_thirds.fill(all_thirds, &self.is_used);
        self.thirds.fill_from(all_thirds, self.unused_thirds.indices());
        let thirds = &self.thirds;
        if thirds.len() == 0 {
            return;
        }
        let distances = Numbers::splat(geometry.pair_z(pair - 2) - geometry.pair_z(pair));
        let first_hits = FirstHits::new(all_firsts, &mut self.firsts);
        for seconds in self.seconds.indices().chunks(SECONDS) {
            let second = |group: usize| seconds[group.min(seconds.len() - 1)];
            let candidates: [Candidates<N>; SECONDS] = std::array::from_fn(|group| {
                first_hits.near::<N>(all_seconds.phi()[second(group) as usize])
            });
            let from = |lane: usize| all_firsts.point(candidates[lane / N].indices[lane % N]);
            let to = |lane: usize| all_seconds.point(second(lane / N));
            let [x, y, z, _] = Numbers::transposed(std::array::from_fn(from));
            let from = Positions { x, y, z };
            let [x, y, z, _] = Numbers::transposed(std::array::from_fn(to));
            let lines = Lines::new(from, Positions { x, y, z }, distances);
            for (group, (&second, candidates)) in seconds.iter().zip(&candidates).enumerate() {
                let windows = Windows::<N>::new(thirds, &lines, group * N, candidates.len);
                let found = if windows.are_complete {
                    windows.nearest(thirds)
                } else {
                    let is_used = self.is_used.as_slice();
                    nearest_by_rule(all_thirds, &lines, group * N, candidates.len, is_used)
                };
                if let Some((candidate, third)) = found {
                    let first = all_firsts.first_slot() + candidates.indices[candidate];
                    let last = [all_seconds.first_slot() + second, third];
                    let third = all_thirds.point(third - all_thirds.first_slot());
                    let points = [*all_seconds.point(second), *third];
                    self.entries.push(Entry {
                        track: None,
                        first,
                        last,
                        points,
                        has_skipped: false,
                    });
                }
            }
        }
    }

    /// Continues all entries in a pair of modules.
    #[inline(never)]
    fn forward(&mut self, pair: usize, geometry: &Geometry) {
        self.next_entries.clear();
        let layer = &self.layers[pair];
        let [even, odd] = [2 * pair, 2 * pair + 1].map(|of| Numbers::splat(geometry.module_z[of]));
        for entries in self.entries.chunks(LANES) {
            let point = |lane: usize, of: usize| &entries[lane.min(entries.len() - 1)].points[of];
            let [x, y, z, parity] = Numbers::transposed(std::array::from_fn(|lane| point(lane, 0)));
            let from = Positions { x, y, z };
            let is_odd = parity.is_above(Numbers::splat(0.5));
            let distances = is_odd.select(odd, even).minus(z);
            let [x, y, z, _] = Numbers::transposed(std::array::from_fn(|lane| point(lane, 1)));
            let lines = Lines::new(from, Positions { x, y, z }, distances);
            for (lane, entry) in entries.iter().enumerate() {
                let line = lines.broadcast(lane);
                let look = layer.look(&line);
                let found = if look.is_complete {
                    layer.nearest_of(&look, MAX_SCATTER)
                } else {
                    let expected = line.phi.first();
                    let nearest = layer.nearest_by_rule(&line.line(0), expected, MAX_SCATTER, None);
                    nearest.map(|nearest| nearest.slot)
                };
                match found {
                    Some(slot) => {
                        self.is_used[slot as usize] = true;
                        let point = layer.point(slot - layer.first_slot());
                        let extended =
                            extend(&mut self.tracks, &mut self.is_used, entry, slot, point);
                        self.next_entries.extend(extended);
                    }
                    None if !entry.has_skipped => {
                        self.next_entries.push(Entry { has_skipped: true, ..*entry });
                    }
                    None if entry.track.is_none() => self.three_hit.push(entry.triplet()),
                    None => {}
                }
            }
        }
        std::mem::swap(&mut self.entries, &mut self.next_entries);
    }

    /// Appends the hits of all tracks, and of the accepted ones of three hits.
    fn consolidate(&mut self, hits: &EventHits<'_>, tracks: &mut Tracks) {
        for track in &self.tracks {
            append(hits, &track.slots[..track.len as usize], tracks);
        }
        let mut accepted = 0;
        for slots in &self.three_hit {
            let is_free = slots.iter().all(|slot| !self.is_used[*slot as usize]);
            let position = |slot: u32| {
                let slot = slot as usize;
                [hits.x[slot], hits.y[slot], hits.z[slot]]
            };
            if is_free && chi2(slots.map(position)) < MAX_CHI2 {
                append(hits, slots, tracks);
                accepted += 1;
            }
        }
        let long = self.tracks.len() as u32;
        tracks.counts.push(TrackCounts { long, three_hit: accepted });
    }
}

impl Entry {
    /// Slots of a triplet.
    fn triplet(&self) -> [u32; 3] {
        [self.first, self.last[0], self.last[1]]
    }
}

/// Windows of the third hits for the candidates of a second one.
struct Windows<const N: usize> {
    /// Of each candidate, the index of the first hit of its window.
    indices: [u32; N],
    /// Of each lane, the smallest scatter of all windows, and the candidate that has it.
    best: Numbers,
    best_candidates: Numbers,
    /// True if all of them end where they should.
    are_complete: bool,
}

impl<const N: usize> Windows<N> {
    /// Looks at the windows of the first `len` lines from `first_lane` on.
    #[inline]
    fn new(thirds: &Layer, lines: &Lines, first_lane: usize, len: usize) -> Self {
        let mut indices = [0; N];
        let mut best = Numbers::splat(MAX_SCATTER);
        let mut best_candidates = Numbers::splat(0.0);
        let mut are_complete = true;
        // All of them, without a branch.
        for (candidate, first) in indices.iter_mut().enumerate() {
            let Look { index, scatters, is_complete } =
                thirds.look(&lines.broadcast(first_lane + candidate));
            *first = index;
            are_complete &= is_complete | (candidate >= len);
            let limit = if candidate < len { best } else { Numbers::splat(0.0) };
            let is_better = limit.is_above(scatters);
            best = is_better.select(scatters, best);
            best_candidates = is_better.select(Numbers::splat(candidate as f32), best_candidates);
        }
        Windows { indices, best, best_candidates, are_complete }
    }

    /// The nearest third hit: the candidate, and the slot; the first of several.
    #[inline]
    fn nearest(&self, thirds: &Layer) -> Option<(usize, u32)> {
        let nearest = self.best.min();
        if nearest >= MAX_SCATTER {
            return None;
        }
        let lanes = self.best.equals(Numbers::splat(nearest)).bits();
        let candidates = self.best_candidates.array();
        let equal = (0..LANES).filter(|lane| lanes >> lane & 1 != 0);
        let lane = match lanes.count_ones() {
            1 => lanes.trailing_zeros() as usize,
            _ => equal.min_by_key(|lane| candidates[*lane] as u32).unwrap_or(0),
        };
        let candidate = candidates[lane] as usize;
        Some((candidate, thirds.slot_of(self.indices[candidate], lane)))
    }
}

/// The nearest third hit, by the rule of the experiment: the candidate, and the slot.
#[cold]
fn nearest_by_rule(
    all_thirds: &Layer,
    lines: &Lines,
    first_lane: usize,
    len: usize,
    is_used: &[bool],
) -> Option<(usize, u32)> {
    let mut best_scatter = MAX_SCATTER;
    let mut best = None;
    for candidate in 0..len {
        let lane = first_lane + candidate;
        let line = lines.line(lane);
        let expected = lines.phi.array()[lane];
        let found = all_thirds.nearest_by_rule(&line, expected, best_scatter, Some(is_used));
        if let Some(nearest) = found {
            best_scatter = nearest.scatter;
            best = Some((candidate, nearest.slot));
        }
    }
    best
}

/// Appends a hit to the track of an entry, or makes a track of a triplet; returns the entry that
/// continues it, unless it is complete.
#[inline]
fn extend(
    tracks: &mut Vec<Track>,
    is_used: &mut [bool],
    entry: &Entry,
    slot: u32,
    point: &[f32; 4],
) -> Option<Entry> {
    let index = if let Some(index) = entry.track {
        let track = &mut tracks[index as usize];
        track.slots[track.len as usize] = slot;
        track.len += 1;
        index
    } else {
        let triplet = entry.triplet();
        triplet.iter().for_each(|slot| is_used[*slot as usize] = true);
        let mut slots = [0; MAX_HITS];
        slots[..3].copy_from_slice(&triplet);
        slots[3] = slot;
        tracks.push(Track { len: 4, slots });
        tracks.len() as u32 - 1
    };
    let last = [entry.last[1], slot];
    let points = [entry.points[1], *point];
    let is_complete = tracks[index as usize].len as usize >= MAX_HITS;
    (!is_complete).then_some(Entry {
        track: Some(index),
        first: 0,
        last,
        points,
        has_skipped: false,
    })
}

fn append(hits: &EventHits<'_>, slots: &[u32], tracks: &mut Tracks) {
    tracks.slots.extend_from_slice(slots);
    tracks.ids.extend(slots.iter().map(|slot| hits.ids[*slot as usize]));
    let position = |slot: &u32| {
        let slot = *slot as usize;
        [hits.x[slot], hits.y[slot], hits.z[slot]]
    };
    tracks.positions.extend(slots.iter().map(position));
    tracks.offsets.push(tracks.slots.len() as u32);
}
