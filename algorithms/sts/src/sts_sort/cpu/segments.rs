//! Sorts all segments of an input with a sort of single segments.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use generators_common::partition::Partition;
use generators_sts::{Digi, SegmentedDigis};
use parallel::{copy, for_each};
use portable_gpu::DeviceError;

use super::ResultIn;
use super::parts::{Cost, Split};
use crate::sts_sort::StsSort;
use tasks::algorithm::{PrepareResult, Runner, VariantContext};
use tasks::device::{Arena, ArenaVec, Unavailable, buffers};

/// Digis below which handing work to another thread costs more than it saves.
const MIN_BATCH: usize = 4096;

/// Sorts the digis of a segment, in place or into the scratch. The scratch is as long as the
/// segment, or empty where [`Scratch`] specifies that. The work is split into the given number of
/// parts, which run in parallel on the current team.
pub(crate) type SortSegment =
    fn(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn;

/// A sort, with an input.
struct Segments<'a> {
    sort_segment: SortSegment,
    cost: Cost,
    input: &'a SegmentedDigis,
    arena: &'a Arena,
    scratch: Lengths,
    threads: usize,
}

struct Arrays<'a> {
    digis: ArenaVec<'a, Digi>,
    scratch: ArenaVec<'a, Digi>,
    of_threads: ArenaVec<'a, Digi>,
}

buffers!(Arrays<'_>: digis, scratch, of_threads);

/// One segment to be sorted.
struct Job<'a> {
    digis: &'a mut [Digi],
    scratch: &'a mut [Digi],
    result: ResultIn,
}

/// A sort of segments, ready to run.
pub(super) fn sort_segments<'a>(
    at: &VariantContext<'a, '_, StsSort>,
    scratch: Scratch,
    cost: Cost,
    sort_segment: SortSegment,
) -> PrepareResult<'a, StsSort> {
    let input = at.input;
    let threads = at.threads();
    accept_lengths(input)?;
    let split = Split::new(input.partition(), threads, cost);
    at.session(Segments {
        sort_segment,
        cost,
        input,
        arena: at.arena,
        scratch: scratch.lengths(input.partition(), &split),
        threads,
    })
}

/// Opens a session that sorts parts of segments and merges them.
macro_rules! sort_by_parts {
    ($at:expr, $order:ty, $sort:expr) => {
        $crate::sts_sort::cpu::segments::sort_segments(
            $at,
            $crate::sts_sort::cpu::segments::Scratch::WhenSplit,
            $crate::sts_sort::cpu::parts::Cost::LogLinear,
            |digis, scratch, parts| {
                $crate::sts_sort::cpu::parts::sort_parts::<$order>(digis, scratch, parts, $sort)
            },
        )
    };
}
pub(super) use sort_by_parts;

/// Refuses segments that are too long for indices of 32 bits.
fn accept_lengths(input: &SegmentedDigis) -> Result<(), Unavailable> {
    let longest = input.partition().lengths().max().unwrap_or(0);
    if u32::try_from(longest).is_ok() {
        return Ok(());
    }
    Err(Unavailable(format!(
        "a segment has {longest} digis; 2^32 - 1 is the most; use more segments"
    )))
}

impl<'a> Runner<StsSort> for Segments<'a> {
    type Buffers = Arrays<'a>;

    fn allocate(&self) -> Result<Arrays<'a>, DeviceError> {
        Ok(Arrays {
            digis: self.arena.vector(self.input.digis().len()),
            scratch: self.arena.vector(self.scratch.segments),
            of_threads: self.arena.vector(self.threads * self.scratch.thread),
        })
    }

    fn load(&mut self, arrays: &mut Arrays<'a>) -> Result<(), DeviceError> {
        copy(&mut arrays.digis, self.input.digis());
        Ok(())
    }

    fn run(&mut self, arrays: &mut Arrays<'a>) -> Result<(), DeviceError> {
        let Arrays { digis, scratch, of_threads } = arrays;
        let partition = self.input.partition();
        let algorithm = SegmentSort { sort: self.sort_segment, cost: self.cost };
        let threads = Threads::with_scratch(self.threads, of_threads);
        if sort_all(partition, digis, scratch, algorithm, &threads) == ResultIn::Scratch {
            std::mem::swap(digis, scratch);
        }
        Ok(())
    }

    fn output<'b>(&'b self, arrays: &'b Arrays<'a>) -> Cow<'b, Vec<Digi>> {
        Cow::Borrowed(&arrays.digis)
    }
}

