//! Ours: samples in bins by row and time, tiles of rows in shared memory. See the kernels.

use std::borrow::Cow;
use std::sync::Arc;

use generators::tpc::charges::{Charge, ChargeCase};
use generators::tpc::geometry::{ROWS, pads_in_row};

use super::cases::{self, Cases};
use super::found::{Found, HostRoom};
use crate::algorithm::{Opened, Opening, Runner, Variant};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid, Lent, Table};
use crate::device::{Arena, Unavailable, buffers};
use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{
    BIN_TIMES, Counts, RECIPROCAL_SHIFT, RowShape, Tile,
};
use crate::kernels::tpc_cluster_finder_cuda_fused_strip_h::{
    CELLS, CHARGE_LINES, LINE_END, MARGIN,
};
use crate::kernels::tpc_cluster_finder_fused::{
    BIN_ITEMS, BIN_THREADS, FUSED_BIN_SAMPLES, FUSED_COUNT_SAMPLES, FUSED_FIND_CLUSTERS,
    FUSED_PLACE_BINS, FusedBinSamples, FusedCountSamples, FusedFindClusters, FusedPlaceBins,
};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::{Charges, RowCluster};

pub(super) const FUSED: Variant<TpcClusterFinder> = Variant::cuda(
    "fused",
    "ours: samples in bins by row and time; a tile of a row in shared memory, peaks as bits",
    |at| open(at),
)
.by_published_rules();

/// Samples for each run of clusters that a tile adds at once, at most: the lanes of a warp.
const FEWEST_LANES: usize = 32;
/// Bytes of a sample as it comes, and in a bin.
const SAMPLE: u64 = size_of::<Charge>() as u64;
const BINNED: u64 = size_of::<u32>() as u64;

struct Fused<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    sizes: Sizes,
    /// For how many clusters and runs there is to be room on the host.
    host_room: HostRoom,
    gpu: Arc<Gpu>,
}

struct Held<'a> {
    cases: Cases<'a>,
    rows: Lent<'a, DeviceBuffer<RowShape>>,
    /// The first word of each sector.
    first_words: Table,
    /// See `bins.h`.
    words: DeviceBuffer<u32>,
    counts: DeviceBuffer<Counts>,
    binned: DeviceBuffer<u32>,
    tiles: DeviceBuffer<Tile>,
    found: Found,
}

