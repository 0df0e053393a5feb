//! Work for all threads of the current pool.
//!
//! Inside a pool of rayon's the current pool is that one, outside of all pools it
//! is rayon's global one, with a thread for each core that the process may use: untimed work, such as
//! comparing and copying, takes all cores. Results do not depend on the number of threads: the first
//! error is the one that a single thread would have found.
//!
//! rayon compiles its loops for each iterator type, which is thousands of lines each time. Here the
//! loop over a pool is compiled once (`run`): it splits indices into ranges, and makes a dynamic call
//! for each *range*, not for each element. The code in front of it is thin, and the loop within a
//! range is inlined as usual.
//!
//! | module | holds |
//! |---|---|
//! | `slices` | slices that are written in parts, lists that are filled, compared and copied |
//! | `items` | owned items, such as chunks of slices |
//! | [`shared`] | arrays that several threads write at once |
//! | [`prefetch`] | prefetch instructions |
//! | [`testing`] | pools of several sizes, for tests |

mod items;
pub mod prefetch;
pub mod shared;
mod slices;
pub mod testing;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

pub use items::{
    for_each, for_each_dynamic, for_each_numbered, for_each_with_tools, map, map_dynamic,
};
pub use slices::{
    collect, copy, extend, fill, first_difference, first_error, first_where, for_each_part,
    par_concat, par_convert, par_copy_to_slices, par_default, par_map, sorted, split_mut,
};

/// Number of elements in tests of parallel work: fewer under Miri.
#[cfg(test)]
const MANY: usize = if cfg!(miri) { 60 } else { 1000 };

/// Granularity of ranges.
#[derive(Clone, Copy, Debug)]
pub enum Grain {
    /// As rayon does it: a few ranges for each thread, split further if other threads are idle.
    Adaptive,
    /// Adaptive, but with ranges of at least this length, unless there are fewer indices in all.
    AtLeast(usize),
    /// One range for each thread: no work stealing.
    Shares,
    /// Single indices, dynamically scheduled: for work of very different durations.
    One,
}

/// Calls `work` for all indices below `count`, range by range. Each index is in one range only.
#[inline]
pub fn for_each_range(count: usize, grain: Grain, work: impl Fn(Range<usize>) + Sync) {
    run(count, grain, &work);
}

/// The only instance of rayon's loops; the work is a trait object so that they are compiled once.
fn run(count: usize, grain: Grain, work: &(dyn Fn(Range<usize>) + Sync)) {
    match grain {
        _ if count == 0 => {}
        Grain::Adaptive => run_adaptively(count, 1, work),
        Grain::AtLeast(min) => run_adaptively(count, min, work),
        Grain::Shares => {
            let shares = rayon::current_num_threads().min(count);
            let begin = |share: usize| share * count / shares;
            let shares = (0..shares).into_par_iter().with_max_len(1);
            shares.for_each(|share| work(begin(share)..begin(share + 1)));
        }
        Grain::One => {
            let indices = (0..count).into_par_iter().with_max_len(1);
            indices.for_each(|index| work(index..index + 1));
        }
    }
}

/// Splits as rayon does for iterators of a known length with `with_min_len`: in the middle, as long
/// as both halves are long enough.
fn run_adaptively(count: usize, min: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let cut = |range: Range<usize>| {
        let half = range.len() / 2;
        if half < min.max(1) {
            return (range, None);
        }
        let middle = range.start + half;
        (range.start..middle, Some(middle..range.end))
    };
    rayon::iter::split(0..count, cut).for_each(work);
}

/// Returns the result of `look` at the first index below `count` at which it returns one. Indices
/// after a known match are skipped.
pub fn find_first<R: Send>(count: usize, look: impl Fn(usize) -> Option<R> + Sync) -> Option<R> {
    let found = Mutex::new(None);
    // First match so far. It only decreases, so a thread that reads an old value just looks too
    // far.
    let first = AtomicUsize::new(count);
    for_each_range(count, Grain::Adaptive, |range| {
        for index in range.take_while(|&index| index < first.load(Ordering::Relaxed)) {
            if let Some(result) = look(index) {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                if index < first.load(Ordering::Relaxed) {
                    first.store(index, Ordering::Relaxed);
                    *found = Some(result);
                }
                return;
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::testing::with_all_pools;
    use super::*;

    /// The ranges in ascending order.
    fn ranges(count: usize, grain: Grain) -> Vec<Range<usize>> {
        let ranges = Mutex::new(Vec::new());
        for_each_range(count, grain, |range| ranges.lock().expect("no panic").push(range));
        let mut ranges = ranges.into_inner().expect("no panic");
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    #[test]
    fn each_index_is_in_one_range() {
        let adaptive = [Grain::Adaptive, Grain::AtLeast(7), Grain::AtLeast(0)];
        for grain in [&adaptive[..], &[Grain::Shares, Grain::One]].concat() {
            for count in [0, 1, 2, 6, 13, 14, MANY] {
                let indices = || ranges(count, grain).into_iter().flatten().collect::<Vec<_>>();
                let indices = with_all_pools(indices);
                assert!(indices.into_iter().eq(0..count), "{count}, {grain:?}");
            }
        }
    }

    #[test]
    fn ranges_have_the_lengths_of_their_grain() {
        with_all_pools(|| {
            assert_eq!(ranges(13, Grain::AtLeast(7)).len(), 1, "half of them are too few");
            let long = |range: &Range<usize>| range.len() >= 7;
            assert!(ranges(MANY, Grain::AtLeast(7)).iter().all(long));
            assert!(ranges(MANY, Grain::One).iter().all(|range| range.len() == 1));
            let shares = ranges(MANY, Grain::Shares).len();
            assert_eq!(shares, rayon::current_num_threads());
            assert_eq!(ranges(2, Grain::Shares).len(), 2.min(rayon::current_num_threads()));
            assert!(ranges(MANY, Grain::Adaptive).len() >= rayon::current_num_threads());
            assert_eq!(ranges(0, Grain::Adaptive), []);
        });
    }

    #[test]
    fn work_runs_on_the_current_pool() {
        let threads = Mutex::new(Vec::new());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let note = |_| threads.lock().expect("no panic").push(rayon::current_num_threads());
        pool.install(|| for_each_range(100, Grain::One, note));
        assert_eq!(threads.into_inner().expect("no panic"), [3; 100]);
    }

    #[test]
    fn the_first_of_several_matches_is_returned() {
        for first in [0, 1, 499, 998, 999] {
            let look = |index| (index >= first).then_some(index);
            assert_eq!(with_all_pools(|| find_first(1000, look)), Some(first));
        }
        let look = |index| [700, 300, 999].contains(&index).then_some(index);
        assert_eq!(with_all_pools(|| find_first(1000, look)), Some(300));
        assert_eq!(with_all_pools(|| find_first(1000, |_| None::<()>)), None);
        assert_eq!(with_all_pools(|| find_first(0, Some)), None);
    }

    #[test]
    fn indices_after_a_match_are_skipped() {
        with_all_pools(|| {
            let looks = AtomicUsize::new(0);
            let look = |index| {
                looks.fetch_add(1, Ordering::Relaxed);
                (index == 0).then_some(())
            };
            assert_eq!(find_first(1 << 20, look), Some(()));
            let looks = looks.into_inner();
            assert!(rayon::current_num_threads() > 1 || looks == 1, "{looks} looks");
        });
    }
}