/// Sort of a segment, and the growth of its cost.
#[derive(Clone, Copy)]
pub(crate) struct SegmentSort {
    pub(crate) sort: SortSegment,
    pub(crate) cost: Cost,
}

/// Sorts each segment, in parts if whole segments would leave some of the threads idle; returns
/// which array all results are in. The scratch is as long as the digis, or empty where [`Scratch`]
/// specifies that or threads have scratches that can hold all segments.
pub(crate) fn sort_all(
    partition: &Partition,
    digis: &mut [Digi],
    scratch: &mut [Digi],
    SegmentSort { sort: sort_segment, cost }: SegmentSort,
    threads: &Threads<'_>,
) -> ResultIn {
    let few = digis.len() <= MIN_BATCH;
    let mut jobs = jobs(partition, digis, scratch);
    // Part of the timed work, as all choices that depend on the input.
    let split = Split::new(partition, threads.count(), cost);
    let sort = |job: &mut Job<'_>| match split.parts(job.digis.len()) {
        1 if threads.have_capacity_for(job.digis.len()) => {
            threads.with_mine(|scratch| sort_in_place(job.digis, scratch, sort_segment));
        }
        parts => job.result = sort_segment(job.digis, job.scratch, parts),
    };
    if threads.count() == 1 || few {
        jobs.iter_mut().for_each(sort);
    } else {
        sort_in_parallel(&mut jobs, sort);
    }
    settle(jobs)
}

/// Sorts a segment on one thread, with a scratch that may be longer.
pub(super) fn sort_in_place(digis: &mut [Digi], scratch: &mut [Digi], sort_segment: SortSegment) {
    let scratch = &mut scratch[..digis.len()];
    if sort_segment(digis, scratch, 1) == ResultIn::Scratch {
        digis.copy_from_slice(scratch);
    }
}

/// A job a segment.
fn jobs<'a>(partition: &Partition, digis: &'a mut [Digi], scratch: &'a mut [Digi]) -> Vec<Job<'a>> {
    let digis = partition.split_mut(digis);
    let job = |(digis, scratch)| Job { digis, scratch, result: ResultIn::Digis };
    if scratch.is_empty() {
        let none = std::iter::repeat_with(|| &mut [][..]);
        digis.into_iter().zip(none).map(job).collect()
    } else {
        let scratch = partition.split_mut(scratch);
        digis.into_iter().zip(scratch).map(job).collect()
    }
}

/// Starts the largest segments first, so that no thread starts a large one at the end; and small
/// ones in batches, large enough to be worth handing to another thread.
fn sort_in_parallel(jobs: &mut [Job<'_>], sort: impl Fn(&mut Job<'_>) + Sync) {
    jobs.sort_by_key(|job| std::cmp::Reverse(job.digis.len()));
    let sort = &sort;
    rayon::scope_fifo(|scope| {
        let mut rest = jobs;
        while !rest.is_empty() {
            let (batch, others) = rest.split_at_mut(batch_size(rest));
            scope.spawn_fifo(move |_| batch.iter_mut().for_each(sort));
            rest = others;
        }
    });
}

/// Number of the next jobs that make a batch; empty ones come last and together.
fn batch_size(jobs: &[Job<'_>]) -> usize {
    let mut digis = 0;
    let too_few = |job: &&Job<'_>| {
        let more = digis < MIN_BATCH;
        digis += job.digis.len();
        more
    };
    jobs.iter().take_while(too_few).count()
}

/// Brings all results into the array that has most of them already.
fn settle(jobs: Vec<Job<'_>>) -> ResultIn {
    let digis_in = |result| {
        let there = jobs.iter().filter(|job| job.result == result);
        there.map(|job| job.digis.len()).sum::<usize>()
    };
    let max = if digis_in(ResultIn::Scratch) > digis_in(ResultIn::Digis) {
        ResultIn::Scratch
    } else {
        ResultIn::Digis
    };
    let elsewhere = jobs.into_iter().filter(|job| job.result != max);
    for_each(elsewhere, |job| match max {
        ResultIn::Digis => job.digis.copy_from_slice(job.scratch),
        ResultIn::Scratch => job.scratch.copy_from_slice(job.digis),
    });
    max
}

