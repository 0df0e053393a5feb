//! Time frames in fragments.
//!
//! A cluster at the end of a fragment must be complete, so fragments overlap: each has 8 time bins
//! on either side that belong to its neighbour.

use std::collections::BTreeSet;
use std::ops::Range;

use generators_common::DataError;
use generators_tpc::charges::FRAGMENT_LENGTHS;

use super::header::OpenPage;

/// Time bins on either side of a fragment that belong to its neighbours.
pub const OVERLAP: u32 = 8;
/// Length of the shortest fragment with time bins that belong to it only.
pub const MIN_FRAGMENT: u32 = 2 * OVERLAP + 1;
const _: () = assert!(MIN_FRAGMENT == *FRAGMENT_LENGTHS.start());

/// Fragments of `length` time bins, the overlaps included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragments {
    length: u32,
}

/// Checks the length of fragments.
pub(crate) fn checked_length(fragment: u32) -> Result<u32, DataError> {
    if FRAGMENT_LENGTHS.contains(&fragment) {
        return Ok(fragment);
    }
    let shortest = FRAGMENT_LENGTHS.start();
    let longest = FRAGMENT_LENGTHS.end();
    Err(DataError::Shape(format!(
        "--fragment {fragment} is out of range; use {shortest} to {longest} time bins"
    )))
}

/// A fragment of a time frame with a known end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentOfFrame {
    /// The time bins whose charges it has.
    pub time_bins: Range<u32>,
    /// Those of them that belong to this fragment only.
    pub own: Range<u32>,
}

impl Fragments {
    /// Fragments of this length, or the shortest possible one if that is more.
    pub fn new(length: u32) -> Self {
        Fragments { length: length.max(MIN_FRAGMENT) }
    }

    /// Time bins from one fragment to the next.
    fn step(self) -> u32 {
        self.length - 2 * OVERLAP
    }

    /// The time bins of a fragment.
    pub fn time_bins(self, index: u32) -> Range<u32> {
        let start = index * self.step();
        start..start + self.length
    }

    /// The time bins that belong to this fragment only, if there is a next one.
    fn own_time_bins(self, index: u32) -> Range<u32> {
        let all = self.time_bins(index);
        let start = if index == 0 { 0 } else { all.start + OVERLAP };
        start..all.end - OVERLAP
    }

    /// The fragments of a time frame, at least one. The last one ends with the frame, and shares no
    /// time bins with a next one.
    pub fn of_frame(self, time_bins: u32) -> impl Iterator<Item = FragmentOfFrame> {
        let last = time_bins.saturating_sub(self.length).div_ceil(self.step());
        (0..=last).map(move |index| {
            let mut all = self.time_bins(index);
            let mut own = self.own_time_bins(index);
            if index == last {
                (all.end, own.end) = (time_bins, time_bins);
            }
            FragmentOfFrame { time_bins: all, own }
        })
    }

    /// The fragments that have any of these time bins.
    pub fn touching(self, time_bins: Range<u32>) -> Range<u32> {
        if time_bins.is_empty() {
            return 0..0;
        }
        let first = (time_bins.start + 1).saturating_sub(self.length).div_ceil(self.step());
        first..(time_bins.end - 1) / self.step() + 1
    }

    /// The fragments that any of these pages touches.
    pub(super) fn touched<'a>(self, pages: impl Iterator<Item = &'a OpenPage>) -> BTreeSet<u32> {
        pages.flat_map(|page| self.touching(time_bins_of(page))).collect()
    }
}

/// The time bins that a page announces.
pub(super) fn time_bins_of(page: &OpenPage) -> Range<u32> {
    page.first_time_bin()..page.last_time_bin() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_time_bins_are_a_partition() {
        for length in [MIN_FRAGMENT, 100, 4000] {
            let fragments = Fragments::new(length);
            let mut free = 0;
            for index in 0..20 {
                let own = fragments.own_time_bins(index);
                assert_eq!(own.start, free, "{length}");
                free = own.end;
                let all = fragments.time_bins(index);
                assert_eq!(all.end, own.end + OVERLAP);
                assert_eq!(all.len() as u32, length);
            }
        }
    }

    #[test]
    fn fragments_of_a_frame_are_cut_where_it_ends() {
        let fragments = Fragments::new(100);
        let of_frame = |time_bins| {
            let ranges = fragments.of_frame(time_bins).map(|part| (part.time_bins, part.own));
            ranges.collect::<Vec<_>>()
        };
        assert_eq!(of_frame(1), [(0..1, 0..1)]);
        assert_eq!(of_frame(100), [(0..100, 0..100)]);
        // The last one has the overlaps and at least one time bin.
        assert_eq!(of_frame(101), [(0..100, 0..92), (84..101, 92..101)]);
        assert_eq!(of_frame(184), [(0..100, 0..92), (84..184, 92..184)]);
        assert_eq!(of_frame(185)[1..], [(84..184, 92..176), (168..185, 176..185)]);
    }

    #[test]
    fn own_time_bins_of_a_frame_are_all_of_it() {
        for length in [MIN_FRAGMENT, 20, 100, 1000] {
            for time_bins in 1..500 {
                let mut free = 0;
                for part in Fragments::new(length).of_frame(time_bins) {
                    assert_eq!(part.own.start, free, "{length} {time_bins}");
                    assert!(!part.own.is_empty() && part.time_bins.end >= part.own.end);
                    free = part.own.end;
                }
                assert_eq!(free, time_bins, "{length}");
            }
        }
    }

    #[test]
    fn touched_fragments_contain_the_time_bins() {
        for length in [MIN_FRAGMENT, 20, 100, 1000] {
            let fragments = Fragments::new(length);
            for start in 0..500 {
                for end in [start + 1, start + 7, start + 300] {
                    let touched = fragments.touching(start..end);
                    for index in 0..600 {
                        let all = fragments.time_bins(index);
                        let overlaps = all.start < end && start < all.end;
                        assert_eq!(touched.contains(&index), overlaps, "{length} {start} {end}");
                    }
                }
            }
        }
        assert!(Fragments::new(100).touching(5..5).is_empty());
    }
}
