//! A time frame in fragments: what is worked on together.
//!
//! What a cluster depends on is at most eight time bins away. So fragments overlap by twice as
//! many, and each finds the clusters that are its own.

use std::ops::Range;

use generators::tpc::charges::FRAGMENT_LENGTHS;

/// Time bins on either side of a fragment that are its neighbours' own.
pub(crate) const OVERLAP: u32 = 8;
/// The shortest fragment that has time bins of its own.
pub(crate) const MIN_FRAGMENT: u32 = *FRAGMENT_LENGTHS.start();

/// Some time bins of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fragment {
    /// All that it sees.
    pub(crate) time_bins: Range<u32>,
    /// Those whose clusters it finds.
    pub(crate) own: Range<u32>,
}

/// The fragments of a frame of so many time bins, each of `length` of them but for the last.
pub(crate) fn of_frame(frame: u32, length: u32) -> impl Iterator<Item = Fragment> {
    let length = length.max(MIN_FRAGMENT);
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let start_here = start?;
        let goes_on = frame - start_here > length;
        let end = if goes_on { start_here + length } else { frame };
        start = goes_on.then(|| end - 2 * OVERLAP);
        let own_start = if start_here == 0 { 0 } else { start_here + OVERLAP };
        let own_end = if goes_on { end - OVERLAP } else { end };
        Some(Fragment { time_bins: start_here..end, own: own_start..own_end })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_bin_is_the_own_of_one_fragment() {
        for length in [MIN_FRAGMENT, 30, 100, 4000] {
            for frame in [1, 16, 17, 29, 30, 31, 99, 101, 184, 185, 5000] {
                let mut free = 0;
                for fragment in of_frame(frame, length) {
                    let (all, own) = (fragment.time_bins, fragment.own);
                    assert_eq!(own.start, free, "{frame} by {length}");
                    assert!(all.len() as u32 <= length && !own.is_empty());
                    assert!(all.start + OVERLAP <= own.start || all.start == 0);
                    assert!(own.end + OVERLAP <= all.end || all.end == frame);
                    free = own.end;
                }
                assert_eq!(free, frame);
            }
        }
    }
}
