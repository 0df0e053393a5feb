//! Tracks by the rules of the experiment, slow and obvious. `docs/velo.md` has the rules.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};

use crate::velo::model::search::{
    FIRST_HITS, FIRST_HITS_AT_END, Line, MAX_CHI2, MAX_HITS, SearchCuts, chi2,
};
use crate::velo::model::{EventHits, EventTracks, Hit, PairRange};

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

struct Finder<'a> {
    geometry: &'a Geometry,
    cuts: SearchCuts,
    hits: EventHits<'a>,
    search: Search,
    /// Entries from this one on are still to be continued.
    next: usize,
}

/// Finds the tracks of an event.
pub fn find_tracks(hits: EventHits<'_>, geometry: &Geometry, cuts: SearchCuts) -> Search {
    let search = Search { used: vec![false; hits.ids.len()], ..Search::default() };
    let mut finder = Finder { geometry, cuts, hits, search, next: 0 };
    let last = MODULE_PAIRS - 1;
    finder.seed(last, FIRST_HITS_AT_END);
    for pair in (2..last).rev() {
        finder.forward(pair - 2);
        finder.seed(pair, FIRST_HITS);
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
        let first = self.lower_bound(pair, self.cuts.first_phi(expected));
        let visited = (0..count).map(|step| start + (first + step) % count);
        let is_inside = |slot: &u32| self.cuts.is_near(self.hits.phi[*slot as usize], expected);
        visited.take_while(is_inside).collect()
    }

    /// Index in a pair of modules of the first hit whose angle is not smaller.
    fn lower_bound(&self, pair: usize, phi: i16) -> u32 {
        self.hits.of_pair(pair).take_while(|hit: &Hit| hit.phi < phi).count() as u32
    }

    /// First hits of a triplet whose second hit has this angle: those nearest to it, alternately above
    /// and below.
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
                    if scatter < best.map_or(self.cuts.max_scatter, |best| best.0) {
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
            if scatter < best.map_or(self.cuts.max_scatter, |best| best.0) {
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
