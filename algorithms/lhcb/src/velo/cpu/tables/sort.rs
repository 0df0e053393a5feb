//! Order of the hits of a pair of modules, by angle and identifier.

use std::ops::Range;

use crate::velo::cpu::results::HitsMut;
use crate::velo::model::EventHits;

/// Sorts hits of pairs of modules.
#[derive(Clone, Debug, Default)]
pub struct Sorter {
    keys: Vec<u64>,
    buckets: Buckets,
}

impl Sorter {
    /// Writes the hits in some slots in order of angle and identifier.
    pub fn sort(&mut self, hits: &EventHits<'_>, slots: Range<usize>, to: HitsMut<'_>) {
        let from_ids = &hits.ids[slots.clone()];
        let from_phi = &hits.phi[slots.clone()];
        let [from_x, from_y, from_z] = [hits.x, hits.y, hits.z].map(|list| &list[slots.clone()]);
        self.keys.clear();
        let keys = from_phi.iter().zip(from_ids).zip(0..);
        self.keys.extend(keys.map(|((phi, id), index)| key(*phi, *id, index)));
        self.buckets.sort(&mut self.keys);
        let HitsMut { ids, x, y, z, phi } = to;
        let to = ids.iter_mut().zip(phi).zip(x.iter_mut().zip(y).zip(z));
        for (&key, ((id, phi), ((x, y), z))) in self.keys.iter().zip(to) {
            let index = (key & INDEX_MASK) as usize;
            *id = from_ids[index];
            *x = from_x[index];
            *y = from_y[index];
            *z = from_z[index];
            *phi = from_phi[index];
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
