//! Hits by slot: each pair of modules of an event has a slot for each estimated hit.

use generators_lhcb::geometry::MODULE_PAIRS;

use bytemuck::{Pod, Zeroable};

/// A hit: its identifier, its position in mm, and its angle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hit {
    /// Identifier of the pixel.
    pub id: u32,
    /// Position x, y, z in mm.
    pub position: [f32; 3],
    /// Angle around the beam, in units of π / 32768.
    pub phi: i16,
}

impl Hit {
    /// Key of the order of hits in a pair of modules: the angle, then the identifier.
    #[inline]
    pub fn key(&self) -> i64 {
        i64::from(self.phi) << 32 | i64::from(self.id)
    }

    /// The module of the hit.
    #[inline]
    pub fn module(&self) -> usize {
        module_of(self.id)
    }
}

/// The module of an identifier.
#[inline]
pub fn module_of(id: u32) -> usize {
    (id >> 20 & 63) as usize
}

/// Slots of a pair of modules.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct PairRange {
    /// The first slot in the event.
    pub start: u32,
    /// Number of hits.
    pub count: u32,
}

/// Arrays with an element for each slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitArrays {
    /// Identifiers.
    pub ids: Vec<u32>,
    /// x in mm.
    pub x: Vec<f32>,
    /// y in mm.
    pub y: Vec<f32>,
    /// z in mm.
    pub z: Vec<f32>,
    /// Angles, in units of π / 32768.
    pub phi: Vec<i16>,
}

/// Hits of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// First slot of each event among all, and the end of the last one.
    pub offsets: Vec<u32>,
    /// Slots of the 26 pairs of modules of each event.
    pub pairs: Vec<PairRange>,
    /// The hits by slot; slots after the hits of a pair hold anything.
    pub arrays: HitArrays,
}

/// Hits of one event.
#[derive(Clone, Copy, Debug)]
pub struct EventHits<'a> {
    /// Slots of the pairs of modules.
    pub pairs: &'a [PairRange],
    /// Identifiers by slot.
    pub ids: &'a [u32],
    /// x in mm.
    pub x: &'a [f32],
    /// y in mm.
    pub y: &'a [f32],
    /// z in mm.
    pub z: &'a [f32],
    /// Angles, in units of π / 32768.
    pub phi: &'a [i16],
}

impl HitArrays {
    /// Appends a hit.
    pub fn push(&mut self, hit: Hit) {
        self.ids.push(hit.id);
        self.x.push(hit.position[0]);
        self.y.push(hit.position[1]);
        self.z.push(hit.position[2]);
        self.phi.push(hit.phi);
    }

    /// The hit of a slot.
    pub fn hit(&self, slot: usize) -> Hit {
        let position = [self.x[slot], self.y[slot], self.z[slot]];
        Hit { id: self.ids[slot], position, phi: self.phi[slot] }
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are no slots.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

impl Hits {
    /// Hits without events.
    pub fn new() -> Hits {
        Hits { offsets: vec![0], ..Hits::default() }
    }

    /// Number of events.
    pub fn events(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The hits of an event.
    ///
    /// # Panics
    /// If there is no such event.
    pub fn event(&self, index: usize) -> EventHits<'_> {
        let slots = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        EventHits {
            pairs: &self.pairs[index * MODULE_PAIRS..][..MODULE_PAIRS],
            ids: &self.arrays.ids[slots.clone()],
            x: &self.arrays.x[slots.clone()],
            y: &self.arrays.y[slots.clone()],
            z: &self.arrays.z[slots.clone()],
            phi: &self.arrays.phi[slots],
        }
    }

    /// Appends the events of others.
    pub fn append(&mut self, other: &Hits) {
        let before = self.arrays.len() as u32;
        self.offsets.extend(other.offsets.iter().skip(1).map(|offset| offset + before));
        self.pairs.extend_from_slice(&other.pairs);
        self.arrays.ids.extend_from_slice(&other.arrays.ids);
        self.arrays.x.extend_from_slice(&other.arrays.x);
        self.arrays.y.extend_from_slice(&other.arrays.y);
        self.arrays.z.extend_from_slice(&other.arrays.z);
        self.arrays.phi.extend_from_slice(&other.arrays.phi);
    }

    /// Appends an event: its pairs of modules, and a hit for each slot.
    pub fn push_event(&mut self, pairs: &[PairRange; MODULE_PAIRS], slots: &[Hit]) {
        self.pairs.extend_from_slice(pairs);
        slots.iter().for_each(|hit| self.arrays.push(*hit));
        self.offsets.push(self.arrays.len() as u32);
    }
}

impl EventHits<'_> {
    /// The hit in a slot.
    pub fn hit(&self, slot: usize) -> Hit {
        Hit {
            id: self.ids[slot],
            position: [self.x[slot], self.y[slot], self.z[slot]],
            phi: self.phi[slot],
        }
    }

    /// The hits of a pair of modules, in order of their slots.
    pub fn of_pair(&self, pair: usize) -> impl Iterator<Item = Hit> {
        let PairRange { start, count } = self.pairs[pair];
        (start..start + count).map(|slot| self.hit(slot as usize))
    }

    /// Number of hits.
    pub fn count(&self) -> usize {
        self.pairs.iter().map(|pair| pair.count as usize).sum()
    }
}
