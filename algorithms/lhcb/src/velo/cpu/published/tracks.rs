//! The search by triplets, hit by hit.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use crate::velo::model::capacities::{QUEUE, SearchNeeds};
use crate::velo::model::hits::module_of;
use crate::velo::model::search::{
    FIRST_HITS, FIRST_HITS_AT_END, Line, MAX_CHI2, MAX_HITS, SearchCuts, chi2,
};
use crate::velo::model::{EventHits, PairRange, TrackCounts, Tracks};

/// Finds tracks.
#[derive(Clone, Debug, Default)]
pub struct TrackFinder {
    cuts: SearchCuts,
    is_used: Vec<bool>,
    tracks: Vec<Track>,
    seeds: Vec<[u32; 3]>,
    /// Entries in order; those from `next` on are to be continued.
    queue: Vec<Entry>,
    next: usize,
    three_hit: Vec<[u32; 3]>,
    /// True if the experiment's queue is too short.
    exceeds_queue: bool,
    /// Unused hits of the pair of modules with the second hits.
    seconds: Vec<u32>,
}

/// Track of four or more hits.
#[derive(Clone, Copy, Debug)]
struct Track {
    len: usize,
    slots: [u32; MAX_HITS],
}

/// A seed or a track, by its index, that may be continued.
#[derive(Clone, Copy, Debug)]
struct Entry {
    is_seed: bool,
    has_skipped: bool,
    index: u32,
}

/// The best hit so far.
#[derive(Clone, Copy)]
struct Best {
    scatter: f32,
    first: u32,
    third: u32,
}

fn position(hits: &EventHits<'_>, slot: u32) -> [f32; 3] {
    let slot = slot as usize;
    [hits.x[slot], hits.y[slot], hits.z[slot]]
}

