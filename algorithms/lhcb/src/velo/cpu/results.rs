//! Results of a worker, event after event, in arrays that keep their size from run to run.

use std::ops::Range;

use generators_lhcb::geometry::MODULE_PAIRS;

use crate::velo::model::{EventHits, HitArrays, Hits, PairRange, TrackCounts, Tracks};

/// Slots of an event, to be written.
pub struct HitSlots<'a> {
    /// Slots of the pairs of modules.
    pub pairs: &'a mut [PairRange; MODULE_PAIRS],
    /// Identifiers.
    pub ids: &'a mut [u32],
    /// x in mm.
    pub x: &'a mut [f32],
    /// y in mm.
    pub y: &'a mut [f32],
    /// z in mm.
    pub z: &'a mut [f32],
    /// Angles, in units of π / 32768.
    pub phi: &'a mut [i16],
}

/// Hits in arrays, to be written.
pub struct HitsMut<'a> {
    /// Identifiers.
    pub ids: &'a mut [u32],
    /// x in mm.
    pub x: &'a mut [f32],
    /// y in mm.
    pub y: &'a mut [f32],
    /// z in mm.
    pub z: &'a mut [f32],
    /// Angles, in units of π / 32768.
    pub phi: &'a mut [i16],
}

impl HitSlots<'_> {
    /// Some of the slots.
    #[inline]
    pub fn hits(&mut self, range: Range<usize>) -> HitsMut<'_> {
        HitsMut {
            ids: &mut self.ids[range.clone()],
            x: &mut self.x[range.clone()],
            y: &mut self.y[range.clone()],
            z: &mut self.z[range.clone()],
            phi: &mut self.phi[range],
        }
    }
}

/// Hits of an event in arrays of its own.
#[derive(Clone, Debug, Default)]
pub struct HitBuffer {
    pairs: [PairRange; MODULE_PAIRS],
    arrays: HitArrays,
    slots: usize,
}

impl HitArrays {
    /// Grows to at least this number of slots.
    fn grow(&mut self, slots: usize) {
        if slots > self.ids.len() {
            // Not by a few at a time: what is new is written once for nothing.
            let slots = slots + slots / 2;
            self.ids.resize(slots, 0);
            self.x.resize(slots, 0.0);
            self.y.resize(slots, 0.0);
            self.z.resize(slots, 0.0);
            self.phi.resize(slots, 0);
        }
    }

    fn slots<'a>(
        &'a mut self,
        range: Range<usize>,
        pairs: &'a mut [PairRange; MODULE_PAIRS],
    ) -> HitSlots<'a> {
        HitSlots {
            pairs,
            ids: &mut self.ids[range.clone()],
            x: &mut self.x[range.clone()],
            y: &mut self.y[range.clone()],
            z: &mut self.z[range.clone()],
            phi: &mut self.phi[range],
        }
    }

    fn bytes(&self) -> usize {
        self.ids.capacity() * SLOT_BYTES
    }
}

/// Bytes of a slot.
const SLOT_BYTES: usize = 18;
/// Bytes of a hit of a track.
const TRACK_HIT_BYTES: usize = 20;

impl HitBuffer {
    /// Slots to be written, at most `max`; `write` returns how many it used.
    pub fn write(&mut self, max: usize, write: impl FnOnce(HitSlots<'_>) -> usize) {
        self.arrays.grow(max);
        self.slots = write(self.arrays.slots(0..max, &mut self.pairs));
    }

    /// The hits.
    pub fn hits(&self) -> EventHits<'_> {
        let arrays = &self.arrays;
        EventHits {
            pairs: &self.pairs,
            ids: &arrays.ids[..self.slots],
            x: &arrays.x[..self.slots],
            y: &arrays.y[..self.slots],
            z: &arrays.z[..self.slots],
            phi: &arrays.phi[..self.slots],
        }
    }
}

/// Results of the events that a worker has processed.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Event of each result, with the ends of its parts of the arrays.
    events: Vec<EventEnds>,
    hits: HitArrays,
    slots: usize,
    pairs: Vec<[PairRange; MODULE_PAIRS]>,
    /// Tracks; the ends of tracks are counted from the first one of the worker.
    pub tracks: Tracks,
}

#[derive(Clone, Copy, Debug, Default)]
struct EventEnds {
    event: u32,
    slots: usize,
    tracks: usize,
}

