//! Pairs of lines of front and back that cross.
//!
//! Two values decide it: the differences in time and at the edge. The result is unpredictable, so
//! there is no branch: crossing pairs are compacted to the end of a list. The number of lines near
//! in time is unpredictable too. So consecutive lines of the front share a range of lines of the
//! back, which has all that may be near to any of them, and process a vector of them at a time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(test)]
mod tests;

pub(super) use scalar::Scalar;

use std::ops::Range;

use super::lines::{Lines, SLACK};
use crate::sts::rules::Rules;

/// Pairs that are listed before something is done with them, or more.
const MAX_PAIRS: usize = 1024;

/// A set of instructions. An implementing type is a witness that the CPU has them; methods are
/// inlined into functions that are compiled for them.
pub(super) trait Isa: Copy {
    /// Lines of the back that are tested at once.
    const BACKS: usize;
    /// Lines of the front that test the same lines of the back.
    const FRONTS: usize;

    /// A bit for each line of the back from `index` on: set if it crosses the line of the front, or
    /// nearly so. Bits of padding lines are 0.
    fn crossing<P: Rules>(self, front: &Front<'_>, backs: &Lines, index: usize) -> u32;

    /// Writes the indices of the set bits, plus `first`, to a list.
    fn put(self, bits: u32, first: u32, list: &mut [u32; SLACK]);
}

/// A line of the front, and its limits.
pub(super) struct Front<'a> {
    time: u32,
    edge: f32,
    /// Largest time difference, by the other line's class.
    cuts: &'a [f32],
    /// Range of differences at the edge, front minus back.
    range: [f32; 2],
}

/// Limits on the differences of lines that cross.
pub(super) struct Limits<'a> {
    /// Cuts by the classes of front and back; a row for each class of the front.
    pub(super) cuts: &'a [f32],
    pub(super) stride: usize,
    /// The largest of them.
    pub(super) max: f32,
    pub(super) range: [f32; 2],
}

/// Lines that cross, or nearly so.
#[derive(Default)]
pub(super) struct Pairs {
    count: usize,
    fronts: Vec<u32>,
    backs: Vec<u32>,
    /// First line of the front that has not been processed.
    next_front: usize,
    next_back: usize,
}

impl Pairs {
    /// Restarts at the first line of the front.
    pub(super) fn begin(&mut self) {
        (self.next_front, self.next_back) = (0, 0);
    }

    /// Indices of the listed lines of both sides.
    #[inline(always)]
    pub(super) fn listed(&self) -> [&[u32]; 2] {
        [&self.fronts[..self.count], &self.backs[..self.count]]
    }

    /// Lists pairs until there are about [`MAX_PAIRS`]; returns true if any are listed.
    #[inline(always)]
    pub(super) fn list<P: Rules, I: Isa>(
        &mut self,
        isa: I,
        lines: [&Lines; 2],
        limits: &Limits<'_>,
    ) -> bool {
        let [fronts, backs] = lines;
        self.count = 0;
        while self.next_front < fronts.count && self.count < MAX_PAIRS {
            let front_range = self.next_front..fronts.count.min(self.next_front + I::FRONTS);
            let first = fronts.times[front_range.start];
            let last = fronts.times[front_range.end - 1];
            let near = self.near::<P, I>(first, last, backs, limits.max);
            self.ensure_capacity(front_range.len() * (near.len() + I::BACKS));
            self.next_front = front_range.end;
            self.append::<P, I>(isa, front_range, near, fronts, backs, limits);
        }
        self.count > 0
    }

    /// Appends the pairs of some lines of the front, all of which test the same lines of the back.
    #[inline(always)]
    fn append<P: Rules, I: Isa>(
        &mut self,
        isa: I,
        front_range: Range<usize>,
        near: Range<usize>,
        fronts: &Lines,
        backs: &Lines,
        limits: &Limits<'_>,
    ) {
        let of_front = &mut self.fronts[..];
        let of_back = &mut self.backs[..];
        let mut count = self.count;
        for line in front_range {
            let of_class = fronts.classes[line] as usize * limits.stride;
            let front = Front {
                time: fronts.times[line],
                edge: fronts.edges[line],
                cuts: &limits.cuts[of_class..][..limits.stride],
                range: limits.range,
            };
            let mut index = near.start;
            while index < near.end {
                let bits = isa.crossing::<P>(&front, backs, index);
                *slots(of_front, count) = [line as u32; SLACK];
                isa.put(bits, index as u32, slots(of_back, count));
                count += bits.count_ones() as usize;
                index += I::BACKS;
            }
        }
        self.count = count;
    }

    /// Lines of the back that may be near in time to lines of the front with times from `first` to
    /// `last`.
    #[inline(always)]
    fn near<P: Rules, I: Isa>(
        &mut self,
        first: u32,
        last: u32,
        backs: &Lines,
        max: f32,
    ) -> Range<usize> {
        let times = &backs.times[..backs.count];
        let late = |&back: &u32| P::delay(first, back) > max;
        while times.get(self.next_back + I::BACKS - 1).is_some_and(late) {
            self.next_back += I::BACKS;
        }
        let mut end = self.next_back;
        while times.get(end).is_some_and(|&back| -P::delay(last, back) <= max) {
            end += I::BACKS;
        }
        self.next_back..end
    }

    /// Extends the lists to hold `pairs` more pairs.
    #[inline(always)]
    fn ensure_capacity(&mut self, pairs: usize) {
        let capacity = self.count + pairs + SLACK;
        if self.fronts.len() < capacity {
            self.fronts.resize(capacity, 0);
            self.backs.resize(capacity, 0);
        }
    }
}

#[inline(always)]
fn slots(list: &mut [u32], begin: usize) -> &mut [u32; SLACK] {
    match list[begin..].first_chunk_mut() {
        Some(slots) => slots,
        None => unreachable!("the lists have capacity for all pairs, and slack"),
    }
}

/// `N` values of a column from an index on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn lanes<T, const N: usize>(column: &[T], index: usize) -> &[T; N] {
    match column[index..].first_chunk() {
        Some(lanes) => lanes,
        None => unreachable!("columns have slack after the last line"),
    }
}