/// Index of the first angle that is not smaller.
fn lower_bound(phi: &[i16], value: i16) -> usize {
    phi.partition_point(|phi| *phi < value)
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
        self.cuts = cuts;
        self.is_used.clear();
        self.is_used.resize(hits.ids.len(), false);
        self.tracks.clear();
        self.seeds.clear();
        self.queue.clear();
        self.next = 0;
        self.three_hit.clear();
        self.exceeds_queue = false;
        let last = MODULE_PAIRS - 1;
        let mut last_seeds = 0;
        self.seed(last, FIRST_HITS_AT_END, hits, geometry);
        self.check_queue(last_seeds);
        for pair in (2..last).rev() {
            self.forward(pair - 2, hits, geometry);
            let first_seed = self.queue.len();
            self.seed(pair, FIRST_HITS, hits, geometry);
            // Seeds that have skipped a pair of modules are still needed.
            self.check_queue(last_seeds);
            last_seeds = first_seed;
        }
        for entry in &self.queue[self.next..] {
            if entry.is_seed {
                self.three_hit.push(self.seeds[entry.index as usize]);
            }
        }
        self.consolidate(hits, tracks);
    }

    /// Memory that the experiment needs for the last event.
    pub fn needs(&self) -> SearchNeeds {
        SearchNeeds {
            slots: self.is_used.len() as u32,
            tracks: self.tracks.len() as u32,
            three_hit: self.three_hit.len() as u32,
            exceeds_queue: self.exceeds_queue,
        }
    }

    /// Notes whether the experiment's queue is too short for the entries from `oldest` on.
    fn check_queue(&mut self, oldest: usize) {
        self.exceeds_queue |= self.queue.len() - oldest > QUEUE as usize;
    }

    fn seed(&mut self, pair: usize, max: usize, hits: &EventHits<'_>, geometry: &Geometry) {
        let distance = geometry.pair_z(pair - 2) - geometry.pair_z(pair);
        let PairRange { start, count } = hits.pairs[pair - 1];
        self.seconds.clear();
        self.seconds.extend((start..start + count).filter(|slot| !self.is_used[*slot as usize]));
        for index in 0..self.seconds.len() {
            let second = self.seconds[index];
            let mut best = Best { scatter: self.cuts.max_scatter, first: 0, third: 0 };
            let mut firsts = [0; FIRST_HITS_AT_END];
            let found = self.first_hits(hits, pair, hits.phi[second as usize], &mut firsts[..max]);
            for &first in &firsts[..found] {
                let line = Line::new(position(hits, first), position(hits, second));
                self.third_hits(hits, hits.pairs[pair - 2], &line, distance, |slot, scatter| {
                    if scatter < best.scatter {
                        best = Best { scatter, first, third: slot };
                    }
                });
            }
            if best.scatter < self.cuts.max_scatter {
                let index = self.seeds.len() as u32;
                self.seeds.push([best.first, second, best.third]);
                self.queue.push(Entry { is_seed: true, has_skipped: false, index });
            }
        }
    }

    /// Unused hits nearest to an angle by index, above and below alternately; returns how many.
    fn first_hits(&self, hits: &EventHits<'_>, pair: usize, phi: i16, found: &mut [u32]) -> usize {
        let PairRange { start, count } = hits.pairs[pair];
        let own = start as usize..(start + count) as usize;
        let middle = lower_bound(&hits.phi[own], phi) as i32;
        let count = count as i32;
        let mut len = 0;
        for visit in 0..count {
            let distance = if visit % 2 == 1 { (visit + 1) / 2 } else { -visit / 2 };
            let mut index = middle + distance;
            if index >= count {
                index -= count;
            } else if index < 0 {
                index += count;
            }
            let slot = start + index as u32;
            if !self.is_used[slot as usize] {
                found[len] = slot;
                len += 1;
                if len == found.len() {
                    break;
                }
            }
        }
        len
    }

    fn third_hits(
        &self,
        hits: &EventHits<'_>,
        pair: PairRange,
        line: &Line,
        distance: f32,
        mut visit: impl FnMut(u32, f32),
    ) {
        for_each_in_window(hits, pair, self.cuts, line.phi_at(distance), |slot| {
            if !self.is_used[slot as usize] {
                visit(slot, line.scatter(position(hits, slot)));
            }
        });
    }

    fn forward(&mut self, pair: usize, hits: &EventHits<'_>, geometry: &Geometry) {
        let entries = self.next..self.queue.len();
        let oldest = entries.start;
        self.next = entries.end;
        for index in entries {
            let entry = self.queue[index];
            let [from, to] = self.last_hits(entry);
            let start = position(hits, from);
            let line = Line::new(start, position(hits, to));
            let side = module_of(hits.ids[from as usize]) % 2;
            let distance = geometry.module_z[2 * pair + side] - start[2];
            let mut best = Best { scatter: self.cuts.max_scatter, first: from, third: 0 };
            let expected = line.phi_at(distance);
            for_each_in_window(hits, hits.pairs[pair], self.cuts, expected, |slot| {
                let scatter = line.scatter(position(hits, slot));
                if scatter < best.scatter {
                    best = Best { scatter, third: slot, ..best };
                }
            });
            if best.scatter < self.cuts.max_scatter {
                self.extend(entry, best.third);
            } else if !entry.has_skipped {
                self.queue.push(Entry { has_skipped: true, ..entry });
            } else if entry.is_seed {
                self.three_hit.push(self.seeds[entry.index as usize]);
            }
        }
        self.check_queue(oldest);
    }

    fn last_hits(&self, entry: Entry) -> [u32; 2] {
        if entry.is_seed {
            let seed = self.seeds[entry.index as usize];
            return [seed[1], seed[2]];
        }
        let track = &self.tracks[entry.index as usize];
        [track.slots[track.len - 2], track.slots[track.len - 1]]
    }

    fn extend(&mut self, entry: Entry, slot: u32) {
        self.is_used[slot as usize] = true;
        let index = if entry.is_seed {
            let seed = self.seeds[entry.index as usize];
            seed.iter().for_each(|slot| self.is_used[*slot as usize] = true);
            let mut slots = [0; MAX_HITS];
            slots[..3].copy_from_slice(&seed);
            slots[3] = slot;
            self.tracks.push(Track { len: 4, slots });
            self.tracks.len() - 1
        } else {
            let track = &mut self.tracks[entry.index as usize];
            track.slots[track.len] = slot;
            track.len += 1;
            entry.index as usize
        };
        if self.tracks[index].len < MAX_HITS {
            self.queue.push(Entry { is_seed: false, has_skipped: false, index: index as u32 });
        }
    }

    fn consolidate(&self, hits: &EventHits<'_>, tracks: &mut Tracks) {
        for track in &self.tracks {
            append(hits, &track.slots[..track.len], tracks);
        }
        let mut accepted = 0;
        for seed in &self.three_hit {
            let is_free = seed.iter().all(|slot| !self.is_used[*slot as usize]);
            if is_free && chi2(seed.map(|slot| position(hits, slot))) < MAX_CHI2 {
                append(hits, seed, tracks);
                accepted += 1;
            }
        }
        tracks.counts.push(TrackCounts { long: self.tracks.len() as u32, three_hit: accepted });
    }
}

/// Visits the hits within the tolerance of an angle: from the first one on, up to the first that is
/// not.
fn for_each_in_window(
    hits: &EventHits<'_>,
    pair: PairRange,
    cuts: SearchCuts,
    expected: i16,
    mut visit: impl FnMut(u32),
) {
    let PairRange { start, count } = pair;
    let phi = &hits.phi[start as usize..(start + count) as usize];
    let first = lower_bound(phi, cuts.first_phi(expected));
    for step in 0..phi.len() {
        let index = if first + step < phi.len() { first + step } else { first + step - phi.len() };
        if !cuts.is_near(phi[index], expected) {
            break;
        }
        visit(start + index as u32);
    }
}

fn append(hits: &EventHits<'_>, slots: &[u32], tracks: &mut Tracks) {
    for &slot in slots {
        tracks.slots.push(slot);
        tracks.ids.push(hits.ids[slot as usize]);
        tracks.positions.push(position(hits, slot));
    }
    tracks.offsets.push(tracks.slots.len() as u32);
}
