//! Hits on their way to the list of a worker.
//!
//! They are put side by side in the first-level cache, and leave it many at a time. Where a list is
//! long, the next stage finds it in no cache that is near. So it is written past the caches, in
//! whole lines: nothing is read to be overwritten, and nothing else driven out.

use crate::device::{Stores, streaming};
use crate::sts::Hit;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Where hits begin at a multiple of 16 bytes, so many end where a line does.
const PERIOD: usize = 4;
/// Hits that may be added before some leave.
pub(super) const BLOCK: usize = 64;
/// As many as a second-level cache holds: longer lists are written past the caches.
const FEW: usize = 1 << 15;

/// The list that hits go to.
pub(super) struct Kept<'a> {
    hits: &'a mut Vec<Hit>,
    /// What writes past the caches, if that is done.
    stores: Option<&'a Stores>,
}

impl Kept<'_> {
    /// Does some work that appends to a list of hits.
    pub(super) fn with(hits: &mut Vec<Hit>, work: impl FnOnce(Kept<'_>)) {
        if hits.len() < FEW {
            work(Kept { hits, stores: None });
        } else {
            streaming(|stores| work(Kept { hits, stores: Some(stores) }));
        }
    }

    /// How many hits there may be before one begins where a cache line does, if any will.
    fn before_line(&self) -> Option<usize> {
        let end = self.hits.as_ptr_range().end.addr();
        (0..PERIOD).find(|hits| (end + hits * size_of::<Hit>()).is_multiple_of(LINE))
    }
}

/// Hits that wait to leave.
#[repr(align(64))]
pub(super) struct Outgoing {
    waiting: [Hit; BLOCK + PERIOD],
    count: usize,
}

impl Default for Outgoing {
    fn default() -> Self {
        Outgoing { waiting: [Hit::default(); BLOCK + PERIOD], count: 0 }
    }
}

impl Outgoing {
    /// Adds a hit, if it is one: without a branch, as nobody could predict that.
    #[inline(always)]
    pub(super) fn add(&mut self, hit: Hit, is_one: bool) {
        self.waiting[self.count] = hit;
        self.count += usize::from(is_one);
    }

    /// Hits leave, past the caches as many as end where a line does.
    pub(super) fn leave(&mut self, to: &mut Kept<'_>) {
        let Some((stores, before)) = to.stores.zip(to.before_line()) else {
            return self.leave_all(to);
        };
        let (first, rest) = self.waiting[..self.count].split_at(before.min(self.count));
        let lines = &rest[..rest.len() - rest.len() % PERIOD];
        to.hits.extend_from_slice(first);
        stores.append(to.hits, lines);
        let left = first.len() + lines.len();
        self.waiting.copy_within(left..self.count, 0);
        self.count -= left;
    }

    /// All hits leave.
    pub(super) fn leave_all(&mut self, to: &mut Kept<'_>) {
        to.hits.extend_from_slice(&self.waiting[..self.count]);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hit with a number.
    fn hit(number: u32) -> Hit {
        Hit { time: number, address: !number, ..Hit::default() }
    }

    #[test]
    fn hits_are_kept_in_their_order() {
        let mut outgoing = Outgoing::default();
        let mut expected: Vec<_> = (0..FEW as u32 - 100).map(hit).collect();
        let (mut kept, mut number) = (expected.clone(), 0);
        // From lists that are short to such as are written past the caches, block by block.
        for blocks in 0..20 {
            Kept::with(&mut kept, |mut to| {
                for place in 0..blocks * BLOCK {
                    let is_one = number % 3 > 0;
                    outgoing.add(hit(number), is_one);
                    expected.extend(is_one.then_some(hit(number)));
                    number += 1;
                    if (place + 1) % BLOCK == 0 {
                        outgoing.leave(&mut to);
                    }
                }
                outgoing.leave_all(&mut to);
            });
            assert_eq!(kept, expected);
        }
        assert!(expected.len() > FEW + BLOCK);
    }
}
