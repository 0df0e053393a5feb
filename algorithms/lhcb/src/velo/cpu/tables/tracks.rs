//! The search by triplets: unused hits in lists of their own, windows of eight hits at a time.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use super::first_hits::{FirstHits, Unused};
use super::layer::{Layer, Look, Nearest};
use super::lines::{Lines, Positions};
use crate::velo::model::hits::module_of;
use crate::velo::model::search::{
    FIRST_HITS, FIRST_HITS_AT_END, MAX_CHI2, MAX_HITS, MAX_SCATTER, chi2,
};
use crate::velo::model::{EventHits, TrackCounts, Tracks};

/// Entries that are continued together.
const AT_ONCE: usize = 8;

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
    has_skipped: bool,
}

impl TrackFinder {
    /// Appends the tracks of an event.
    pub fn find(&mut self, hits: &EventHits<'_>, geometry: &Geometry, tracks: &mut Tracks) {
        self.begin(hits);
        let last = MODULE_PAIRS - 1;
        self.seed::<FIRST_HITS_AT_END>(last, geometry);
        for pair in (2..last).rev() {
            self.forward(pair - 2, hits, geometry);
            self.seed::<FIRST_HITS>(pair, geometry);
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

    /// Makes triplets with the second hit in the pair of modules before.
    #[inline(never)]
    fn seed<const N: usize>(&mut self, pair: usize, geometry: &Geometry) {
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
        let distances = [geometry.pair_z(pair - 2) - geometry.pair_z(pair); N];
        let first_hits = FirstHits::new(all_firsts, &mut self.firsts);
        for &second in self.seconds.indices() {
            let to = all_seconds.position(second as usize);
            let candidates = first_hits.near::<N>(all_seconds.phi()[second as usize]);
            let from =
                Positions::new(|lane| all_firsts.position(candidates.indices[lane] as usize));
            let lines = Lines::new(from, &Positions::new(|_| to), &distances);
            let mut has_hit = false;
            let mut is_complete = true;
            let looks: [Look; N] = std::array::from_fn(|lane| {
                let look = thirds.look(&lines.line(lane), lines.phi[lane], MAX_SCATTER);
                let counts = lane < candidates.len;
                has_hit |= look.has_hit() && counts;
                is_complete &= look.is_complete || !counts;
                look
            });
            if !has_hit && is_complete {
                continue;
            }
            let mut best = Nearest { scatter: MAX_SCATTER, slot: 0 };
            let mut best_first = None;
            for (lane, look) in looks.into_iter().enumerate().take(candidates.len) {
                let found = if look.is_complete {
                    thirds.nearest_of(look, &lines.line(lane), best.scatter)
                } else {
                    let is_used = Some(self.is_used.as_slice());
                    let line = lines.line(lane);
                    all_thirds.nearest_by_rule(&line, lines.phi[lane], best.scatter, is_used)
                };
                if let Some(nearest) = found {
                    best = nearest;
                    best_first = Some(all_firsts.first_slot() + candidates.indices[lane]);
                }
            }
            if let Some(first) = best_first {
                let last = [all_seconds.first_slot() + second, best.slot];
                self.entries.push(Entry { track: None, first, last, has_skipped: false });
            }
        }
    }

    /// Continues all entries in a pair of modules.
    #[inline(never)]
    fn forward(&mut self, pair: usize, hits: &EventHits<'_>, geometry: &Geometry) {
        self.next_entries.clear();
        let layer = &self.layers[pair];
        let z = [geometry.module_z[2 * pair], geometry.module_z[2 * pair + 1]];
        for entries in self.entries.chunks(AT_ONCE) {
            let last = |lane: usize| entries[lane.min(entries.len() - 1)].last;
            let position = |slot: u32| {
                let slot = slot as usize;
                [hits.x[slot], hits.y[slot], hits.z[slot]]
            };
            let from = Positions::<AT_ONCE>::new(|lane| position(last(lane)[0]));
            let to = Positions::new(|lane| position(last(lane)[1]));
            let distances = std::array::from_fn(|lane| {
                let from = last(lane)[0] as usize;
                z[module_of(hits.ids[from]) % 2] - hits.z[from]
            });
            let lines = Lines::new(from, &to, &distances);
            let looks: [Look; AT_ONCE] = std::array::from_fn(|lane| {
                layer.look(&lines.line(lane), lines.phi[lane], MAX_SCATTER)
            });
            for (lane, entry) in entries.iter().enumerate() {
                let line = lines.line(lane);
                let found = if looks[lane].is_complete {
                    layer.nearest_of(looks[lane], &line, MAX_SCATTER)
                } else {
                    layer.nearest_by_rule(&line, lines.phi[lane], MAX_SCATTER, None)
                };
                match found {
                    Some(Nearest { slot, .. }) => {
                        self.is_used[slot as usize] = true;
                        let extended = extend(&mut self.tracks, &mut self.is_used, entry, slot);
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

/// Appends a hit to the track of an entry, or makes a track of a triplet; returns the entry that
/// continues it, unless it is complete.
#[inline]
fn extend(
    tracks: &mut Vec<Track>,
    is_used: &mut [bool],
    entry: &Entry,
    slot: u32,
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
    let is_complete = tracks[index as usize].len as usize >= MAX_HITS;
    (!is_complete).then_some(Entry { track: Some(index), first: 0, last, has_skipped: false })
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
