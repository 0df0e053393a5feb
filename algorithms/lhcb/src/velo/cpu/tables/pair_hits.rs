//! Hits of a pair of modules: positions on sensors, then positions and angles, then in order.

use generators_lhcb::geometry::Geometry;

use crate::velo::cpu::results::HitSlots;
use crate::velo::model::formulas::{phi16, transformed};
use crate::velo::model::{HitArrays, PairRange};

/// Hits on sensors, in runs of the same sensor.
#[derive(Clone, Debug, Default)]
pub struct SensorRuns {
    ids: Vec<u32>,
    /// Local x and y in mm.
    x: Vec<f32>,
    y: Vec<f32>,
    runs: Vec<Run>,
}

/// A hit on a sensor.
#[derive(Clone, Copy, Debug)]
pub struct SensorHit {
    /// The identifier.
    pub id: u32,
    /// Local x in mm.
    pub x: f32,
    /// Local y in mm.
    pub y: f32,
}

/// Hits of a sensor.
#[derive(Clone, Copy, Debug)]
struct Run {
    sensor: u16,
    /// Index after its last hit.
    end: usize,
}

impl SensorRuns {
    /// Removes all hits.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.x.clear();
        self.y.clear();
        self.runs.clear();
    }

    /// Number of hits.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Appends a hit.
    #[inline]
    pub fn push(&mut self, sensor: u16, hit: SensorHit) {
        self.ids.push(hit.id);
        self.x.push(hit.x);
        self.y.push(hit.y);
        let end = self.ids.len();
        match self.runs.last_mut() {
            Some(run) if run.sensor == sensor => run.end = end,
            _ => self.runs.push(Run { sensor, end }),
        }
    }
}

/// Hits of a pair of modules, in order of creation.
#[derive(Clone, Debug, Default)]
pub struct PairHits {
    hits: HitArrays,
    keys: Vec<u64>,
    buckets: Buckets,
}

impl PairHits {
    /// Removes all hits.
    pub fn clear(&mut self) {
        let hits = &mut self.hits;
        hits.ids.clear();
        hits.x.clear();
        hits.y.clear();
        hits.z.clear();
        hits.phi.clear();
    }

    /// Number of hits.
    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Appends hits on sensors, with their positions and angles.
    pub fn extend(&mut self, geometry: &Geometry, on_sensors: &SensorRuns) {
        let before = self.len();
        let len = before + on_sensors.len();
        let hits = &mut self.hits;
        hits.ids.extend_from_slice(&on_sensors.ids);
        hits.x.resize(len, 0.0);
        hits.y.resize(len, 0.0);
        hits.z.resize(len, 0.0);
        hits.phi.resize(len, 0);
        let mut start = 0;
        for &Run { sensor, end } in &on_sensors.runs {
            let local = on_sensors.x[start..end].iter().zip(&on_sensors.y[start..end]);
            let range = before + start..before + end;
            let xy = hits.x[range.clone()].iter_mut().zip(&mut hits.y[range.clone()]);
            let z_phi = hits.z[range.clone()].iter_mut().zip(&mut hits.phi[range]);
            for ((x, y), ((to_x, to_y), (to_z, to_phi))) in local.zip(xy.zip(z_phi)) {
                let [x, y, z] = transformed(geometry, sensor, [*x, *y]);
                *to_x = x;
                *to_y = y;
                *to_z = z;
                *to_phi = phi16(x, y);
            }
            start = end;
        }
    }

    /// Appends hits that have positions and angles.
    pub fn extend_from(&mut self, slots: &crate::velo::model::EventHits<'_>, pair: PairRange) {
        let range = pair.start as usize..(pair.start + pair.count) as usize;
        let hits = &mut self.hits;
        hits.ids.extend_from_slice(&slots.ids[range.clone()]);
        hits.x.extend_from_slice(&slots.x[range.clone()]);
        hits.y.extend_from_slice(&slots.y[range.clone()]);
        hits.z.extend_from_slice(&slots.z[range.clone()]);
        hits.phi.extend_from_slice(&slots.phi[range]);
    }

