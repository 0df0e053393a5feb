//! Regions: large segments, and large buckets of such. Many blocks share each:
//! they count the digis of its buckets, find the buckets' places, distribute
//! the digis, and sort the buckets.

use super::division::Range;
use super::limits::{
    BUCKETS, CAPACITY, DISTRIBUTED_TILE, THREADS, WINDOW, shared_by_distribution, shared_by_sorting,
};
use super::{DIGI, IMAGE, words};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, Shape};
use crate::sts_sort::cuda::{Digis, Table, Words};

static COUNT: Kernel<(Digis, Words, Words, Words, Words, u32, u32)> =
    Kernel::new(&IMAGE, "channel_bucket_count");
static PLACE: Kernel<(Words, Words, Words, Words)> = Kernel::new(&IMAGE, "channel_bucket_place");
static DISTRIBUTE: Kernel<(Digis, Digis, Words, Words, u32, u32)> =
    Kernel::new(&IMAGE, "channel_bucket_distribute");
static SORT: Kernel<SortParameters> = Kernel::new(&IMAGE, "channel_bucket_sort");

type SortParameters = (Digis, Digis, Words, Words, u32, Words, u32, u32, Words);

/// Large buckets are rare; their tables have room for so many at a time.
const LARGE_BUCKETS: usize = 16;
/// Parts of all regions together, for each multiprocessor.
const PARTS: u32 = 4;
/// A part has so many tiles at least, or its table would be as large as itself.
const TILES_OF_PART: u32 = 4;

/// Which bits of a digi tell its bucket.
#[derive(Clone, Copy)]
pub(super) struct Level {
    pub(super) shift: u32,
    pub(super) bits: u32,
}

/// Some regions, and the tables to distribute and sort them.
pub(super) struct Regions {
    most: usize,
    /// How many there are now.
    count: u32,
    /// How many digis they have.
    digis: u64,
    parts_count: u32,
    windows: u32,
    /// Two words a part: where it begins and ends.
    parts: Table,
    region_of_part: Table,
    first_parts: Table,
    first_windows: Table,
    /// A word for each bucket of each part: its digis, then their place.
    counts: DeviceBuffer<u32>,
    /// Where each bucket of each region begins, and where the last one ends.
    buckets: DeviceBuffer<u32>,
    /// Two words a region: its first time, and the complement of its last.
    times: DeviceBuffer<u32>,
}

impl Regions {
    /// With room for so many large segments of so many digis in all, or for
    /// some large buckets at a time.
    pub(super) fn new(gpu: &Gpu, digis: usize, segments: usize) -> Result<Self, DeviceError> {
        let large_buckets = LARGE_BUCKETS.min(digis / CAPACITY as usize);
        let most = segments.max(large_buckets).max(1);
        let parts = most + (PARTS * gpu.properties().multiprocessors) as usize;
        let parts = parts.min(most + digis / (TILES_OF_PART * DISTRIBUTED_TILE) as usize);
        Ok(Regions {
            most,
            count: 0,
            digis: 0,
            parts_count: 0,
            windows: 0,
            parts: Table::new(gpu, 2 * parts)?,
            region_of_part: Table::new(gpu, parts)?,
            first_parts: Table::new(gpu, most + 1)?,
            first_windows: Table::new(gpu, most + 1)?,
            counts: gpu.buffer(parts * BUCKETS as usize)?,
            buckets: gpu.buffer(most * (BUCKETS as usize + 1))?,
            times: gpu.buffer(2 * most)?,
        })
    }

