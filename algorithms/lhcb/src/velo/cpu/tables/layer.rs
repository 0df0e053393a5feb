//! Hits of a pair of modules in order of angle, with buckets of angles: where the hits within the
//! tolerance of an angle begin. Angles are in the high 16 bits of numbers of 32, whose differences wrap.

use std::ops::Range;

use super::cuts::Cuts;
use super::lanes::{Integers, LANES, Lanes, Numbers};
use super::lines::Lines;
use super::lists::{chunk, chunk_mut, grow};
use super::unused::Unused;
use crate::velo::model::EventHits;
use crate::velo::model::hits::module_of;

/// Bits of an angle below which there is nothing.
const SHIFT: u32 = 16;
/// Bits of an angle that are its bucket.
const BUCKET_BITS: u32 = 7;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// Angles of a bucket.
const BUCKET_WIDTH: i32 = 1 << (32 - BUCKET_BITS);

/// Hits in order of angle. After the last one, the first ones are repeated.
#[derive(Clone, Debug)]
pub struct Layer {
    len: usize,
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    phi: Vec<i32>,
    /// Indices among all hits of the pair of modules.
    indices: Vec<u32>,
    /// Slot of the first of all hits.
    first_slot: u32,
    /// Of a layer with all hits: x, y, z in mm, and 1 for hits of modules with odd numbers, else 0.
    points: Vec<[f32; 4]>,
    parities: Vec<f32>,
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
            indices: Vec::new(),
            first_slot: 0,
            points: Vec::new(),
            parities: Vec::new(),
            first: [0; BUCKETS],
        }
    }
}

/// Half width of a window.
#[inline]
fn tolerance(cuts: impl Cuts) -> i32 {
    i32::from(cuts.values().phi_tolerance) << SHIFT
}