    /// Copies the hits to slots from `start` on, in order of creation.
    pub fn copy_to(&self, start: usize, slots: &mut HitSlots<'_>) {
        let range = start..start + self.len();
        slots.ids[range.clone()].copy_from_slice(&self.hits.ids);
        slots.x[range.clone()].copy_from_slice(&self.hits.x);
        slots.y[range.clone()].copy_from_slice(&self.hits.y);
        slots.z[range.clone()].copy_from_slice(&self.hits.z);
        slots.phi[range].copy_from_slice(&self.hits.phi);
    }

    /// Copies the hits to slots from `start` on, in order of angle and identifier.
    pub fn sort_to(&mut self, start: usize, slots: &mut HitSlots<'_>) {
        let hits = &self.hits;
        self.keys.clear();
        let keys = hits.phi.iter().zip(&hits.ids).zip(0..);
        self.keys.extend(keys.map(|((phi, id), index)| key(*phi, *id, index)));
        self.buckets.sort(&mut self.keys);
        let slots_range = start..start + self.keys.len();
        let ids = &mut slots.ids[slots_range.clone()];
        let x = &mut slots.x[slots_range.clone()];
        let y = &mut slots.y[slots_range.clone()];
        let z = &mut slots.z[slots_range.clone()];
        let phi = &mut slots.phi[slots_range];
        for (slot, &key) in self.keys.iter().enumerate() {
            let index = (key & INDEX_MASK) as usize;
            ids[slot] = hits.ids[index];
            x[slot] = hits.x[index];
            y[slot] = hits.y[index];
            z[slot] = hits.z[index];
            phi[slot] = hits.phi[index];
        }
    }
}

/// Bits of the index in a key: a pair of modules has fewer words.
const INDEX_BITS: u32 = 19;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// Bits of an identifier without its mark.
const ID_MASK: u32 = 0x1FFF_FFFF;

/// Key of the order: the angle, the identifier, and the index.
#[inline]
fn key(phi: i16, id: u32, index: u32) -> u64 {
    let phi = u64::from(phi as u16 ^ 0x8000);
    phi << 48 | u64::from(id & ID_MASK) << INDEX_BITS | u64::from(index)
}

/// Sorts keys by buckets of their highest bits.
#[derive(Clone, Debug)]
struct Buckets {
    ends: [u16; BUCKETS],
    sorted: Vec<u64>,
}

const BUCKETS: usize = 256;
/// Keys below which they are inserted one by one, and above which buckets have too many.
const MIN_KEYS: usize = 12;
const MAX_KEYS: usize = 4096;

impl Default for Buckets {
    fn default() -> Self {
        Buckets { ends: [0; BUCKETS], sorted: Vec::new() }
    }
}

impl Buckets {
    fn sort(&mut self, keys: &mut Vec<u64>) {
        if keys.len() > MAX_KEYS {
            keys.sort_unstable();
            return;
        }
        if keys.len() >= MIN_KEYS {
            self.by_bucket(keys);
        }
        insert(keys);
    }

    fn by_bucket(&mut self, keys: &mut Vec<u64>) {
        self.ends.fill(0);
        let bucket = |key: u64| (key >> 56) as usize;
        for &key in &*keys {
            self.ends[bucket(key)] += 1;
        }
        let mut end = 0;
        for count in &mut self.ends {
            end += *count;
            *count = end;
        }
        self.sorted.resize(keys.len(), 0);
        for &key in keys.iter().rev() {
            let end = &mut self.ends[bucket(key)];
            *end -= 1;
            self.sorted[usize::from(*end)] = key;
        }
        std::mem::swap(keys, &mut self.sorted);
    }
}

/// Inserts each key where it belongs among those before.
fn insert(keys: &mut [u64]) {
    for index in 1..keys.len() {
        let key = keys[index];
        let mut at = index;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            at -= 1;
        }
        keys[at] = key;
    }
}
