//! Hits of a pair of modules in order of angle, with buckets of angles: where the hits within the
//! tolerance of an angle begin.

use std::ops::Range;

use super::lanes::{Angles, LANES, Numbers};
use super::lines::Lines;
use crate::velo::model::EventHits;
use crate::velo::model::formulas::{PHI_TOLERANCE, is_within_tolerance};
use crate::velo::model::hits::module_of;
use crate::velo::model::search::Line;

/// Tolerance of an angle.
const TOLERANCE: i32 = PHI_TOLERANCE as i32;
/// Bits of an angle that are its bucket.
const BUCKET_BITS: u32 = 6;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// Angles of a bucket.
const BUCKET_WIDTH: i32 = 1 << (16 - BUCKET_BITS);

/// Hits in order of angle. After the last one, the first ones are repeated.
#[derive(Clone, Debug)]
pub struct Layer {
    len: usize,
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    phi: Vec<i32>,
    slots: Vec<u32>,
    /// Of a layer with all hits: x, y, z in mm, and 1 for hits of modules with odd numbers, else 0.
    points: Vec<[f32; 4]>,
    /// Index of the first hit of each bucket of angles, or of a later one.
    first: [u32; BUCKETS],
}

impl Default for Layer {
    fn default() -> Self {
        Layer {
            len: 0,
            x: Vec::new(),
            y: Vec::new(),
            z: Vec::new(),
            phi: Vec::new(),
            slots: Vec::new(),
            points: Vec::new(),
            first: [0; BUCKETS],
        }
    }
}

#[inline]
fn bucket(phi: i32) -> usize {
    usize::from(phi as u16 ^ 0x8000) >> (16 - BUCKET_BITS)
}

impl Layer {
    /// Number of hits.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Angles of the hits.
    #[inline]
    pub fn phi(&self) -> &[i32] {
        &self.phi[..self.len]
    }

    /// Position of a hit in mm.
    #[inline]
    fn position(&self, index: usize) -> [f32; 3] {
        [self.x[index], self.y[index], self.z[index]]
    }

    /// x, y, z in mm of a hit of a layer with all hits, and 1 if the number of its module is odd, else 0.
    #[inline]
    pub fn point(&self, index: u32) -> &[f32; 4] {
        &self.points[index as usize]
    }

    /// Index of the first hit whose angle is not smaller; the layer is not empty.
    #[inline]
    pub fn lower_bound(&self, phi: i32) -> usize {
        let mut index = self.first[bucket(phi)] as usize;
        while index < self.len {
            // The first hits, which are repeated after the last one, are smaller again.
            let hits = Angles::load(chunk(&self.phi, index));
            let smaller = hits.is_below(Angles::splat(phi)).bits().trailing_ones() as usize;
            index += smaller;
            if smaller < LANES {
                break;
            }
        }
        index.min(self.len)
    }

    /// Slot of the first hit of a layer with all hits.
    #[inline]
    pub fn first_slot(&self) -> u32 {
        self.slots.first().copied().unwrap_or_default()
    }

    fn reserve(&mut self, hits: usize) {
        let capacity = hits + LANES;
        if self.x.len() < capacity {
            self.x.resize(capacity, 0.0);
            self.y.resize(capacity, 0.0);
            self.z.resize(capacity, 0.0);
            self.phi.resize(capacity, 0);
            self.slots.resize(capacity, 0);
        }
    }

    /// Takes all hits in some slots.
    pub fn fill(&mut self, hits: &EventHits<'_>, slots: Range<usize>) {
        let len = slots.len();
        self.reserve(len);
        self.x[..len].copy_from_slice(&hits.x[slots.clone()]);
        self.y[..len].copy_from_slice(&hits.y[slots.clone()]);
        self.z[..len].copy_from_slice(&hits.z[slots.clone()]);
        let phi = &hits.phi[slots.clone()];
        self.phi[..len].iter_mut().zip(phi).for_each(|(to, from)| *to = i32::from(*from));
        self.slots[..len].iter_mut().zip(slots.clone()).for_each(|(to, slot)| *to = slot as u32);
        let parity = |slot: usize| (module_of(hits.ids[slot]) % 2) as f32;
        let point = |slot: usize| [hits.x[slot], hits.y[slot], hits.z[slot], parity(slot)];
        self.points.clear();
        self.points.extend(slots.map(point));
        self.end(len);
    }

    /// Takes some hits of another layer, by their indices.
    pub fn fill_from(&mut self, all: &Layer, indices: &[u32]) {
        let len = indices.len();
        self.reserve(len);
        let x = &mut self.x[..len];
        let y = &mut self.y[..len];
        let z = &mut self.z[..len];
        let phi = &mut self.phi[..len];
        let slots = &mut self.slots[..len];
        let first_slot = all.first_slot();
        for (to, &index) in indices.iter().enumerate() {
            let from = index as usize;
            x[to] = all.x[from];
            y[to] = all.y[from];
            z[to] = all.z[from];
            phi[to] = all.phi[from];
            slots[to] = first_slot + index;
        }
        self.end(len);
    }

