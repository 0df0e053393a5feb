//! Timeslices that go through a chain together.

use generators_sts::setup::Setup;

use crate::sts::Timeslice;
use tasks::algorithm::Semantics;

/// One or several timeslices of a detector, which a chain processes as one of a detector with the
/// modules of all of them: those of the first timeslice, then those of the second. Fronts of all
/// precede backs.
#[derive(Clone, Copy)]
pub(in crate::sts) struct Batch<'a> {
    timeslices: &'a [Timeslice],
}

impl<'a> Batch<'a> {
    /// A batch of at least one timeslice; all have the same setup.
    pub(in crate::sts) fn new(timeslices: &'a [Timeslice]) -> Self {
        assert!(!timeslices.is_empty(), "a timeslice or more");
        Batch { timeslices }
    }

    /// A batch of a single timeslice.
    pub(in crate::sts) fn single(timeslice: &'a Timeslice) -> Self {
        Batch { timeslices: std::slice::from_ref(timeslice) }
    }

    /// Timeslices in batches of at most `max_digis` digis, or of a single timeslice.
    pub(in crate::sts) fn divided(timeslices: &'a [Timeslice], max_digis: usize) -> Vec<Self> {
        let digis = |timeslice: &Timeslice| timeslice.stream().len();
        let mut together = timeslices.first().map_or(0, digis);
        let fits = |_: &Timeslice, next: &Timeslice| {
            together += digis(next);
            let fits = together <= max_digis;
            if !fits {
                together = digis(next);
            }
            fits
        };
        timeslices.chunk_by(fits).map(Batch::new).collect()
    }

    pub(super) fn timeslices(self) -> &'a [Timeslice] {
        self.timeslices
    }

    /// Number of timeslices.
    pub(in crate::sts) fn count(self) -> usize {
        self.timeslices.len()
    }

    /// The only timeslice of a batch that has one.
    pub(super) fn only(self) -> &'a Timeslice {
        assert_eq!(self.count(), 1, "batches are for chains by tiles");
        &self.timeslices[0]
    }

    /// The digis of each.
    pub(super) fn lengths(self) -> impl Iterator<Item = usize> {
        self.timeslices.iter().map(|timeslice| timeslice.stream().len())
    }

    pub(super) fn digis(self) -> usize {
        self.lengths().sum()
    }

    /// Modules of all timeslices together.
    pub(super) fn modules(self) -> usize {
        self.count() * self.timeslices[0].modules()
    }

    /// Sides of all timeslices together.
    pub(super) fn sides(self) -> usize {
        2 * self.modules()
    }

    pub(super) fn setup(self) -> &'a Setup {
        self.timeslices[0].setup()
    }

    /// The right answer for variants that support two.
    pub(super) fn online(self) -> Semantics {
        self.timeslices[0].online()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use generators_common::partition::Partition;
    use generators_sts::{Digi, SegmentedDigis};

    use super::*;

    /// A timeslice of a single module with `digis` digis.
    fn timeslice(digis: usize) -> Timeslice {
        let setup = Arc::new(Setup::regular(1).expect("sensible"));
        let digis =
            SegmentedDigis::new(vec![Digi::default(); digis], Partition::from_lengths([digis, 0]));
        Timeslice::new(digis, setup, Semantics::default())
    }

    #[test]
    fn batches_are_as_large_as_they_may_be() {
        let timeslices = [3, 3, 4, 9, 12, 1, 2].map(timeslice);
        let counts = |max| {
            let batches = Batch::divided(&timeslices, max).into_iter();
            batches.map(Batch::count).collect::<Vec<_>>()
        };
        assert_eq!(counts(10), [3, 1, 1, 2]);
        assert_eq!(counts(100), [7]);
        assert_eq!(counts(0), [1; 7]);
        assert!(Batch::divided(&[], 10).is_empty());
    }
}
