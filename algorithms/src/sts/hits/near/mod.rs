//! Which lines of front and back cross.
//!
//! Two numbers decide it: how far apart in time lines are, and how far apart at the edge. Nobody
//! could predict the answer, so there is no branch: those that cross are put side by side to the
//! end of a list. Nor can be predicted how many are near in time. So lines of the front that follow
//! each other look at the same ones of the back, all that may be near to any of them, as many at
//! once as a vector has lanes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(test)]
mod tests;

pub(super) use scalar::Scalar;

use std::ops::Range;

use super::lines::Lines;
use crate::sts::rules::Rules;

/// Lines behind the last one that may be read, and places of lists that may be written.
pub(super) const SLACK: usize = 16;
/// Different errors of times whose cuts vectors can look up.
pub(super) const MOST_CLASSES: usize = 16;
/// Pairs that are listed before something is done with them, or more.
const MOST_PAIRS: usize = 1024;

/// A set of instructions. An implementing type is a witness that the CPU has them; methods are
/// inlined into functions that are compiled for them.
pub(super) trait Isa: Copy {
    /// Lines of the back that are looked at at once.
    const BACKS: usize;
    /// Lines of the front that look at the same ones.
    const FRONTS: usize;

    /// A bit for each of the back's lines from an index on: whether it crosses one of the front, or
    /// nearly so. What is behind the last one does not.
    fn crossing<P: Rules>(self, front: &Front<'_>, backs: &Lines, index: usize) -> u32;

    /// Puts the numbers of the bits that are set, counted from `first`, to a list.
    fn put(self, bits: u32, first: u32, list: &mut [u32; SLACK]);
}

/// A line of the front, and what it is asked for.
pub(super) struct Front<'a> {
    time: u32,
    edge: f32,
    /// How far apart in time another one may be, by its class.
    cuts: &'a [f32],
    /// How far apart at the edge, front minus back.
    range: [f32; 2],
}

/// What decides whether lines cross.
pub(super) struct Limits<'a> {
    /// By the classes of front and back; so many for each of the front.
    pub(super) cuts: &'a [f32],
    pub(super) stride: usize,
    /// The largest of them.
    pub(super) most: f32,
    pub(super) range: [f32; 2],
}

/// Lines that cross, or nearly so.
#[derive(Default)]
pub(super) struct Pairs {
    count: usize,
    fronts: Vec<u32>,
    backs: Vec<u32>,
    /// Where the next ones are looked for.
    next_front: usize,
    next_back: usize,
}

impl Pairs {
    /// Begins with the first line of the front.
    pub(super) fn begin(&mut self) {
        (self.next_front, self.next_back) = (0, 0);
    }

    /// The numbers of the lines.
    #[inline(always)]
    pub(super) fn listed(&self) -> [&[u32]; 2] {
        [&self.fronts[..self.count], &self.backs[..self.count]]
    }

    /// Lists pairs until they are many; says whether there are any.
    #[inline(always)]
    pub(super) fn list<P: Rules, I: Isa>(
        &mut self,
        isa: I,
        lines: [&Lines; 2],
        limits: &Limits<'_>,
    ) -> bool {
        let [fronts, backs] = lines;
        self.count = 0;
        while self.next_front < fronts.count && self.count < MOST_PAIRS {
            let numbers = self.next_front..fronts.count.min(self.next_front + I::FRONTS);
            let times = [fronts.times[numbers.start], fronts.times[numbers.end - 1]];
            let near = self.near::<P, I>(times, backs, limits.most);
            self.make_room(numbers.len() * (near.len() + I::BACKS));
            self.next_front = numbers.end;
            self.append::<P, I>(isa, numbers, near, lines, limits);
        }
        self.count > 0
    }

    /// Appends the pairs of some lines of the front, all of which look at the same of the back.
    #[inline(always)]
    fn append<P: Rules, I: Isa>(
        &mut self,
        isa: I,
        numbers: Range<usize>,
        near: Range<usize>,
        [fronts, backs]: [&Lines; 2],
        limits: &Limits<'_>,
    ) {
        let (of_front, of_back) = (&mut self.fronts[..], &mut self.backs[..]);
        let mut count = self.count;
        for number in numbers {
            let of_class = fronts.classes[number] as usize * limits.stride;
            let front = Front {
                time: fronts.times[number],
                edge: fronts.edges[number],
                cuts: &limits.cuts[of_class..][..limits.stride],
                range: limits.range,
            };
            let mut index = near.start;
            while index < near.end {
                let bits = isa.crossing::<P>(&front, backs, index);
                *places(of_front, count) = [number as u32; SLACK];
                isa.put(bits, index as u32, places(of_back, count));
                count += bits.count_ones() as usize;
                index += I::BACKS;
            }
        }
        self.count = count;
    }

    /// Lines of the back that may be near in time to lines of the front, the first and the last of
    /// which are then.
    #[inline(always)]
    fn near<P: Rules, I: Isa>(
        &mut self,
        [first, last]: [u32; 2],
        backs: &Lines,
        most: f32,
    ) -> Range<usize> {
        let times = &backs.times[..backs.count];
        let late = |&back: &u32| P::delay(first, back) > most;
        while times.get(self.next_back + I::BACKS - 1).is_some_and(late) {
            self.next_back += I::BACKS;
        }
        let mut end = self.next_back;
        while times.get(end).is_some_and(|&back| -P::delay(last, back) <= most) {
            end += I::BACKS;
        }
        self.next_back..end
    }

    /// Makes room for so many pairs more.
    #[inline(always)]
    fn make_room(&mut self, pairs: usize) {
        let room = self.count + pairs + SLACK;
        if self.fronts.len() < room {
            self.fronts.resize(room, 0);
            self.backs.resize(room, 0);
        }
    }
}

#[inline(always)]
fn places(list: &mut [u32], begin: usize) -> &mut [u32; SLACK] {
    match list[begin..].first_chunk_mut() {
        Some(places) => places,
        None => unreachable!("there is room for all, and more"),
    }
}

/// Numbers of a column from an index on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn lanes<T, const N: usize>(column: &[T], index: usize) -> &[T; N] {
    match column[index..].first_chunk() {
        Some(lanes) => lanes,
        None => unreachable!("there are more numbers behind the last one"),
    }
}
