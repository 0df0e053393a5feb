//! As published: sums of tiles, sums of these until a block has all of them, and back down.

use super::{MARKED, TILE, Target};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError};
use crate::kernels::tpc_cluster_finder_scan::{
    COMPACT, Compact, SCAN_DOWN, SCAN_START, SCAN_TOP, SCAN_UP, ScanDown, ScanStart, ScanTop,
    ScanUp,
};
use crate::tpc_cluster_finder::cuda::context::BatchContext;

buffers! {
    /// Sums of tiles, then sums of these, for each job.
    pub(crate) struct Scans(gpu, jobs: usize, samples: usize) {
        sums: DeviceBuffer<u32> = gpu.buffer(jobs * capacity)?,
        ;
        /// Capacity of a job, in words.
        capacity: usize = levels(samples).iter().sum(),
    }
}

/// A level of sums below the last one.
#[derive(Clone, Copy)]
struct Level {
    number: u32,
    /// Index of the level's first sum, and of the next level's.
    begin: u32,
    next: u32,
    /// Number of its tiles, which is the number of words of the next level.
    tiles: usize,
}

/// Words of each level above the marks of `samples` positions: the last one is a tile.
fn levels(samples: usize) -> Vec<usize> {
    let tiles = |&words: &usize| (words > TILE).then(|| words.div_ceil(TILE));
    std::iter::successors(Some(samples.div_ceil(TILE)), tiles).collect()
}

impl Scans {
    pub(super) fn run(&self, work: &BatchContext<'_>, target: Target) -> Result<(), DeviceError> {
        let words = levels(work.batch.samples);
        let begin = |level: usize| words[..level].iter().sum::<usize>() as u32;
        let level = |number: usize| Level {
            number: number as u32,
            begin: begin(number),
            next: begin(number + 1),
            tiles: words[number + 1],
        };
        let top = words.len() - 1;
        self.start(work, target)?;
        (0..top).try_for_each(|number| self.up(work, target, level(number)))?;
        self.top(work, target, top as u32, begin(top))?;
        (0..top).rev().try_for_each(|number| self.down(work, target, level(number)))?;
        self.compact(work, target)
    }

    fn start(&self, work: &BatchContext<'_>, target: Target) -> Result<(), DeviceError> {
        let arguments = |batch| ScanStart {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            marks: work.lists.predicate.ptr(),
            target: target.number(),
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            batch,
        };
        let blocks = target.tiles(work);
        let bytes = target.bytes(work, size_of::<u8>());
        // SAFETY: each position has a mark, and each tile a word.
        unsafe { work.launch(&SCAN_START, blocks, bytes, arguments) }
    }

    fn up(&self, work: &BatchContext<'_>, target: Target, level: Level) -> Result<(), DeviceError> {
        let arguments = |batch| ScanUp {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            target: target.number(),
            level: level.number,
            begin: level.begin,
            next: level.next,
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            batch,
        };
        // SAFETY: each tile of the level has a word in the next one.
        unsafe { work.launch(&SCAN_UP, level.tiles, 0, arguments) }
    }

    fn top(
        &self,
        work: &BatchContext<'_>,
        target: Target,
        level: u32,
        begin: u32,
    ) -> Result<(), DeviceError> {
        let arguments = |batch| ScanTop {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            target: target.number(),
            level,
            begin,
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            batch,
        };
        // SAFETY: the level has no more words than a block has threads.
        unsafe { work.launch(&SCAN_TOP, 1, 0, arguments) }
    }

    fn down(
        &self,
        work: &BatchContext<'_>,
        target: Target,
        level: Level,
    ) -> Result<(), DeviceError> {
        let arguments = |batch| ScanDown {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            target: target.number(),
            level: level.number,
            begin: level.begin,
            next: level.next,
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            batch,
        };
        // SAFETY: levels are ranges of the sums, with a word for each tile of the level before, as
        // on the way up.
        unsafe { work.launch(&SCAN_DOWN, level.tiles, 0, arguments) }
    }

    fn compact(&self, work: &BatchContext<'_>, target: Target) -> Result<(), DeviceError> {
        let (positions, compacted) = target.lists(work);
        let arguments = |batch| Compact {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            positions,
            marks: work.lists.predicate.ptr(),
            target: target.number(),
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            compacted,
            batch,
        };
        let blocks = target.tiles(work);
        let bytes = target.bytes(work, MARKED);
        // SAFETY: sums are those of the marks, of which there are no more than positions in the
        // lists.
        unsafe { work.launch(&COMPACT, blocks, bytes, arguments) }
    }
}
