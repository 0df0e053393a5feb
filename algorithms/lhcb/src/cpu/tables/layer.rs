//! Hits of a pair of modules in order of angle, with buckets of angles: where the hits within the
//! tolerance of an angle begin.

use std::ops::Range;

use crate::model::EventHits;
use crate::model::formulas::{PHI_TOLERANCE, phi16};

/// Hits that are looked at together.
pub const LANES: usize = 8;
/// Bits of an angle that are its bucket.
const BUCKET_BITS: u32 = 7;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// Angles of a bucket.
const BUCKET_WIDTH: i32 = 1 << (16 - BUCKET_BITS);
const TOLERANCE: i32 = PHI_TOLERANCE as i32;

/// Hits in order of angle. After the last one, the first ones are repeated.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Number of hits, without repetitions.
    pub len: usize,
    /// x in mm.
    pub x: Vec<f32>,
    /// y in mm.
    pub y: Vec<f32>,
    /// z in mm.
    pub z: Vec<f32>,
    /// Angles.
    pub phi: Vec<i32>,
    /// Slots in the event.
    pub slots: Vec<u32>,
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
            first: [0; BUCKETS],
        }
    }
}

#[inline]
fn bucket(phi: i32) -> usize {
    usize::from(phi as u16 ^ 0x8000) >> (16 - BUCKET_BITS)
}

impl Layer {
    /// Takes the hits in some slots that are not marked.
    pub fn fill(&mut self, hits: &EventHits<'_>, slots: Range<usize>, is_marked: Option<&[bool]>) {
        let capacity = slots.len() + LANES;
        if self.x.len() < capacity {
            self.x.resize(capacity, 0.0);
            self.y.resize(capacity, 0.0);
            self.z.resize(capacity, 0.0);
            self.phi.resize(capacity, 0);
            self.slots.resize(capacity, 0);
        }
        match is_marked {
            None => self.copy(hits, slots),
            Some(is_marked) => self.copy_unmarked(hits, slots, is_marked),
        }
        self.repeat();
        self.find_buckets();
    }

    fn copy(&mut self, hits: &EventHits<'_>, slots: Range<usize>) {
        let len = slots.len();
        self.x[..len].copy_from_slice(&hits.x[slots.clone()]);
        self.y[..len].copy_from_slice(&hits.y[slots.clone()]);
        self.z[..len].copy_from_slice(&hits.z[slots.clone()]);
        let phi = &hits.phi[slots.clone()];
        self.phi[..len].iter_mut().zip(phi).for_each(|(to, from)| *to = i32::from(*from));
        self.slots[..len].iter_mut().zip(slots).for_each(|(to, slot)| *to = slot as u32);
        self.len = len;
    }

    fn copy_unmarked(&mut self, hits: &EventHits<'_>, slots: Range<usize>, is_marked: &[bool]) {
        let capacity = slots.len() + LANES;
        let xs = &mut self.x[..capacity];
        let ys = &mut self.y[..capacity];
        let zs = &mut self.z[..capacity];
        let phis = &mut self.phi[..capacity];
        let own_slots = &mut self.slots[..capacity];
        let start = slots.start;
        let x = &hits.x[slots.clone()];
        let y = &hits.y[slots.clone()];
        let z = &hits.z[slots.clone()];
        let phi = &hits.phi[slots.clone()];
        let is_marked = &is_marked[slots];
        let mut len = 0;
        for index in 0..x.len() {
            // Written in any case, without a branch that nothing predicts.
            xs[len] = x[index];
            ys[len] = y[index];
            zs[len] = z[index];
            phis[len] = i32::from(phi[index]);
            own_slots[len] = (start + index) as u32;
            len += usize::from(!is_marked[index]);
        }
        self.len = len;
    }

    /// Repeats the first hits after the last one.
    fn repeat(&mut self) {
        if self.len == 0 {
            return;
        }
        for to in self.len..self.len + LANES {
            let from = to - self.len;
            self.x[to] = self.x[from];
            self.y[to] = self.y[from];
            self.z[to] = self.z[from];
            self.phi[to] = self.phi[from];
            self.slots[to] = self.slots[from];
        }
    }

    fn find_buckets(&mut self) {
        let mut next = 0;
        for (index, &phi) in self.phi[..self.len].iter().enumerate() {
            let bucket = bucket(phi);
            while next <= bucket {
                self.first[next] = index as u32;
                next += 1;
            }
        }
        self.first[next..].fill(self.len as u32);
    }
}

/// Straight line through two hits, from the first on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Position of the first hit in mm.
    pub from: [f32; 3],
    /// Slope in x.
    pub tx: f32,
    /// Slope in y.
    pub ty: f32,
}

impl Line {
    /// Line through two positions.
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
}

/// The best hit so far: the square of its distance from a line in mm², and its slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Square of the distance in mm².
    pub scatter: f32,
    /// Slot of the hit.
    pub slot: u32,
}

/// End of a search of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// No hit is nearer than the best so far.
    None,
    /// A nearer hit.
    Nearer(Nearest),
    /// A hit may be opposite, and count as inside: the rule has to be followed hit by hit.
    MayHaveOpposite,
}

impl Layer {
    /// Nearest hit to a line of those within the tolerance of an angle, if its scatter is below a
    /// maximum; the first one of several.
    #[inline]
    pub fn nearest(&self, line: &Line, expected: i16, max_scatter: f32) -> Window {
        if self.len == 0 {
            return Window::None;
        }
        let expected = i32::from(expected);
        let mut index = self.first[bucket(expected - TOLERANCE)] as usize;
        let mut visited = 0;
        let mut best = max_scatter;
        let mut found = None;
        loop {
            let mut distances = [0_i32; LANES];
            let mut scatters = [0.0_f32; LANES];
            let x: &[f32; LANES] = self.x[index..index + LANES].try_into().expect("lanes");
            let y: &[f32; LANES] = self.y[index..index + LANES].try_into().expect("lanes");
            let z: &[f32; LANES] = self.z[index..index + LANES].try_into().expect("lanes");
            let phi: &[i32; LANES] = self.phi[index..index + LANES].try_into().expect("lanes");
            for lane in 0..LANES {
                distances[lane] = ((phi[lane] - expected) << 16) >> 16;
                let d = z[lane] - line.from[2];
                let dx = (line.from[0] + line.tx * d) - x[lane];
                let dy = (line.from[1] + line.ty * d) - y[lane];
                let scatter = dx * dx + dy * dy;
                let is_inside = distances[lane].abs() <= TOLERANCE;
                scatters[lane] = if is_inside { scatter } else { f32::INFINITY };
            }
            let mut nearest = f32::INFINITY;
            let mut is_opposite = false;
            for lane in 0..LANES {
                nearest = if scatters[lane] < nearest { scatters[lane] } else { nearest };
                is_opposite |= distances[lane] == i32::from(i16::MIN);
            }
            if is_opposite {
                return Window::MayHaveOpposite;
            }
            if nearest < best {
                best = nearest;
                let lane = scatters.iter().position(|scatter| *scatter == nearest);
                found = lane.map(|lane| index + lane);
            }
            visited += LANES;
            let last = distances[LANES - 1];
            let continues = last <= TOLERANCE && last >= -TOLERANCE - BUCKET_WIDTH;
            if !continues || visited >= self.len {
                break;
            }
            index += LANES;
            if index >= self.len {
                index -= self.len;
            }
        }
        match found {
            Some(index) => Window::Nearer(Nearest { scatter: best, slot: self.slots[index] }),
            None => Window::None,
        }
    }
}