impl Results {
    /// Removes all results.
    pub fn clear(&mut self) {
        self.events.clear();
        self.slots = 0;
        self.pairs.clear();
        let tracks = &mut self.tracks;
        tracks.counts.clear();
        tracks.offsets.clear();
        tracks.offsets.push(0);
        tracks.slots.clear();
        tracks.ids.clear();
        tracks.positions.clear();
    }

    /// Begins the results of an event with its hits, of which there are at most `max`; `write` returns
    /// how many slots it used.
    pub fn write_hits(&mut self, max: usize, write: impl FnOnce(HitSlots<'_>) -> usize) {
        self.hits.grow(self.slots + max);
        let mut pairs = [PairRange::default(); MODULE_PAIRS];
        self.slots += write(self.hits.slots(self.slots..self.slots + max, &mut pairs));
        self.pairs.push(pairs);
    }

    /// The hits of the last event, and the lists that its tracks are appended to.
    pub fn last_hits(&mut self) -> (EventHits<'_>, &mut Tracks) {
        let start = self.events.last().map_or(0, |last| last.slots);
        let slots = start..self.slots;
        let hits = EventHits {
            pairs: self.pairs.last().map_or(&[], |pairs| pairs),
            ids: &self.hits.ids[slots.clone()],
            x: &self.hits.x[slots.clone()],
            y: &self.hits.y[slots.clone()],
            z: &self.hits.z[slots.clone()],
            phi: &self.hits.phi[slots],
        };
        (hits, &mut self.tracks)
    }

    /// Ends the results of an event.
    pub fn end(&mut self, event: usize) {
        self.events.push(EventEnds {
            event: event as u32,
            slots: self.slots,
            tracks: self.tracks.offsets.len() - 1,
        });
    }

    /// Bytes of all arrays.
    pub fn bytes(&self) -> u64 {
        let tracks = self.tracks.slots.capacity() * TRACK_HIT_BYTES;
        let events = self.events.capacity() * size_of::<EventEnds>();
        let pairs = self.pairs.capacity() * size_of::<[PairRange; MODULE_PAIRS]>();
        (self.hits.bytes() + tracks + events + pairs) as u64
    }
}

/// Joins the results of all workers in the order of the events.
pub fn joined(workers: &[&Results]) -> (Hits, Tracks) {
    let mut parts: Vec<_> = workers
        .iter()
        .flat_map(|results| (0..results.events.len()).map(move |index| (*results, index)))
        .collect();
    parts.sort_by_key(|(results, index)| results.events[*index].event);
    let mut hits = Hits::new();
    let mut tracks = Tracks::new();
    for (results, index) in parts {
        let start = match index {
            0 => EventEnds::default(),
            _ => results.events[index - 1],
        };
        let end = results.events[index];
        if let Some(pairs) = results.pairs.get(index) {
            hits.pairs.extend_from_slice(pairs);
            let slots = start.slots..end.slots;
            hits.arrays.ids.extend_from_slice(&results.hits.ids[slots.clone()]);
            hits.arrays.x.extend_from_slice(&results.hits.x[slots.clone()]);
            hits.arrays.y.extend_from_slice(&results.hits.y[slots.clone()]);
            hits.arrays.z.extend_from_slice(&results.hits.z[slots.clone()]);
            hits.arrays.phi.extend_from_slice(&results.hits.phi[slots]);
            hits.offsets.push(hits.arrays.len() as u32);
        }
        if let Some(counts) = results.tracks.counts.get(index) {
            append_tracks(&mut tracks, &results.tracks, start.tracks..end.tracks, *counts);
        }
    }
    (hits, tracks)
}

fn append_tracks(all: &mut Tracks, from: &Tracks, tracks: Range<usize>, counts: TrackCounts) {
    all.counts.push(counts);
    let first = from.offsets[tracks.start];
    let before = all.slots.len() as u32;
    let ends = from.offsets[tracks.start + 1..=tracks.end].iter();
    all.offsets.extend(ends.map(|end| end - first + before));
    let hits = first as usize..from.offsets[tracks.end] as usize;
    all.slots.extend_from_slice(&from.slots[hits.clone()]);
    all.ids.extend_from_slice(&from.ids[hits.clone()]);
    all.positions.extend_from_slice(&from.positions[hits]);
}
