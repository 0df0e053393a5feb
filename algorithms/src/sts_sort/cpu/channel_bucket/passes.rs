//! Scatters back and forth between two arrays.

use generators::sts::Digi;

use super::super::{ResultIn, scatter};

/// The array that has the digis, and the one that they go to next.
pub(super) struct Passes<'a> {
    source: &'a mut [Digi],
    target: &'a mut [Digi],
    source_is: ResultIn,
}

impl<'a> Passes<'a> {
    pub(super) fn new(digis: &'a mut [Digi], scratch: &'a mut [Digi]) -> Self {
        Passes {
            source: digis,
            target: scratch,
            source_is: ResultIn::Digis,
        }
    }

    /// A pass with the digis counted already.
    pub(super) fn scatter(&mut self, counts: &mut [u32], bucket: impl Fn(Digi) -> usize) {
        scatter::begin(counts);
        scatter::scatter(self.source, self.target, counts, bucket);
        self.turn();
    }

    /// A pass in parts of this length that run in parallel.
    pub(super) fn scatter_in_parts(
        &mut self,
        part: usize,
        buckets: usize,
        bucket: impl Fn(Digi) -> usize + Sync,
    ) {
        let counts = scatter::count_parts(self.source, part, buckets, &bucket);
        scatter::scatter_parts(self.source, self.target, part, &counts, bucket);
        self.turn();
    }

    /// The array that the last pass went to.
    pub(super) fn end(self) -> (&'a mut [Digi], ResultIn) {
        (self.source, self.source_is)
    }

    fn turn(&mut self) {
        std::mem::swap(&mut self.source, &mut self.target);
        self.source_is = self.source_is.other();
    }
}