#[inline]
fn bucket(phi: i32) -> usize {
    (phi as u32 ^ 1 << 31) as usize >> (32 - BUCKET_BITS)
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
            let hits = Integers::load(chunk(&self.phi, index));
            let smaller = hits.is_below(Integers::splat(phi)).bits().trailing_ones() as usize;
            index += smaller;
            if smaller < LANES {
                break;
            }
        }
        index.min(self.len)
    }

    /// Slot of the first of all hits of the pair of modules.
    #[inline]
    pub fn first_slot(&self) -> u32 {
        self.first_slot
    }

    /// Marks of the hits of a layer with all hits, among those of all slots.
    #[inline]
    pub fn marks<'a>(&self, is_marked: &'a [bool]) -> &'a [bool] {
        &is_marked[self.first_slot as usize..][..self.len]
    }

    fn reserve(&mut self, hits: usize) {
        let capacity = hits + LANES;
        grow(&mut self.x, capacity);
        grow(&mut self.y, capacity);
        grow(&mut self.z, capacity);
        grow(&mut self.phi, capacity);
        grow(&mut self.indices, capacity);
    }

    /// Takes all hits in some slots.
    pub fn fill(&mut self, hits: &EventHits<'_>, slots: Range<usize>) {
        let len = slots.len();
        self.reserve(len);
        let [x, y, z] = [hits.x, hits.y, hits.z].map(|all| &all[slots.clone()]);
        self.x[..len].copy_from_slice(x);
        self.y[..len].copy_from_slice(y);
        self.z[..len].copy_from_slice(z);
        let phi = &hits.phi[slots.clone()];
        let to_phi = self.phi[..len].iter_mut();
        to_phi.zip(phi).for_each(|(to, from)| *to = i32::from(*from) << SHIFT);
        self.indices[..len].iter_mut().zip(0..).for_each(|(to, index)| *to = index);
        self.first_slot = slots.start as u32;
        self.repeat(len);
        self.fill_points(&hits.ids[slots]);
        self.fill_buckets();
    }

    /// Fills the points from the coordinates.
    fn fill_points(&mut self, ids: &[u32]) {
        // There is a first one, which is near nothing, in layers without hits too.
        let end = ids.len().max(1).next_multiple_of(LANES);
        self.parities.clear();
        self.parities.extend(ids.iter().map(|id| (module_of(*id) % 2) as f32));
        self.parities.resize(end, 0.0);
        grow(&mut self.points, end);
        for index in (0..end).step_by(LANES) {
            let of = |list: &[f32]| Numbers::load(chunk(list, index));
            let components = [of(&self.x), of(&self.y), of(&self.z), of(&self.parities)];
            *chunk_mut(&mut self.points, index) = Numbers::points(components);
        }
    }

    /// Takes the unused hits of another layer.
    pub fn fill_from(&mut self, all: &Layer, unused: &Unused) {
        let indices = unused.indices();
        let len = indices.len();
        self.reserve(len);
        self.indices[..len].copy_from_slice(indices);
        self.first_slot = all.first_slot;
        let xyz = self.x[..len].iter_mut().zip(&mut self.y[..len]).zip(&mut self.z[..len]);
        for ((((x, y), z), phi), &index) in xyz.zip(&mut self.phi[..len]).zip(indices) {
            [*x, *y, *z, _] = all.points[index as usize];
            *phi = all.phi[index as usize];
        }
        self.repeat(len);
        let first = self.first.iter_mut().zip(&all.first);
        first.for_each(|(to, from)| *to = unused.rank(*from as usize));
    }

    /// Repeats the first hits after the last one.
    fn repeat(&mut self, len: usize) {
        self.len = len;
        if len == 0 {
            // Nothing is near a hit without position.
            self.x[..LANES].fill(f32::NAN);
            return;
        }
        for to in len..len + LANES {
            self.x[to] = self.x[to - len];
            self.y[to] = self.y[to - len];
            self.z[to] = self.z[to - len];
            self.phi[to] = self.phi[to - len];
            self.indices[to] = self.indices[to - len];
        }
    }

    /// Finds the buckets.
    fn fill_buckets(&mut self) {
        let len = self.len;
        self.first = [len as u32; BUCKETS];
        for (index, &phi) in self.phi[..len].iter().enumerate().rev() {
            self.first[bucket(phi)] = index as u32;
        }
        // Buckets without hits begin where the next one does. Four parts side by side, so that each step
        // need not wait for the one before.
        const PART: usize = BUCKETS / 4;
        for step in (0..PART - 1).rev() {
            for part in 0..4 {
                let at = part * PART + step;
                self.first[at] = self.first[at].min(self.first[at + 1]);
            }
        }
        for part in (0..3).rev() {
            let next = self.first[(part + 1) * PART];
            { self.first[part * PART..][..PART].iter_mut() }
                .for_each(|first| *first = next.min(*first));
        }
    }
}

/// The hit nearest to a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Square of its distance in mm².
    pub scatter: f32,
    /// Index among all hits of the pair of modules.
    pub index: u32,
}

/// Eight hits of the window around a line.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Squares of their distances from the line in mm².
    pub scatters: Numbers,
    /// Those within the tolerance of the angle.
    pub is_inside: Lanes,
    /// Negative in lanes of opposite angles, which count as inside where the experiment meets them.
    pub opposite: Integers,
    /// True if there may be hits within the tolerance after them.
    pub continues: bool,
}

/// The elements from an index on.
///
/// # Safety
/// There are at least [`LANES`].
#[inline]
unsafe fn chunk_unchecked<T>(list: &[T], index: usize) -> &[T; LANES] {
    debug_assert!(index + LANES <= list.len());
    // SAFETY: as above.
    unsafe { &*list.as_ptr().add(index).cast() }
}

impl Layer {
    /// Index of the first hit of the window around a line.
    #[inline]
    pub fn first_of_window(&self, cuts: impl Cuts, expected: i32) -> u32 {
        self.first[bucket(expected.wrapping_sub(tolerance(cuts)))]
    }

