//! Tracks by the rules of the experiment, slow and obvious. `docs/velo.md` has the rules.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use crate::velo::model::formulas::{PHI_TOLERANCE, is_within_tolerance, phi16};
use crate::velo::model::{EventHits, EventTracks, Hit, PairRange};

/// Candidates for the first hit of a triplet, in the last pair of modules and in all others.
const FIRST_HITS: [usize; 2] = [8, 4];
/// Largest scatter of a hit, in mm².
pub const MAX_SCATTER: f32 = 0.08;
/// Most hits of a track.
pub const MAX_HITS: usize = 26;
/// Largest chi2 of a track of three hits.
pub const MAX_CHI2: f32 = 20.0;
/// Weight of a hit: 1 / (0.0125 mm)².
pub const WEIGHT: f32 = 6400.0;

/// Result of the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// The tracks.
    pub tracks: EventTracks,
    /// Tracks of three hits before the filter.
    pub three_hit: Vec<[u32; 3]>,
    /// Entries that were ever queued: triplets, and continued tracks.
    pub queue: Vec<Entry>,
    /// True for each slot whose hit is part of a track.
    pub used: Vec<bool>,
}

/// Entry of the queue: a triplet or a track that may be continued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The triplet, or the track.
    pub kind: EntryKind,
    /// True if a pair of modules was skipped.
    pub has_skipped: bool,
}

/// Triplet or track of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EntryKind {
    /// A triplet of slots.
    Seed([u32; 3]),
    /// A track by its index.
    Track(usize),
}

/// Straight line through two hits, from the first on.
pub struct Line {
    from: [f32; 3],
    tx: f32,
    ty: f32,
}

impl Line {
    /// The line through two positions.
    #[inline]
    pub fn new(from: [f32; 3], to: [f32; 3]) -> Line {
        let td = 1.0 / (to[2] - from[2]);
        Line { from, tx: (to[0] - from[0]) * td, ty: (to[1] - from[1]) * td }
    }

    /// Angle at a distance along the beam from its start.
    #[inline]
    pub fn phi_at(&self, distance: f32) -> i16 {
        phi16(self.from[0] + self.tx * distance, self.from[1] + self.ty * distance)
    }

    /// Square of the distance of a hit, in mm².
    #[inline]
    pub fn scatter(&self, hit: [f32; 3]) -> f32 {
        let d = hit[2] - self.from[2];
        let dx = (self.from[0] + self.tx * d) - hit[0];
        let dy = (self.from[1] + self.ty * d) - hit[1];
        dx * dx + dy * dy
    }
}

struct Finder<'a> {
    geometry: &'a Geometry,
    hits: EventHits<'a>,
    search: Search,
    /// Entries from this one on are still to be continued.
    next: usize,
}

/// Finds the tracks of an event.
pub fn find_tracks(hits: EventHits<'_>, geometry: &Geometry) -> Search {
    let search = Search { used: vec![false; hits.ids.len()], ..Search::default() };
    let mut finder = Finder { geometry, hits, search, next: 0 };
    let last = MODULE_PAIRS - 1;
    finder.seed(last, FIRST_HITS[0]);
    for pair in (2..last).rev() {
        finder.forward(pair - 2);
        finder.seed(pair, FIRST_HITS[1]);
    }
    finder.finish();
    let mut search = finder.search;
    let candidates = search.three_hit.iter().copied();
    let is_accepted = |slots: &[u32; 3]| {
        let positions = slots.map(|slot| hits.hit(slot as usize).position);
        slots.iter().all(|slot| !search.used[*slot as usize]) && chi2(positions) < MAX_CHI2
    };
    search.tracks.three_hit = candidates.filter(is_accepted).collect();
    search
}