// Passes move digis between an array and the scratch. A segment that fits into a cache is sorted
// with a scratch of its thread, which stays cached from one segment to the next, and is copied
// back. In a scratch for all segments each cache line would be new: it would be read from memory to
// be overwritten, and stores that wait for memory delay those after them.

/// Digis that, with their scratch, fit into a thread's share of a last-level cache: 16 MB.
const CACHED: usize = 1 << 20;

/// When a sort needs a second array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scratch {
    Always,
    /// Only if a segment is split into parts.
    WhenSplit,
    Never,
}

/// Digis of scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// For all segments, where some don't fit a cache: as long as all of them, or none.
    pub(super) segments: usize,
    /// For each thread: as long as the longest segment that fits a cache.
    pub(super) thread: usize,
}

impl Scratch {
    pub(super) fn lengths(self, partition: &Partition, split: &Split) -> Lengths {
        let all_if = |needed| if needed { partition.elements() } else { 0 };
        match self {
            Scratch::Never => Lengths { segments: 0, thread: 0 },
            Scratch::WhenSplit => Lengths { segments: all_if(split.any(partition)), thread: 0 },
            Scratch::Always => {
                let is_cached = |&length: &usize| length <= CACHED && split.parts(length) == 1;
                let thread = partition.lengths().filter(is_cached).max().unwrap_or(0);
                let all_cached = partition.lengths().all(|length| is_cached(&length));
                Lengths { segments: all_if(!all_cached), thread }
            }
        }
    }
}

/// Threads, each of which may have a scratch that stays in its cache.
pub(crate) struct Threads<'a> {
    count: usize,
    scratches: Vec<Mutex<&'a mut [Digi]>>,
    /// Length of each scratch.
    length: usize,
}

impl<'a> Threads<'a> {
    /// Divides these digis into scratches for `count` threads.
    pub(super) fn with_scratch(count: usize, digis: &'a mut [Digi]) -> Self {
        let length = digis.len() / count;
        let scratches = digis.chunks_exact_mut(length.max(1)).map(Mutex::new).collect();
        Threads { count, scratches, length }
    }

    /// `count` threads without a scratch.
    pub(crate) fn new(count: usize) -> Self {
        Threads { count, scratches: Vec::new(), length: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// True if a thread's scratch can hold `digis` digis.
    pub(super) fn have_capacity_for(&self, digis: usize) -> bool {
        (1..=self.length).contains(&digis)
    }

    /// Calls `work` with the scratch of this thread. It must not wait for other threads: this one
    /// might then start other work that takes the same scratch.
    pub(super) fn with_mine<R>(&self, work: impl FnOnce(&mut [Digi]) -> R) -> R {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let scratch = &self.scratches[thread % self.scratches.len()];
        work(&mut scratch.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::parts::Cost;

    fn lengths(segments: &[usize], threads: usize) -> Lengths {
        let partition = Partition::from_lengths(segments.to_vec());
        let split = Split::new(&partition, threads, Cost::Linear);
        Scratch::Always.lengths(&partition, &split)
    }

    #[test]
    fn segments_that_fit_a_cache_need_one_scratch_a_thread() {
        assert_eq!(lengths(&[10, CACHED, 0], 1), Lengths { segments: 0, thread: CACHED });
        assert_eq!(lengths(&[], 4), Lengths { segments: 0, thread: 0 });
    }

    #[test]
    fn others_need_one_for_all() {
        let long = CACHED + 1;
        assert_eq!(lengths(&[10, long], 1), Lengths { segments: long + 10, thread: 10 });
        // In parts for both threads.
        assert_eq!(lengths(&[CACHED], 2), Lengths { segments: CACHED, thread: 0 });
    }

    #[test]
    fn threads_share_a_scratch_out() {
        let mut digis = vec![Digi::default(); 7];
        let threads = Threads::with_scratch(2, &mut digis);
        assert!(threads.have_capacity_for(3) && !threads.have_capacity_for(4));
        threads.with_mine(|scratch| assert_eq!(scratch.len(), 3));
        assert!(!Threads::new(2).have_capacity_for(0));
    }
}
