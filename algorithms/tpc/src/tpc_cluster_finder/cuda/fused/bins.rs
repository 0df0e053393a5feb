//! From samples in bins to clusters, for any source of samples.

use generators_tpc::geometry::{ROWS, pads_in_row};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, LaunchConfig, Ptr};

use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{
    BIN_TIMES, Counts, FusedFinding, MemberLists, RECIPROCAL_SHIFT, RowShape, Sector, Tile,
};
use crate::kernels::tpc_cluster_finder_cuda_fused_peaks_h::{
    CELLS, CHARGE_LINES, LINE_END, MARGIN,
};
use crate::kernels::tpc_cluster_finder_fused::{FUSED_FIND_CLUSTERS, FUSED_PLACE_BINS};
use crate::kernels::tpc_cluster_finder_labelled::FUSED_FIND_LABELLED;
use crate::tpc_cluster_finder::cuda::found::ClusterList;
use tasks::device::{StagedArray, buffers};

/// Lower bound of the warp size: a tile adds clusters in runs of a warp.
const MIN_LANES: usize = 32;
/// Bytes of a sample in a bin.
pub(crate) const BINNED: u64 = size_of::<u32>() as u64;

/// Upper bounds of all counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    pub(crate) samples: usize,
    pub(crate) sectors: usize,
    /// Words of the bins.
    pub(crate) words: usize,
    /// Tiles that have samples.
    pub(crate) tiles: usize,
}

/// Bins, and the list of their tiles.
pub(crate) struct Bins {
    sizes: Sizes,
    rows: DeviceBuffer<RowShape>,
    /// The first word of each sector.
    first_words: StagedArray,
    /// See `bins.h`.
    words: DeviceBuffer<u32>,
    counts: DeviceBuffer<Counts>,
    binned: DeviceBuffer<u32>,
    tiles: DeviceBuffer<Tile>,
    pub(crate) found: ClusterList,
}

buffers!(Bins: first_words, words, counts, binned, tiles, found; kept: rows);

impl Sizes {
    /// Sizes for `samples` samples of sectors with these numbers of time bins.
    pub(crate) fn for_samples(
        samples: usize,
        time_bins: impl Iterator<Item = u32> + Clone,
    ) -> Self {
        let tiles_of = |time_bins: u32| {
            let of_row = |row| time_bins.div_ceil(row_shape(row).tile_times) as usize;
            (0..ROWS).map(of_row).sum::<usize>()
        };
        Sizes {
            samples,
            sectors: time_bins.clone().count(),
            words: time_bins.clone().map(words_of).sum(),
            tiles: time_bins.map(tiles_of).sum::<usize>().min(samples),
        }
    }

    /// The larger of both, size by size.
    pub(crate) fn largest(self, other: Sizes) -> Sizes {
        Sizes {
            samples: self.samples.max(other.samples),
            sectors: self.sectors.max(other.sectors),
            words: self.words.max(other.words),
            tiles: self.tiles.max(other.tiles),
        }
    }
}

/// Words of all rows of a sector: one for each bin, plus one for each row.
pub(crate) fn words_of(time_bins: u32) -> usize {
    ROWS * (time_bins.div_ceil(BIN_TIMES) as usize + 1)
}

/// Shape of a row's tiles: the maximum number of time bins that fit into shared memory.
fn row_shape(row: usize) -> RowShape {
    let pads = pads_in_row(row) as u32;
    let max = CELLS / (pads + 2 * CHARGE_LINES) - LINE_END;
    let tile_times = (max - 2 * MARGIN) / BIN_TIMES * BIN_TIMES;
    let reciprocal = (1_u32 << RECIPROCAL_SHIFT).div_ceil(cells_of_line(tile_times));
    RowShape { pads, tile_times, reciprocal }
}

fn cells_of_line(tile_times: u32) -> u32 {
    tile_times + 2 * MARGIN + LINE_END
}

impl Bins {
    pub(crate) fn new(gpu: &Gpu, sizes: Sizes) -> Result<Self, DeviceError> {
        let runs = sizes.samples / MIN_LANES + sizes.tiles;
        let rows: Vec<_> = (0..ROWS).map(row_shape).collect();
        Ok(Bins {
            sizes,
            rows: gpu.table(&rows)?,
            first_words: StagedArray::new(gpu, sizes.sectors)?,
            words: gpu.buffer(sizes.words)?,
            counts: gpu.buffer(1)?,
            binned: gpu.buffer(sizes.samples)?,
            tiles: gpu.buffer(sizes.tiles)?,
            found: ClusterList::new(gpu, sizes.samples, runs)?,
        })
    }

