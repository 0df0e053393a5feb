//! Index ranges, split by rayon.

use std::ops::Range;

use rayon::prelude::*;

/// Granularity of ranges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grain {
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
pub(crate) fn for_each_range(count: usize, grain: Grain, work: impl Fn(Range<usize>) + Sync) {
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::all_cores::tests::with_all_pools;
    use crate::parallel::MANY;

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
}
