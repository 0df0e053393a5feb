//! Tracks as lists of slots, and the hits of all tracks one after the other.

use bytemuck::{Pod, Zeroable};

use super::EventHits;

/// Number of tracks of an event.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct TrackCounts {
    /// Tracks of four or more hits, which come first.
    pub long: u32,
    /// Accepted tracks of three hits, which come after them.
    pub three_hit: u32,
}

/// Tracks of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    /// Number of tracks of each event.
    pub counts: Vec<TrackCounts>,
    /// Index of the first hit of each track, and the end of the last one.
    pub offsets: Vec<u32>,
    /// Slot in its event of each hit, from high to low z in a track.
    pub slots: Vec<u32>,
    /// Identifier of each hit.
    pub ids: Vec<u32>,
    /// Position x, y, z of each hit, in mm.
    pub positions: Vec<[f32; 3]>,
}

/// Tracks of one event, each as its slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTracks {
    /// Tracks of four or more hits.
    pub long: Vec<Vec<u32>>,
    /// Accepted tracks of three hits.
    pub three_hit: Vec<[u32; 3]>,
}

impl Tracks {
    /// No events.
    pub fn new() -> Tracks {
        Tracks { offsets: vec![0], ..Tracks::default() }
    }

    /// Appends the tracks of an event, with the positions of their hits.
    pub fn push_event(&mut self, tracks: &EventTracks, hits: EventHits<'_>) {
        self.counts.push(TrackCounts {
            long: tracks.long.len() as u32,
            three_hit: tracks.three_hit.len() as u32,
        });
        let three_hit = tracks.three_hit.iter().map(<[u32; 3]>::as_slice);
        for track in tracks.long.iter().map(Vec::as_slice).chain(three_hit) {
            for &slot in track {
                let hit = hits.hit(slot as usize);
                self.slots.push(slot);
                self.ids.push(hit.id);
                self.positions.push(hit.position);
            }
            self.offsets.push(self.slots.len() as u32);
        }
    }

    /// Appends the events of others.
    pub fn append(&mut self, other: &Tracks) {
        let before = self.slots.len() as u32;
        self.counts.extend_from_slice(&other.counts);
        self.offsets.extend(other.offsets.iter().skip(1).map(|offset| offset + before));
        self.slots.extend_from_slice(&other.slots);
        self.ids.extend_from_slice(&other.ids);
        self.positions.extend_from_slice(&other.positions);
    }

    /// Number of events.
    pub fn events(&self) -> usize {
        self.counts.len()
    }

    /// Indices of the tracks of each event.
    pub fn of_events(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut end = 0;
        self.counts.iter().map(move |counts| {
            let start = end;
            end += counts.long as usize + counts.three_hit as usize;
            start..end
        })
    }

    /// The slots of a track.
    pub fn track(&self, index: usize) -> &[u32] {
        &self.slots[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// The identifiers of a track.
    pub fn track_ids(&self, index: usize) -> &[u32] {
        &self.ids[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}
