//! Buffered output of hits to the list of a worker.
//!
//! Hits are collected in a buffer in the first-level cache, and flushed in blocks. A long list does
//! not stay in a near cache until the next stage reads it. So it is written with streaming stores,
//! in whole cache lines: no line is read to be overwritten, and no other data are evicted.

use crate::sts::Hit;
use tasks::device::{Stores, streaming};

/// Bytes of a cache line.
const LINE: usize = 64;
/// Hits per period of cache lines: of hits aligned to 16 bytes, one in this many ends where a line
/// does.
const PERIOD: usize = 4;
/// Maximum number of hits added between flushes.
pub(super) const BLOCK: usize = 64;
/// Hits that a second-level cache holds: longer lists are written past the caches.
const CACHED_HITS: usize = 1 << 15;

/// The list that hits go to.
pub(super) struct HitSink<'a> {
    hits: &'a mut Vec<Hit>,
    /// Streaming stores, used for long lists.
    stores: Option<&'a Stores>,
}

impl HitSink<'_> {
    /// Does some work that appends to a list of hits.
    pub(super) fn with(hits: &mut Vec<Hit>, work: impl FnOnce(HitSink<'_>)) {
        if hits.len() < CACHED_HITS {
            work(HitSink { hits, stores: None });
        } else {
            streaming(|stores| work(HitSink { hits, stores: Some(stores) }));
        }
    }

    /// Number of hits until one starts at the beginning of a cache line, if any will.
    fn before_line(&self) -> Option<usize> {
        let end = self.hits.as_ptr_range().end.addr();
        (0..PERIOD).find(|hits| (end + hits * size_of::<Hit>()).is_multiple_of(LINE))
    }
}

/// Hits waiting to be flushed.
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
    /// Adds a hit if `is_one`; branch-free because the branch would be unpredictable.
    #[inline(always)]
    pub(super) fn add(&mut self, hit: Hit, is_one: bool) {
        self.waiting[self.count] = hit;
        self.count += usize::from(is_one);
    }

    /// Flushes hits; if past the caches, only up to the end of a cache line.
    pub(super) fn flush_lines(&mut self, to: &mut HitSink<'_>) {
        let Some((stores, before)) = to.stores.zip(to.before_line()) else {
            return self.flush(to);
        };
        let (first, rest) = self.waiting[..self.count].split_at(before.min(self.count));
        let lines = &rest[..rest.len() - rest.len() % PERIOD];
        to.hits.extend_from_slice(first);
        stores.append(to.hits, lines);
        let flushed = first.len() + lines.len();
        self.waiting.copy_within(flushed..self.count, 0);
        self.count -= flushed;
    }

    /// Flushes all hits.
    pub(super) fn flush(&mut self, to: &mut HitSink<'_>) {
        to.hits.extend_from_slice(&self.waiting[..self.count]);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hit with a number.
    fn hit(value: u32) -> Hit {
        Hit { time: value, address: !value, ..Hit::default() }
    }

    #[test]
    fn hits_keep_their_order() {
        let mut outgoing = Outgoing::default();
        let mut expected: Vec<_> = (0..CACHED_HITS as u32 - 100).map(hit).collect();
        let mut kept = expected.clone();
        let mut value = 0;
        // From short lists to lists that are written past the caches, block by block.
        for blocks in 0..20 {
            HitSink::with(&mut kept, |mut to| {
                for index in 0..blocks * BLOCK {
                    let is_one = value % 3 > 0;
                    outgoing.add(hit(value), is_one);
                    expected.extend(is_one.then_some(hit(value)));
                    value += 1;
                    if (index + 1) % BLOCK == 0 {
                        outgoing.flush_lines(&mut to);
                    }
                }
                outgoing.flush(&mut to);
            });
            assert_eq!(kept, expected);
        }
        assert!(expected.len() > CACHED_HITS + BLOCK);
    }
}
