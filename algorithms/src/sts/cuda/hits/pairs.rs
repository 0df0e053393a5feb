//! By blocks whose threads share the pairs of some fronts.

use super::Search;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Ptr, Shape, Table, image};
use crate::sts::cuda::tables::SensorWords;
use crate::sts::cuda::{ByRules, Clusters, Entries, Founds, Hits, Words, parts_of};

static IMAGE: Image = image!("sts-pairs");

static LINES: ByRules<LinesParameters> =
    ByRules::new(&IMAGE, "hits_lines_exact", "hits_lines_published");
static PAIRS: ByRules<PairsParameters> =
    ByRules::new(&IMAGE, "hits_of_pairs_exact", "hits_of_pairs_published");

/// Clusters, entries, begins, what was found; modules, sensors; jobs; lines.
type LinesParameters = (
    Clusters,
    Entries,
    Words,
    Founds,
    u32,
    Ptr<SensorWords>,
    Words,
    Ptr<Line>,
);

/// Clusters, lines, begins, what was found; modules, sensors, the cut; jobs; rooms,
/// counts, hits.
type PairsParameters = (
    Clusters,
    Ptr<Line>,
    Words,
    Founds,
    u32,
    Ptr<SensorWords>,
    u32,
    u32,
    Words,
    Words,
    Words,
    Hits,
);

/// What decides about a cluster's crossings: `Line` in `formulas/lines.h`.
type Line = [u32; 4];

const LINE_THREADS: u32 = 256;
/// Of a block, and its fronts.
const THREADS: u32 = 128;
/// A block counts its pairs with 32 bits: backs have to be fewer.
const MOST_BACKS: usize = (1 << 32) / THREADS as usize;

/// Lines of all clusters, and what blocks have to do.
pub(super) struct Pairs {
    lines: DeviceBuffer<Line>,
    line_jobs: Jobs,
    front_jobs: Jobs,
}

/// Some clusters of a segment for each block: the segment, and the first of them.
struct Jobs {
    table: Table,
    count: u32,
}

buffers!(Jobs: table);
buffers!(Pairs: lines, line_jobs, front_jobs);

impl Pairs {
    pub(super) fn new(gpu: &Gpu, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        Ok(Pairs {
            lines: gpu.buffer(digis)?,
            line_jobs: Jobs::new(gpu, digis / LINE_THREADS as usize + sides)?,
            front_jobs: Jobs::new(gpu, digis / THREADS as usize + sides)?,
        })
    }

    /// Whether blocks can count the pairs of so many clusters of each side of the back.
    pub(super) fn can_take(backs: &[usize]) -> bool {
        backs.iter().all(|&backs| backs < MOST_BACKS)
    }

    /// Lists what blocks have to do, by the clusters of each side: fronts first.
    pub(super) fn list(&mut self, gpu: &Gpu, counts: &[usize]) -> Result<(), DeviceError> {
        let fronts = &counts[..counts.len() / 2];
        self.line_jobs.list(gpu, counts, LINE_THREADS)?;
        self.front_jobs.list(gpu, fronts, THREADS)
    }

    pub(super) fn start(&self, gpu: &Gpu, search: Search<'_>) -> Result<(), DeviceError> {
        let (clusters, [kind, cut]) = (search.clusters.clusters(), search.cut);
        let (found, lines) = (search.clusters.found(), &self.lines);
        let writing = (
            clusters,
            search.order.entries(),
            search.begins,
            found,
            search.modules,
            search.sensors,
            self.line_jobs.table.device(),
            lines,
        );
        let finding = (
            clusters,
            lines,
            search.begins,
            found,
            search.modules,
            search.sensors,
            kind,
            cut,
            self.front_jobs.table.device(),
            search.rooms,
            search.counts,
            search.hits,
        );
        let written = search.bytes() + lines.bytes();
        let of_lines = self.line_jobs.shape(LINE_THREADS, written);
        let of_fronts = self.front_jobs.shape(THREADS, written);
        // SAFETY: sides have as many sorted clusters as was found, jobs are some of them,
        // there is a line for each place of an entry, and no hit is written beyond its
        // bucket.
        unsafe {
            gpu.launch(LINES.of(search.semantics), &of_lines, writing)?;
            gpu.launch(PAIRS.of(search.semantics), &of_fronts, finding)
        }
    }
}

impl Jobs {
    /// Room for so many.
    fn new(gpu: &Gpu, most: usize) -> Result<Self, DeviceError> {
        Ok(Jobs {
            table: Table::new(gpu, 2 * most)?,
            count: 0,
        })
    }

    fn list(&mut self, gpu: &Gpu, counts: &[usize], threads: u32) -> Result<(), DeviceError> {
        let jobs = jobs(counts, threads as usize);
        self.count = jobs.len() as u32;
        self.table.fill(gpu, jobs.iter().flatten().copied())
    }

    fn shape(&self, threads: u32, bytes: u64) -> Shape {
        Shape {
            blocks: self.count,
            threads,
            shared_bytes: 0,
            bytes,
        }
    }
}

/// The clusters of all segments in parts of so many.
fn jobs(counts: &[usize], of_job: usize) -> Vec<[u32; 2]> {
    parts_of(counts.iter().copied().enumerate(), of_job).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_cover_all_clusters() {
        assert_eq!(jobs(&[0, 1, 32, 33], 32), [[1, 0], [2, 0], [3, 0], [3, 32]]);
    }

    #[test]
    fn pairs_of_a_block_can_be_counted() {
        assert!(Pairs::can_take(&[0, MOST_BACKS - 1]));
        assert!(!Pairs::can_take(&[MOST_BACKS]));
        assert!(u32::try_from((MOST_BACKS - 1) * THREADS as usize).is_ok());
    }
}