    /// How many regions it can have.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self) -> u64 {
        let tables = [
            &self.parts,
            &self.region_of_part,
            &self.first_parts,
            &self.first_windows,
        ];
        let in_tables: u64 = tables.iter().map(|table| table.device.bytes()).sum();
        in_tables + self.counts.bytes() + self.buckets.bytes() + self.times.bytes()
    }

    /// Takes regions on, no more than [`Regions::most`].
    pub(super) fn fill(&mut self, gpu: &Gpu, regions: &[Range]) -> Result<(), DeviceError> {
        let digis: u32 = regions.iter().map(|region| region.len() as u32).sum();
        let length = part_length(digis, gpu.properties().multiprocessors);
        let (mut parts, mut owners) = (Vec::new(), Vec::new());
        let (mut first_parts, mut first_windows) = (vec![0], vec![0]);
        let mut windows = 0;
        for (number, region) in regions.iter().enumerate() {
            parts.extend(parts_of(region, length));
            owners.resize(parts.len(), number as u32);
            windows += (region.len() as u32).div_ceil(WINDOW);
            first_parts.push(parts.len() as u32);
            first_windows.push(windows);
        }
        self.count = regions.len() as u32;
        self.digis = digis.into();
        self.parts_count = parts.len() as u32;
        self.windows = windows;
        self.parts.fill(gpu, words(&parts))?;
        self.region_of_part.fill(gpu, owners.into_iter())?;
        self.first_parts.fill(gpu, first_parts.into_iter())?;
        self.first_windows.fill(gpu, first_windows.into_iter())
    }

    /// Brings the digis of each region into the order of their buckets.
    pub(super) fn distribute(
        &self,
        gpu: &Gpu,
        level: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        gpu.fill(&self.times, 0xff)?;
        let parts = &self.parts.device;
        let (owners, first_parts) = (&self.region_of_part.device, &self.first_parts.device);
        let Level { shift, bits } = level;
        let (counts, times) = (&self.counts, &self.times);
        // SAFETY: parts are ranges of the arrays, and the tables have room for
        // so many parts and regions.
        unsafe {
            let shape = self.shape(self.parts_count, 1, 0);
            gpu.launch(
                &COUNT,
                &shape,
                (from, parts, owners, counts, times, shift, bits),
            )?;
            let shape = self.shape(self.count, 0, 0);
            gpu.launch(&PLACE, &shape, (parts, first_parts, counts, &self.buckets))?;
            let shape = self.shape(self.parts_count, 2, shared_by_distribution(gpu));
            gpu.launch(&DISTRIBUTE, &shape, (from, to, parts, counts, shift, bits))
        }
    }

    /// Sorts the buckets of all regions; those that don't fit go to a list.
    pub(super) fn sort(
        &self,
        gpu: &Gpu,
        Level { shift, bits }: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
        unfit: &DeviceBuffer<u32>,
    ) -> Result<(), DeviceError> {
        let (buckets, first_windows) = (&self.buckets, &self.first_windows.device);
        let times = &self.times;
        let shape = self.shape(self.windows, 3, shared_by_sorting(gpu));
        let arguments = (
            from,
            to,
            buckets,
            first_windows,
            self.count,
            times,
            shift,
            bits,
            unfit,
        );
        // SAFETY: buckets are ranges of the arrays, and the list has room for
        // all buckets that don't fit.
        unsafe { gpu.launch(&SORT, &shape, arguments) }
    }

    /// So many blocks, which move so many words for each digi.
    fn shape(&self, blocks: u32, words: u64, shared_bytes: u32) -> Shape {
        Shape {
            blocks,
            threads: THREADS,
            shared_bytes,
            bytes: words * self.digis * DIGI,
        }
    }
}

/// An even number, so that parts begin as aligned as their regions.
fn part_length(digis: u32, multiprocessors: u32) -> u32 {
    let share = digis.div_ceil(PARTS * multiprocessors);
    let least = TILES_OF_PART * DISTRIBUTED_TILE;
    share.max(least).next_multiple_of(2)
}

fn parts_of(region: &Range, length: u32) -> impl Iterator<Item = Range> {
    let end = region.end;
    let starts = region.clone().step_by(length as usize);
    starts.map(move |start| start..end.min(start.saturating_add(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_their_region() {
        let parts: Vec<_> = parts_of(&(5..26), 10).collect();
        assert_eq!(parts, [5..15, 15..25, 25..26]);
        assert_eq!(parts_of(&(5..5), 10).count(), 0);
    }

    #[test]
    fn there_are_some_parts_for_each_multiprocessor() {
        let digis = 187_000_000;
        let length = part_length(digis, 132);
        assert!(length.is_multiple_of(2) && digis.div_ceil(length) <= 4 * 132);
        assert_eq!(part_length(1000, 132), TILES_OF_PART * DISTRIBUTED_TILE);
    }
}
