//! The search by triplets: unused hits in lists of their own, windows of eight hits at a time.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use super::layer::{Layer, Line, Nearest, Window};
use crate::model::formulas::{PHI_TOLERANCE, is_within_tolerance};
use crate::model::hits::module_of;
use crate::model::{EventHits, TrackCounts, Tracks};
use crate::reference::tracks::{MAX_CHI2, MAX_HITS, MAX_SCATTER, chi2};

/// Candidates for the first hit of a triplet, in the last pair of modules and in all others.
const FIRST_HITS_AT_END: usize = 8;
const FIRST_HITS: usize = 4;

/// Finds tracks.
#[derive(Clone, Debug, Default)]
pub struct TrackFinder {
    /// All hits of each pair of modules.
    layers: Vec<Layer>,
    /// Unused hits of three pairs of modules, from the highest one on.
    unused: [Layer; 3],
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
        self.seed::<FIRST_HITS_AT_END>(last, hits, geometry);
        for pair in (2..last).rev() {
            self.forward(pair - 2, hits, geometry);
            self.seed::<FIRST_HITS>(pair, hits, geometry);
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
            layer.fill(hits, slots, None);
        }
    }

    /// Makes triplets with the second hit in the pair of modules before.
    fn seed<const N: usize>(&mut self, pair: usize, hits: &EventHits<'_>, geometry: &Geometry) {
        for (layer, pair) in self.unused.iter_mut().zip([pair, pair - 1, pair - 2]) {
            let pair = hits.pairs[pair];
            let slots = pair.start as usize..(pair.start + pair.count) as usize;
            layer.fill(hits, slots, Some(&self.is_used));
        }
        let [firsts, seconds, thirds] = &self.unused;
        if firsts.len == 0 || thirds.len == 0 {
            return;
        }
        let distance = geometry.pair_z(pair - 2) - geometry.pair_z(pair);
        let mut nearest_firsts = FirstHits::new(&self.layers[pair], firsts, hits.pairs[pair].start);
        for second in 0..seconds.len {
            let to = [seconds.x[second], seconds.y[second], seconds.z[second]];
            let candidates = nearest_firsts.next::<N>(seconds.phi[second]);
            let lines = Lines::new(firsts, &candidates, to, distance);
            let mut best = Nearest { scatter: MAX_SCATTER, slot: 0 };
            let mut best_first = None;
            for candidate in 0..candidates.len {
                let line = lines.line(candidate);
                let expected = lines.phi[candidate];
                let found = match thirds.nearest(&line, expected, best.scatter) {
                    Window::Nearer(nearest) => Some(nearest),
                    Window::None => None,
                    Window::MayHaveOpposite => {
                        let window = FullWindow { layer: &self.layers[pair - 2], expected };
                        window.nearest(&line, best.scatter, Some(&self.is_used))
                    }
                };
                if let Some(nearest) = found {
                    best = nearest;
                    best_first = Some(firsts.slots[candidates.indices[candidate]]);
                }
            }
            if let Some(first) = best_first {
                let last = [seconds.slots[second], best.slot];
                self.entries.push(Entry { track: None, first, last, has_skipped: false });
            }
        }
    }

    /// Continues all entries in a pair of modules.
    fn forward(&mut self, pair: usize, hits: &EventHits<'_>, geometry: &Geometry) {
        self.next_entries.clear();
        let layer = &self.layers[pair];
        for entry in &self.entries {
            let [from_slot, to_slot] = entry.last.map(|slot| slot as usize);
            let from = [hits.x[from_slot], hits.y[from_slot], hits.z[from_slot]];
            let to = [hits.x[to_slot], hits.y[to_slot], hits.z[to_slot]];
            let line = Line::new(from, to);
            let side = module_of(hits.ids[from_slot]) % 2;
            let expected = line.phi_at(geometry.module_z[2 * pair + side] - from[2]);
            let found = match layer.nearest(&line, expected, MAX_SCATTER) {
                Window::Nearer(nearest) => Some(nearest),
                Window::None => None,
                Window::MayHaveOpposite => {
                    FullWindow { layer, expected }.nearest(&line, MAX_SCATTER, None)
                }
            };
            match found {
                Some(Nearest { slot, .. }) => {
                    self.is_used[slot as usize] = true;
                    let (track, len) = extend(&mut self.tracks, &mut self.is_used, entry, slot);
                    if len < MAX_HITS as u32 {
                        let last = [entry.last[1], slot];
                        let track = Some(track);
                        self.next_entries.push(Entry { track, first: 0, last, has_skipped: false });
                    }
                }
                None if !entry.has_skipped => {
                    self.next_entries.push(Entry { has_skipped: true, ..*entry });
                }
                None if entry.track.is_none() => self.three_hit.push(entry.triplet()),
                None => {}
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

/// Appends a hit to the track of an entry, or makes a track of a triplet; returns its index and length.
#[inline]
fn extend(tracks: &mut Vec<Track>, is_used: &mut [bool], entry: &Entry, slot: u32) -> (u32, u32) {
    if let Some(index) = entry.track {
        let track = &mut tracks[index as usize];
        track.slots[track.len as usize] = slot;
        track.len += 1;
        return (index, track.len);
    }
    let triplet = entry.triplet();
    triplet.iter().for_each(|slot| is_used[*slot as usize] = true);
    let mut slots = [0; MAX_HITS];
    slots[..3].copy_from_slice(&triplet);
    slots[3] = slot;
    tracks.push(Track { len: 4, slots });
    (tracks.len() as u32 - 1, 4)
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

/// First hits of triplets, for second hits in order of angle: those nearest by index among all hits,
/// used ones included, above and below alternately.
struct FirstHits<'a> {
    all: &'a Layer,
    unused: &'a Layer,
    /// Slot of the first hit of the pair of modules.
    start: u32,
    /// Lower bound among all hits, and among unused ones.
    middle: usize,
    middle_unused: usize,
}

/// Indices of unused hits, in the order in which they are tried.
#[derive(Clone, Copy)]
struct Candidates<const N: usize> {
    len: usize,
    indices: [usize; N],
}

impl<'a> FirstHits<'a> {
    fn new(all: &'a Layer, unused: &'a Layer, start: u32) -> Self {
        FirstHits { all, unused, start, middle: 0, middle_unused: 0 }
    }

    /// The candidates for the next second hit, whose angle is not smaller than that of the last one.
    #[inline]
    fn next<const N: usize>(&mut self, phi: i32) -> Candidates<N> {
        while self.middle < self.all.len && self.all.phi[self.middle] < phi {
            self.middle += 1;
        }
        while self.middle_unused < self.unused.len && self.unused.phi[self.middle_unused] < phi {
            self.middle_unused += 1;
        }
        let n = self.all.len as i32;
        let count = self.unused.len;
        // Steps after which an unused hit is tried: upwards, and downwards.
        let distance =
            |index: usize| (self.unused.slots[index] - self.start) as i32 - self.middle as i32;
        let steps_up = |index: usize| {
            let distance = distance(index);
            let distance = if distance < 0 { distance + n } else { distance };
            if distance == 0 { 0 } else { 2 * distance - 1 }
        };
        let steps_down = |index: usize| {
            let distance = -distance(index);
            2 * (if distance <= 0 { distance + n } else { distance })
        };
        let mut up = if self.middle_unused == count { 0 } else { self.middle_unused };
        let mut down = if self.middle_unused == 0 { count - 1 } else { self.middle_unused - 1 };
        let len = N.min(count);
        let mut indices = [0; N];
        for taken in &mut indices[..len] {
            if steps_up(up) < steps_down(down) {
                *taken = up;
                up = if up + 1 == count { 0 } else { up + 1 };
            } else {
                *taken = down;
                down = if down == 0 { count - 1 } else { down - 1 };
            }
        }
        Candidates { len, indices }
    }
}

/// Lines from candidates for the first hit through a second one, with the angles where the third one is
/// expected.
struct Lines<const N: usize> {
    x: [f32; N],
    y: [f32; N],
    z: [f32; N],
    tx: [f32; N],
    ty: [f32; N],
    phi: [i16; N],
}

impl<const N: usize> Lines<N> {
    #[inline]
    fn new(firsts: &Layer, candidates: &Candidates<N>, to: [f32; 3], distance: f32) -> Self {
        let mut lines = Lines {
            x: [0.0; N],
            y: [0.0; N],
            z: [0.0; N],
            tx: [0.0; N],
            ty: [0.0; N],
            phi: [0; N],
        };
        for (lane, &index) in candidates.indices.iter().enumerate() {
            lines.x[lane] = firsts.x[index];
            lines.y[lane] = firsts.y[index];
            lines.z[lane] = firsts.z[index];
        }
        for lane in 0..N {
            let line = Line::new([lines.x[lane], lines.y[lane], lines.z[lane]], to);
            lines.tx[lane] = line.tx;
            lines.ty[lane] = line.ty;
            lines.phi[lane] = line.phi_at(distance);
        }
        lines
    }

    #[inline]
    fn line(&self, lane: usize) -> Line {
        let from = [self.x[lane], self.y[lane], self.z[lane]];
        Line { from, tx: self.tx[lane], ty: self.ty[lane] }
    }
}

/// The window of an angle by the rule of the experiment, hit by hit.
struct FullWindow<'a> {
    layer: &'a Layer,
    expected: i16,
}

impl FullWindow<'_> {
    #[cold]
    fn nearest(&self, line: &Line, max_scatter: f32, is_used: Option<&[bool]>) -> Option<Nearest> {
        let layer = self.layer;
        let phis = &layer.phi[..layer.len];
        let lower = i32::from(self.expected.wrapping_sub(PHI_TOLERANCE));
        let first = phis.partition_point(|phi| *phi < lower);
        let mut found = None;
        let mut best = max_scatter;
        for step in 0..layer.len {
            let index = (first + step) % layer.len;
            if !is_within_tolerance(phis[index] as i16, self.expected) {
                break;
            }
            let slot = layer.slots[index];
            if is_used.is_some_and(|is_used| is_used[slot as usize]) {
                continue;
            }
            let d = layer.z[index] - line.from[2];
            let dx = (line.from[0] + line.tx * d) - layer.x[index];
            let dy = (line.from[1] + line.ty * d) - layer.y[index];
            let scatter = dx * dx + dy * dy;
            if scatter < best {
                best = scatter;
                found = Some(Nearest { scatter, slot });
            }
        }
        found
    }
}
