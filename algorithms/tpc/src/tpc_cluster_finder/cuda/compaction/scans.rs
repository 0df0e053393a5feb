//! As published: sums of tiles, sums of these until a block has all of them, and back down.

use portable_gpu::{DeviceBuffer, DeviceError};

use super::{MARKED, TILE, Target};
use crate::kernels::tpc_cluster_finder_scan::{
    COMPACT, SCAN_DOWN, SCAN_START, SCAN_TOP, SCAN_UP, Scan, TO_KEPT, TO_RAW,
};
use crate::tpc_cluster_finder::cuda::context::{BatchContext, with_blocks};
use tasks::device::buffers;

buffers! {
    /// Sums of tiles, then sums of these, for each job.
    pub(crate) struct Scans(gpu, jobs: usize, samples: usize) {
        sums: DeviceBuffer<u32> = gpu.buffer(jobs * capacity)?,
        ;
        /// Capacity of a job, in words.
        capacity: usize = levels(samples).iter().sum(),
    }
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
        // With the number of the level's tiles, which is the number of words of the next level.
        let level = |level: usize| {
            let blocks = words.get(level + 1).copied().unwrap_or(1);
            let of_level = Scan {
                level: level as u32,
                begin: begin(level),
                next: begin(level + 1),
                ..self.arguments(work, target, blocks)
            };
            (blocks, of_level)
        };
        let top = words.len() - 1;
        let tiles = target.tiles(work);
        let arguments = self.arguments(work, target, tiles);
        let on_level = |kernel, number| {
            let (blocks, arguments) = level(number);
            // SAFETY: levels are ranges of the sums, with a word for each tile of the level before;
            // the last one has no more words than a block has threads.
            unsafe { work.launch(kernel, blocks, 0, arguments) }
        };
        // SAFETY: each position has a mark, and each tile a word.
        unsafe { work.launch(&SCAN_START, tiles, target.bytes(work, size_of::<u8>()), arguments) }?;
        (0..top).try_for_each(|number| on_level(&SCAN_UP, number))?;
        on_level(&SCAN_TOP, top)?;
        (0..top).rev().try_for_each(|number| on_level(&SCAN_DOWN, number))?;
        // SAFETY: sums are those of the marks, of which there are no more than positions in the
        // lists.
        unsafe { work.launch(&COMPACT, tiles, target.bytes(work, MARKED), arguments) }
    }

    fn arguments(&self, work: &BatchContext<'_>, target: Target, blocks: usize) -> Scan {
        let all = with_blocks(work.arguments(), blocks);
        let (target, positions, compacted) = match target {
            Target::Raw => (TO_RAW, all.positions, all.raw),
            Target::Kept => (TO_KEPT, all.raw, all.kept),
        };
        Scan {
            all,
            positions,
            compacted,
            sums: self.sums.ptr(),
            sums_of_job: self.capacity as u32,
            target,
            level: 0,
            begin: 0,
            next: 0,
        }
    }
}
