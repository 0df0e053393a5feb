//! Count, then scatter, by a table of all addresses.

use generators::sts::{Address, Digi};

use super::{ADDRESSES, is_back, on_side};
use crate::parallel::{for_each, map};
use crate::shared::SharedSlice;

/// Digis that a thread takes at a time, at least.
const MIN_PART: usize = 1 << 16;

/// Table from addresses to modules.
pub(in crate::sts) struct LookupTable {
    modules: Vec<u32>,
    count: usize,
}

/// Output of the destination of each digi of the stream, if wanted.
pub(in crate::sts) enum Permutation<'a> {
    Unwanted,
    Kept(&'a mut [u32]),
}

impl LookupTable {
    /// The table of a detector with `modules` modules.
    pub(in crate::sts) fn new(modules: usize) -> Self {
        let mut table = vec![u32::MAX; ADDRESSES];
        for module in 0..modules {
            table[Address::of_module(module).packed() as usize] = module as u32;
        }
        LookupTable { modules: table, count: modules }
    }

    /// The module of each address in the order of [`Address::module`], up to the last one with a
    /// module: modules of a detector are near each other in this order, unlike in that of the bits.
    pub(in crate::sts) fn by_position(&self) -> Vec<u32> {
        let module_at = |position| self.modules[Address::of_module(position).packed() as usize];
        let mut modules: Vec<_> = (0..ADDRESSES).map(module_at).collect();
        let known = modules.iter().rposition(|&module| module != u32::MAX);
        modules.truncate(known.map_or(0, |last| last + 1));
        modules
    }

    /// Scatters the stream over module sides, each in the order of the stream. Returns
    /// the digis of each side. All digis must be of modules of the detector.
    pub(in crate::sts) fn scatter(
        &self,
        stream: &[Digi],
        target: &mut [Digi],
        threads: usize,
        permutation: Permutation<'_>,
    ) -> Vec<usize> {
        assert_eq!(stream.len(), target.len());
        let part = stream.len().div_ceil(threads).max(MIN_PART);
        let counts = map(stream.chunks(part), |part| self.count(part));
        let offsets = offsets(&counts);
        let target = SharedSlice::new(target);
        match permutation {
            Permutation::Unwanted => {
                for_each(stream.chunks(part).zip(offsets), |(digis, mut offsets)| {
                    self.move_part(digis, &mut offsets, &target, |_, _| ());
                });
            }
            Permutation::Kept(order) => {
                let parts = stream.chunks(part).zip(order.chunks_mut(part)).zip(offsets);
                for_each(parts, |((digis, order), mut offsets)| {
                    self.move_part(digis, &mut offsets, &target, |from, to| order[from] = to);
                });
            }
        }
        self.totals(&counts)
    }

    /// The digis of each side in all parts.
    pub(super) fn totals(&self, counts: &[Vec<u32>]) -> Vec<usize> {
        let sides = 0..self.sides();
        sides.map(|side| counts.iter().map(|counts| counts[side] as usize).sum()).collect()
    }

    fn count(&self, digis: &[Digi]) -> Vec<u32> {
        let mut counts = vec![0; self.sides()];
        self.add(digis, &mut counts);
        counts
    }

    /// Adds the digis of each side.
    pub(super) fn add(&self, digis: &[Digi], counts: &mut [u32]) {
        for &digi in digis {
            counts[self.side(digi)] += 1;
        }
    }

    /// Module sides.
    pub(super) fn sides(&self) -> usize {
        2 * self.count
    }

    /// Moves digis to the next offsets of their sides. No other thread may write there.
    pub(super) fn move_part(
        &self,
        digis: &[Digi],
        offsets: &mut [u32],
        target: &SharedSlice<'_, Digi>,
        mut report: impl FnMut(usize, u32),
    ) {
        for (from, &digi) in digis.iter().enumerate() {
            let offset = &mut offsets[self.side(digi)];
            // SAFETY: the ranges of all parts and sides are consecutive, each as long as the digis
            // that were counted for it; so they are disjoint and within `target`.
            unsafe { target.write(*offset as usize, on_side(digi)) };
            report(from, *offset);
            *offset += 1;
        }
    }

    /// The side that a digi is of, if the detector has its module.
    pub(in crate::sts) fn known_side(&self, digi: Digi) -> Option<usize> {
        let is_known = self.modules[digi.address().packed() as usize] != u32::MAX;
        is_known.then(|| self.side(digi))
    }

    #[inline]
    fn side(&self, digi: Digi) -> usize {
        let module = self.modules[digi.address().packed() as usize] as usize;
        module + if is_back(digi) { self.count } else { 0 }
    }
}

/// First offset of each part in each side: sides in order, and within a side the parts.
pub(super) fn offsets(counts: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut offsets = counts.to_vec();
    let mut sum = 0;
    for side in 0..counts.first().map_or(0, Vec::len) {
        for offsets in &mut offsets {
            sum += std::mem::replace(&mut offsets[side], sum);
        }
    }
    offsets
}