    /// The hits from an index on, before or in the window around a line that is in all lanes; the layer is
    /// not empty.
    #[inline]
    pub fn window(&self, cuts: impl Cuts, line: &Lines, index: u32) -> Window {
        let index = index as usize;
        assert!(index <= self.len);
        // SAFETY: the first eight hits are repeated after the last one in each list.
        let (phi, [x, y, z]) = unsafe {
            (
                chunk_unchecked(&self.phi, index),
                [&self.x, &self.y, &self.z].map(|list| chunk_unchecked(list, index)),
            )
        };
        let differences = Integers::load(phi).minus(line.phi);
        let distances = differences.abs();
        let d = Numbers::load(z).minus(line.from.z);
        let on_line = |from: Numbers, slope: Numbers| from.plus(slope.times(d));
        let dx = on_line(line.from.x, line.tx).minus(Numbers::load(x));
        let dy = on_line(line.from.y, line.ty).minus(Numbers::load(y));
        let last = phi[LANES - 1].wrapping_sub(line.phi.first());
        let tolerance = tolerance(cuts);
        let is_last_near = (-tolerance - BUCKET_WIDTH..=tolerance).contains(&last);
        Window {
            scatters: dx.times(dx).plus(dy.times(dy)),
            is_inside: distances.is_below(Integers::splat(tolerance + 1)),
            opposite: distances,
            continues: is_last_near & (self.len > LANES),
        }
    }

    /// Index among all hits of the pair of modules of a hit in a window that begins at an index.
    #[inline]
    pub fn index_among_all(&self, index: u32, lane: usize) -> u32 {
        self.indices[index as usize + lane]
    }

    /// Nearest hit to a line in all lanes, whose window is longer than one look; `by_rule` finds it where
    /// an opposite angle may count as inside.
    #[cold]
    pub fn nearest(
        &self,
        cuts: impl Cuts,
        line: &Lines,
        max_scatter: f32,
        by_rule: impl FnOnce() -> Option<Nearest>,
    ) -> Option<Nearest> {
        let mut found = None;
        let mut best = max_scatter;
        let mut index = self.first_of_window(cuts, line.phi.first());
        for _ in 0..self.len.div_ceil(LANES) {
            let Window { scatters, is_inside, opposite, continues } =
                self.window(cuts, line, index);
            if opposite.signs() != 0 {
                return by_rule();
            }
            let scatters = is_inside.select(scatters, Numbers::splat(f32::INFINITY)).array();
            for (lane, scatter) in scatters.into_iter().enumerate() {
                if scatter < best {
                    best = scatter;
                    found = Some(Nearest { scatter, index: self.index_among_all(index, lane) });
                }
            }
            if !continues {
                break;
            }
            index += LANES as u32;
            if index as usize >= self.len {
                index -= self.len as u32;
            }
        }
        found
    }

    /// Nearest hit by the rule of the experiment, hit by hit, without those whose slots are marked.
    pub fn nearest_by_rule(
        &self,
        cuts: impl Cuts,
        line: &Lines,
        max_scatter: f32,
        is_marked: Option<&[bool]>,
    ) -> Option<Nearest> {
        let cuts = cuts.values();
        let expected = line.phi.first();
        let line = line.line(0);
        let expected = (expected >> SHIFT) as i16;
        let lower = i32::from(cuts.first_phi(expected)) << SHIFT;
        let first = self.phi().partition_point(|phi| *phi < lower);
        let mut found = None;
        let mut best = max_scatter;
        for step in 0..self.len {
            let index = (first + step) % self.len;
            if !cuts.is_near((self.phi[index] >> SHIFT) as i16, expected) {
                break;
            }
            let among_all = self.indices[index];
            if is_marked.is_some_and(|is_marked| is_marked[(self.first_slot + among_all) as usize])
            {
                continue;
            }
            let scatter = line.scatter([self.x[index], self.y[index], self.z[index]]);
            if scatter < best {
                best = scatter;
                found = Some(Nearest { scatter, index: among_all });
            }
        }
        found
    }
}
