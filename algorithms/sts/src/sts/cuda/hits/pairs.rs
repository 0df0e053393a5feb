//! Blocks whose threads share the pairs of a group of fronts.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Properties};

use super::{Hits, SortedClusters};
use crate::kernels::sts_pairs::{
    FRONTS_OF_JOB, HITS_LINES_EXACT, HITS_LINES_PUBLISHED, HITS_OF_PAIRS_EXACT,
    HITS_OF_PAIRS_PUBLISHED, Job, LINE_THREADS, LINES_OF_JOB, Line, Measured, PairFinding,
    Partners, THREADS,
};
use crate::sts::cuda::{ByRules, parts_of};
use tasks::device::{StagedArray, buffers};

static LINES: ByRules<PairFinding> = ByRules::new(&HITS_LINES_EXACT, &HITS_LINES_PUBLISHED);
static PAIRS: ByRules<PairFinding> = ByRules::new(&HITS_OF_PAIRS_EXACT, &HITS_OF_PAIRS_PUBLISHED);

/// A warp, or a block of shaders, counts the pairs of a front for each thread with 32 bits: backs
/// have to be fewer.
const MAX_BACKS: usize = (1 << 32) / THREADS as usize;

buffers! {
    /// Lines of all clusters, partners of fronts, and jobs of blocks.
    pub(super) struct Pairs(gpu, digis: usize, sides: usize) {
        lines: DeviceBuffer<Line> = gpu.buffer(digis)?,
        /// Cluster data that hits need, except lines.
        measured: DeviceBuffer<Measured> = gpu.buffer(digis)?,
        /// Range of lines near each front.
        partners: DeviceBuffer<Partners> = gpu.buffer(digis)?,
        /// Clusters of all sides.
        clusters: Jobs = Jobs::new(gpu, digis / lines_of_job(gpu.properties()) as usize + sides)?,
        /// Groups of fronts whose pairs a block shares.
        pairs: Jobs = Jobs::new(gpu, digis / fronts_of_job(gpu.properties()) as usize + sides)?,
    }
}

buffers! {
    /// Some clusters of a segment for each block: the segment, and the first of them.
    struct Jobs(gpu, max: usize) {
        table: StagedArray<Job> = StagedArray::new(gpu, max)?,
        ;
        count: u32 = 0,
    }
}

impl Pairs {
    /// True if blocks can count the pairs of these numbers of clusters on each side of the back.
    pub(super) fn can_take(backs: &[usize]) -> bool {
        backs.iter().all(|&backs| backs < MAX_BACKS)
    }

    /// Lists the jobs of blocks, given the clusters of each side: fronts first.
    pub(super) fn list(&mut self, gpu: &Gpu, counts: &[usize]) -> Result<(), DeviceError> {
        let fronts = &counts[..counts.len() / 2];
        self.clusters.list(gpu, counts, lines_of_job(gpu.properties()))?;
        self.pairs.list(gpu, fronts, fronts_of_job(gpu.properties()))
    }

    /// Starts to fill the buckets, which have zero hits each.
    pub(super) fn start(
        &self,
        gpu: &Gpu,
        hits: &Hits,
        sorted: SortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        let arguments = |jobs: &Jobs| PairFinding {
            all: hits.arguments(sorted),
            jobs: jobs.table.ptr(),
            lines: self.lines.ptr(),
            values: self.measured.ptr(),
            partners: self.partners.ptr(),
        };
        let line = size_of::<Line>() + size_of::<Measured>() + size_of::<Partners>();
        let written = sorted.clusters.expected() * line as u64;
        let of_clusters =
            LaunchConfig::blocks(self.clusters.count).with_traffic(sorted.bytes() + written);
        // The traffic of lines depends on how many are near each other in time.
        let of_pairs = LaunchConfig::blocks(self.pairs.count);
        // SAFETY: sides have the counted number of sorted clusters, jobs are ranges of them, there
        // is a line and an element of `partners` for the index of each entry, and no hit is written
        // beyond its bucket.
        unsafe {
            gpu.launch(
                LINES.for_semantics(hits.semantics),
                of_clusters,
                arguments(&self.clusters),
            )?;
            gpu.launch(PAIRS.for_semantics(hits.semantics), of_pairs, arguments(&self.pairs))
        }
    }
}

impl Jobs {
    fn list(&mut self, gpu: &Gpu, counts: &[usize], threads: u32) -> Result<(), DeviceError> {
        let jobs = jobs(counts, threads as usize);
        self.count = jobs.len() as u32;
        self.table.fill(gpu, jobs)
    }
}

/// Clusters whose lines a block writes: with shaders, one for each thread.
fn lines_of_job(properties: &Properties) -> u32 {
    if properties.has_shaders { LINE_THREADS } else { LINES_OF_JOB }
}

/// Fronts whose pairs a block shares. The software renderer ends all loops of a thread after a
/// fixed number of rounds: a block gets no more than it processes at a time. Shaders find the end
/// of a job from the start of the next.
fn fronts_of_job(properties: &Properties) -> u32 {
    if properties.runs_block_by_block { THREADS } else { FRONTS_OF_JOB }
}

/// The clusters of all segments in jobs of at most `of_job`.
fn jobs(counts: &[usize], of_job: usize) -> Vec<Job> {
    let jobs = parts_of(counts.iter().copied().enumerate(), of_job);
    jobs.map(|[segment, first]| Job { segment, first }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_cover_all_clusters() {
        let expected = [(1, 0), (2, 0), (3, 0), (3, 32)];
        let expected = expected.map(|(segment, first)| Job { segment, first });
        assert_eq!(jobs(&[0, 1, 32, 33], 32), expected);
    }

    #[test]
    fn pairs_of_a_block_can_be_counted() {
        assert!(Pairs::can_take(&[0, MAX_BACKS - 1]));
        assert!(!Pairs::can_take(&[MAX_BACKS]));
        assert!(u32::try_from((MAX_BACKS - 1) * THREADS as usize).is_ok());
    }
}