    /// Starts to empty the bins, for sectors with these numbers of time bins.
    pub(crate) fn empty(
        &mut self,
        gpu: &Gpu,
        time_bins: impl Iterator<Item = u32>,
    ) -> Result<(), DeviceError> {
        let first_words = time_bins.scan(0, |next, time_bins| {
            let first = *next;
            *next += words_of(time_bins) as u32;
            Some(first)
        });
        self.first_words.fill(gpu, first_words)?;
        self.found.clear(gpu)?;
        gpu.fill(&self.words, 0)
    }

    /// Arguments of all kernels, without samples and labels.
    pub(crate) fn arguments(&self, sectors: Ptr<Sector>, noisy: Ptr<u32>) -> FusedFinding {
        FusedFinding {
            samples: Ptr::NONE,
            sectors,
            rows: self.rows.ptr(),
            first_words: self.first_words.ptr(),
            words: self.words.ptr(),
            counts: self.counts.ptr(),
            binned: self.binned.ptr(),
            tiles: self.tiles.ptr(),
            noisy,
            found: self.found.arguments(),
            first_labels: Ptr::NONE,
            ranges: Ptr::NONE,
            members: MemberLists {
                total: Ptr::NONE,
                of_clusters: Ptr::NONE,
                samples: Ptr::NONE,
                max_samples: 0,
            },
            sample_count: self.sizes.samples as u32,
            sector_count: self.sizes.sectors as u32,
        }
    }

    /// Upper bound of the bytes of all samples in bins.
    pub(crate) fn binned_bytes(&self) -> u64 {
        self.binned.bytes()
    }

    /// Computes the offsets of bins, once their samples are counted.
    pub(crate) fn compute_offsets(
        &self,
        gpu: &Gpu,
        arguments: FusedFinding,
    ) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)?;
        let rows = LaunchConfig::blocks((self.sizes.sectors * ROWS) as u32);
        let grid = rows.with_traffic(2 * self.words.bytes() + self.tiles.bytes());
        // SAFETY: the list has capacity for all tiles that have samples.
        unsafe { gpu.launch(&FUSED_PLACE_BINS, grid, arguments) }
    }

    /// Finds the clusters, once samples are in their bins.
    pub(crate) fn find(&self, gpu: &Gpu, arguments: FusedFinding) -> Result<(), DeviceError> {
        let grid = self.all_tiles(gpu, &FUSED_FIND_CLUSTERS)?;
        // SAFETY: tiles are of rows with these shapes, and their samples are in bins; the kernel
        // checks the capacity of the lists.
        unsafe { gpu.launch(&FUSED_FIND_CLUSTERS, grid, arguments) }
    }

    /// Finds clusters, and lists the samples that give labels to each.
    pub(super) fn find_labelled(
        &self,
        gpu: &Gpu,
        arguments: FusedFinding,
    ) -> Result<(), DeviceError> {
        let grid = self.all_tiles(gpu, &FUSED_FIND_LABELLED)?;
        // SAFETY: the buffers are those of `self`, sized for all samples of these sectors; each
        // cluster with capacity in its list also has capacity for its samples.
        unsafe { gpu.launch(&FUSED_FIND_LABELLED, grid, arguments) }
    }

    /// A grid for all tiles: the number of blocks that run concurrently.
    fn all_tiles(
        &self,
        gpu: &Gpu,
        kernel: &Kernel<FusedFinding>,
    ) -> Result<LaunchConfig, DeviceError> {
        let of_each = gpu.attributes(kernel, LaunchConfig::blocks(1))?.resident_blocks.max(1);
        let at_once = of_each * gpu.properties().multiprocessors;
        // Only the device knows the number of clusters that are written.
        Ok(LaunchConfig::blocks(at_once.min(self.tiles.len() as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::tpc_cluster_finder_cuda_fused_peaks_h::{
        BIT_LINES, BIT_WORDS, MAX_PEAKS, WORD_STEP,
    };

    #[test]
    fn tiles_of_all_rows_fit_into_shared_memory() {
        for row in 0..ROWS {
            let RowShape { pads, tile_times, .. } = row_shape(row);
            let times = tile_times + 2 * MARGIN;
            assert!(tile_times > 0 && tile_times % BIN_TIMES == 0);
            // An odd number of words.
            assert_eq!(cells_of_line(tile_times) % 4, 2);
            assert!((pads + 2 * CHARGE_LINES) * cells_of_line(tile_times) <= CELLS);
            assert!((pads + 2 * BIT_LINES) * times.div_ceil(WORD_STEP) <= BIT_WORDS);
            assert!(pads.div_ceil(2) * times.div_ceil(2) <= MAX_PEAKS);
        }
    }

    #[test]
    fn cells_are_divided_by_a_product() {
        for row in 0..ROWS {
            let RowShape { tile_times, reciprocal, .. } = row_shape(row);
            let line = cells_of_line(tile_times);
            for cell in 0..CELLS {
                assert_eq!((cell * reciprocal) >> RECIPROCAL_SHIFT, cell / line, "row {row}");
            }
        }
    }
}