buffers!(Held<'_>: cases, rows, first_words, words, counts, binned, tiles, found);

/// How much there is of all, at most.
struct Sizes {
    samples: usize,
    sectors: usize,
    words: usize,
    /// Tiles that have samples.
    tiles: usize,
}

fn open<'a>(at: &Opening<'a, '_, TpcClusterFinder>) -> Opened<'a, TpcClusterFinder> {
    cases::fit(at.input)?;
    let sizes = Sizes::of(at.input);
    let most = u32::MAX as usize;
    if sizes.words > most {
        let words = sizes.words;
        return Err(Unavailable(format!(
            "{words} bins of time bins and rows; {most} is the most; use fewer sectors or orbits"
        )));
    }
    let host_room = HostRoom::for_samples(sizes.samples);
    at.session(Fused { charges: at.input, arena: at.arena, sizes, host_room, gpu: at.gpu()? })
}

impl Sizes {
    fn of(charges: &Charges) -> Self {
        let (cases, samples) = (charges.cases(), charges.samples());
        let tiles_of = |case: &ChargeCase| {
            let of_row = |row| case.time_bins.div_ceil(row_shape(row).tile_times) as usize;
            (0..ROWS).map(of_row).sum::<usize>()
        };
        Sizes {
            samples,
            sectors: cases.len(),
            words: cases.iter().map(words_of).sum(),
            tiles: cases.iter().map(tiles_of).sum::<usize>().min(samples),
        }
    }
}

/// Words of all rows of a sector: one for each bin, and one more for each row.
fn words_of(case: &ChargeCase) -> usize {
    ROWS * (case.time_bins.div_ceil(BIN_TIMES) as usize + 1)
}

/// Tiles have as many time bins as fit into shared memory with the row's pads.
fn row_shape(row: usize) -> RowShape {
    let pads = pads_in_row(row) as u32;
    let most = CELLS / (pads + 2 * CHARGE_LINES) - LINE_END;
    let tile_times = (most - 2 * MARGIN) / BIN_TIMES * BIN_TIMES;
    let reciprocal = (1_u32 << RECIPROCAL_SHIFT).div_ceil(cells_of_line(tile_times));
    RowShape { pads, tile_times, reciprocal }
}

fn cells_of_line(tile_times: u32) -> u32 {
    tile_times + 2 * MARGIN + LINE_END
}

impl Fused<'_> {
    /// Blocks with a share of the samples each.
    fn by_samples(&self, bytes_of_sample: u64) -> Grid {
        let samples = self.sizes.samples as u64;
        let blocks = samples.div_ceil((BIN_THREADS * BIN_ITEMS).into());
        Grid::blocks(blocks as u32).moving(samples * bytes_of_sample)
    }

    /// Nobody knows before how many samples a bin has.
    fn count(&self, held: &Held<'_>) -> Result<(), DeviceError> {
        self.gpu.fill(&held.words, 0)?;
        let arguments = FusedCountSamples {
            samples: held.cases.samples(),
            count: self.sizes.samples as u32,
            sectors: held.cases.sectors(),
            sector_count: self.sizes.sectors as u32,
            first_words: held.first_words.ptr(),
            words: held.words.ptr(),
        };
        // SAFETY: each sample has a word for its bin.
        unsafe { self.gpu.launch(&FUSED_COUNT_SAMPLES, self.by_samples(SAMPLE), arguments) }
    }

    fn place(&self, held: &Held<'_>) -> Result<(), DeviceError> {
        self.gpu.fill(&held.counts, 0)?;
        let arguments = FusedPlaceBins {
            sectors: held.cases.sectors(),
            rows: held.rows.ptr(),
            first_words: held.first_words.ptr(),
            words: held.words.ptr(),
            counts: held.counts.ptr(),
            tiles: held.tiles.ptr(),
        };
        let rows = Grid::blocks((self.sizes.sectors * ROWS) as u32);
        let grid = rows.moving(3 * held.words.bytes() + held.tiles.bytes());
        // SAFETY: there is room for all tiles that have samples.
        unsafe { self.gpu.launch(&FUSED_PLACE_BINS, grid, arguments) }
    }

    fn bin(&self, held: &Held<'_>) -> Result<(), DeviceError> {
        let arguments = FusedBinSamples {
            samples: held.cases.samples(),
            count: self.sizes.samples as u32,
            sectors: held.cases.sectors(),
            sector_count: self.sizes.sectors as u32,
            first_words: held.first_words.ptr(),
            words: held.words.ptr(),
            binned: held.binned.ptr(),
        };
        let grid = self.by_samples(SAMPLE + BINNED);
        // SAFETY: bins have been given as many places as they have samples.
        unsafe { self.gpu.launch(&FUSED_BIN_SAMPLES, grid, arguments) }
    }

    fn find(&self, held: &Held<'_>) -> Result<(), DeviceError> {
        let (gpu, tiles) = (&self.gpu, held.tiles.len() as u32);
        let of_each = gpu.attributes(&FUSED_FIND_CLUSTERS, Grid::blocks(1))?.resident_blocks.max(1);
        let at_once = of_each * gpu.properties().multiprocessors;
        // How many clusters there will be nobody knows; margins come from the caches.
        let bytes = self.sizes.samples as u64 * BINNED + held.tiles.bytes();
        let (most_clusters, most_runs) = held.found.most();
        let arguments = FusedFindClusters {
            binned: held.binned.ptr(),
            tiles: held.tiles.ptr(),
            counts: held.counts.ptr(),
            sectors: held.cases.sectors(),
            rows: held.rows.ptr(),
            noisy: held.cases.noisy(),
            totals: held.found.totals(),
            clusters: held.found.clusters(),
            runs: held.found.runs(),
            most_clusters,
            most_runs,
        };
        // SAFETY: tiles are of rows with such shapes, and their samples are in them; nothing is
        // written beyond the lists.
        unsafe {
            gpu.launch(
                &FUSED_FIND_CLUSTERS,
                Grid::blocks(at_once.min(tiles)).moving(bytes),
                arguments,
            )
        }
    }
}

impl<'a> Runner<TpcClusterFinder> for Fused<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let (gpu, sizes) = (&self.gpu, &self.sizes);
        let most = (sizes.samples, sizes.samples / FEWEST_LANES + sizes.tiles);
        let rows = || (0..ROWS).map(row_shape).collect::<Vec<_>>();
        Ok(Held {
            cases: Cases::new(gpu, self.charges, self.arena)?,
            rows: Lent::of(self.charges, self.arena, gpu, |gpu| gpu.table(&rows()))?,
            first_words: Table::new(gpu, sizes.sectors)?,
            words: gpu.buffer(sizes.words)?,
            counts: gpu.buffer(1)?,
            binned: gpu.buffer(sizes.samples)?,
            tiles: gpu.buffer(sizes.tiles)?,
            found: Found::new(gpu, most, self.host_room)?,
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        held.cases.upload(gpu)?;
        let words = self.charges.cases().iter().map(words_of);
        let first_words = words.scan(0, |next, words| {
            let first = *next;
            *next += words as u32;
            Some(first)
        });
        held.first_words.fill(gpu, first_words)?;
        held.found.clear(gpu)?;
        self.count(held)?;
        self.place(held)?;
        self.bin(held)?;
        self.find(held)?;
        held.found.download(gpu)
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Vec<RowCluster>> {
        Cow::Owned(held.found.sorted())
    }

    fn note(&mut self, held: &Held<'a>) {
        self.host_room = held.found.host_room();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::tpc_cluster_finder_cuda_fused_strip_h::{
        BIT_LINES, BIT_WORDS, MOST_PEAKS, WORD_STEP,
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
            assert!(pads.div_ceil(2) * times.div_ceil(2) <= MOST_PEAKS);
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