impl Finder<'_> {
    fn position(&self, slot: u32) -> [f32; 3] {
        self.hits.hit(slot as usize).position
    }

    fn pair(&self, pair: usize) -> PairRange {
        self.hits.pairs[pair]
    }

    fn is_used(&self, slot: u32) -> bool {
        self.search.used[slot as usize]
    }

    /// Slots of a pair of modules whose hits are within the tolerance of an angle: from the first one on,
    /// up to the first that is not.
    fn window(&self, pair: usize, expected: i16) -> Vec<u32> {
        let PairRange { start, count } = self.pair(pair);
        let first = self.lower_bound(pair, expected.wrapping_sub(PHI_TOLERANCE));
        let visited = (0..count).map(|step| start + (first + step) % count);
        let is_inside = |slot: &u32| is_within_tolerance(self.hits.phi[*slot as usize], expected);
        visited.take_while(is_inside).collect()
    }

    /// Index in a pair of modules of the first hit whose angle is not smaller.
    fn lower_bound(&self, pair: usize, phi: i16) -> u32 {
        self.hits.of_pair(pair).take_while(|hit: &Hit| hit.phi < phi).count() as u32
    }

    /// First hits of a triplet whose second hit has this angle: those nearest to it, in turn above and
    /// below.
    fn first_hits(&self, pair: usize, phi: i16, max: usize) -> Vec<u32> {
        let PairRange { start, count } = self.pair(pair);
        let middle = i64::from(self.lower_bound(pair, phi));
        let distance = |visit: i64| if visit % 2 == 1 { (visit + 1) / 2 } else { -visit / 2 };
        let visited = (0..i64::from(count)).map(|visit| middle + distance(visit));
        let slots = visited.map(|index| start + index.rem_euclid(i64::from(count)) as u32);
        slots.filter(|slot| !self.is_used(*slot)).take(max).collect()
    }

    fn seed(&mut self, pair: usize, max_first: usize) {
        let geometry = self.geometry;
        let distance = geometry.pair_z(pair - 2) - geometry.pair_z(pair);
        let PairRange { start, count } = self.pair(pair - 1);
        for second in (start..start + count).filter(|slot| !self.search.used[*slot as usize]) {
            let mut best: Option<(f32, [u32; 3])> = None;
            for first in self.first_hits(pair, self.hits.phi[second as usize], max_first) {
                let line = Line::new(self.position(first), self.position(second));
                let window = self.window(pair - 2, line.phi_at(distance));
                for third in window.into_iter().filter(|slot| !self.is_used(*slot)) {
                    let scatter = line.scatter(self.position(third));
                    if scatter < best.map_or(MAX_SCATTER, |best| best.0) {
                        best = Some((scatter, [first, second, third]));
                    }
                }
            }
            if let Some((_, slots)) = best {
                self.search.queue.push(Entry { kind: EntryKind::Seed(slots), has_skipped: false });
            }
        }
    }

    fn forward(&mut self, pair: usize) {
        let entries = self.next..self.search.queue.len();
        self.next = entries.end;
        for entry in entries {
            let entry = self.search.queue[entry];
            let last_hits = self.last_hits(entry.kind);
            match self.continuation(pair, last_hits) {
                Some(slot) => self.append(entry.kind, slot),
                None if !entry.has_skipped => {
                    self.search.queue.push(Entry { has_skipped: true, ..entry });
                }
                None => self.end(entry.kind),
            }
        }
    }

    fn last_hits(&self, kind: EntryKind) -> [u32; 2] {
        let slots = match &kind {
            EntryKind::Seed(slots) => slots,
            EntryKind::Track(track) => self.search.tracks.long[*track].as_slice(),
        };
        [slots[slots.len() - 2], slots[slots.len() - 1]]
    }

    /// The hit that continues a line through two hits best.
    fn continuation(&self, pair: usize, last_hits: [u32; 2]) -> Option<u32> {
        let [from, to] = last_hits;
        let from = self.hits.hit(from as usize);
        let line = Line::new(from.position, self.position(to));
        let side = from.module() % 2;
        let distance = self.geometry.module_z[2 * pair + side] - from.position[2];
        let mut best: Option<(f32, u32)> = None;
        for slot in self.window(pair, line.phi_at(distance)) {
            let scatter = line.scatter(self.position(slot));
            if scatter < best.map_or(MAX_SCATTER, |best| best.0) {
                best = Some((scatter, slot));
            }
        }
        best.map(|best| best.1)
    }

    fn append(&mut self, kind: EntryKind, slot: u32) {
        let search = &mut self.search;
        search.used[slot as usize] = true;
        let track = match kind {
            EntryKind::Track(track) => {
                search.tracks.long[track].push(slot);
                track
            }
            EntryKind::Seed(slots) => {
                slots.iter().for_each(|slot| search.used[*slot as usize] = true);
                search.tracks.long.push([slots.as_slice(), &[slot]].concat());
                search.tracks.long.len() - 1
            }
        };
        if search.tracks.long[track].len() < MAX_HITS {
            search.queue.push(Entry { kind: EntryKind::Track(track), has_skipped: false });
        }
    }

    fn end(&mut self, kind: EntryKind) {
        if let EntryKind::Seed(slots) = kind {
            self.search.three_hit.push(slots);
        }
    }

    /// Ends what is still queued.
    fn finish(&mut self) {
        for entry in self.next..self.search.queue.len() {
            self.end(self.search.queue[entry].kind);
        }
    }
}

/// Chi2 of a straight line through hits, with sums in the order of the hits.
pub fn chi2(hits: [[f32; 3]; 3]) -> f32 {
    let w = WEIGHT;
    let [mut s0, mut sx, mut sz, mut sxz, mut sz2, mut sy, mut syz] = [0.0_f32; 7];
    for [x, y, z] in hits {
        s0 += w;
        sx += w * x;
        sz += w * z;
        sxz += (w * x) * z;
        sz2 += (w * z) * z;
        sy += w * y;
        syz += (w * y) * z;
    }
    let den = 1.0 / (sz2 * s0 - sz * sz);
    let tx = (sxz * s0 - sx * sz) * den;
    let x0 = (sx * sz2 - sxz * sz) * den;
    let ty = (syz * s0 - sy * sz) * den;
    let y0 = (sy * sz2 - syz * sz) * den;
    let mut chi = 0.0;
    for [x, y, z] in hits {
        let dx = (x0 + tx * z) - x;
        let dy = (y0 + ty * z) - y;
        chi += (dx * dx) * w + (dy * dy) * w;
    }
    chi * 0.5
}