    /// Repeats the first hits after the last one, and finds the buckets.
    fn end(&mut self, len: usize) {
        self.len = len;
        if len == 0 {
            // Nothing is near a hit without position.
            self.x[..LANES].fill(f32::NAN);
            self.first = [0; BUCKETS];
            return;
        }
        for to in len..len + LANES {
            self.x[to] = self.x[to - len];
            self.y[to] = self.y[to - len];
            self.z[to] = self.z[to - len];
            self.phi[to] = self.phi[to - len];
            self.slots[to] = self.slots[to - len];
        }
        const NONE: u32 = u32::MAX;
        self.first = [NONE; BUCKETS];
        for (index, &phi) in self.phi[..len].iter().enumerate().rev() {
            self.first[bucket(phi)] = index as u32;
        }
        let mut next = len as u32;
        for first in self.first.iter_mut().rev() {
            next = if *first == NONE { next } else { *first };
            *first = next;
        }
    }
}

/// The best hit so far: the square of its distance from a line in mm², and its slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Square of the distance in mm².
    pub scatter: f32,
    /// Slot of the hit.
    pub slot: u32,
}

/// The first eight hits of a window.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Index of the first of them.
    pub index: u32,
    /// Squares of their distances from the line in mm²; infinite outside of the tolerance.
    pub scatters: Numbers,
    /// True if the window ends among them, as it should.
    pub is_complete: bool,
}

#[inline]
fn chunk<T>(list: &[T], index: usize) -> &[T; LANES] {
    list[index..].first_chunk().expect("the first hits are repeated")
}

impl Layer {
    /// Looks at the first hits within the tolerance of the angle of a line, which is in all lanes.
    #[inline]
    pub fn look(&self, line: &Lines) -> Look {
        let expected = line.phi.first();
        let index = self.first[bucket(expected - TOLERANCE)] as usize;
        let phi = chunk(&self.phi, index);
        let distances = Angles::load(phi).distances(line.phi);
        let is_inside = distances.is_below(Angles::splat(TOLERANCE + 1));
        let has_opposite = distances.is_below(Angles::splat(1 << 15)).bits() != 0xFF;
        let d = Numbers::load(chunk(&self.z, index)).minus(line.from.z);
        let on_line = |from: Numbers, slope: Numbers| from.plus(slope.times(d));
        let dx = on_line(line.from.x, line.tx).minus(Numbers::load(chunk(&self.x, index)));
        let dy = on_line(line.from.y, line.ty).minus(Numbers::load(chunk(&self.y, index)));
        let scatters = dx.times(dx).plus(dy.times(dy));
        let last = i32::from((phi[LANES - 1] - expected) as i16);
        let continues = (-TOLERANCE - BUCKET_WIDTH..=TOLERANCE).contains(&last);
        let is_complete = self.len == 0 || ((!continues || LANES >= self.len) && !has_opposite);
        let scatters = is_inside.select(scatters, Numbers::splat(f32::INFINITY));
        Look { index: index as u32, scatters, is_complete }
    }

    /// Slot of one of the hits of a look that begins at an index.
    #[inline]
    pub fn slot_of(&self, index: u32, lane: usize) -> u32 {
        self.slots[index as usize + lane]
    }

    /// Slot of the nearest of the hits of a complete look, if its scatter is below a maximum; the first
    /// of several.
    #[inline]
    pub fn nearest_of(&self, look: &Look, max_scatter: f32) -> Option<u32> {
        let max = Numbers::splat(max_scatter);
        // Not below: NaN.
        let scatters = max.is_above(look.scatters).select(look.scatters, max);
        let nearest = scatters.min();
        let lanes = scatters.equals(Numbers::splat(nearest)).bits();
        (nearest < max_scatter).then(|| self.slot_of(look.index, lanes.trailing_zeros() as usize))
    }

    /// Nearest hit by the rule of the experiment, hit by hit, without those whose slots are marked.
    #[cold]
    pub fn nearest_by_rule(
        &self,
        line: &Line,
        expected: i32,
        max_scatter: f32,
        is_marked: Option<&[bool]>,
    ) -> Option<Nearest> {
        let expected = expected as i16;
        let lower = i32::from(expected.wrapping_sub(PHI_TOLERANCE));
        let first = self.phi().partition_point(|phi| *phi < lower);
        let mut found = None;
        let mut best = max_scatter;
        for step in 0..self.len {
            let index = (first + step) % self.len;
            if !is_within_tolerance(self.phi[index] as i16, expected) {
                break;
            }
            let slot = self.slots[index];
            if is_marked.is_some_and(|is_marked| is_marked[slot as usize]) {
                continue;
            }
            let scatter = line.scatter(self.position(index));
            if scatter < best {
                best = scatter;
                found = Some(Nearest { scatter, slot });
            }
        }
        found
    }
}
