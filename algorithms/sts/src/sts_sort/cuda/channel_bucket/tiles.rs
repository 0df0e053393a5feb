//! Regions as tiles whose digis go to their groups in the order in which they arrive.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel};

use super::division::Range;
use crate::kernels::sts_sort_channel_bucket::{
    CHANNEL_BUCKET_DISTRIBUTE_LARGE_TILES, CHANNEL_BUCKET_DISTRIBUTE_SMALL_TILES, DistributeTiles,
    LARGE_TILE, SMALL_TILE, Tile, TileStatus,
};
use tasks::device::{StagedArray, buffers};

/// Regions of no more groups than this are split into small tiles: a tile's run in a group has at
/// least some 128 bytes, as groups are at least half full.
const SMALL_GROUPS: u32 = 256;

/// Regions whose tiles are interleaved. With more of them, the ends of a group's runs would no
/// longer meet in the cache.
const REGIONS_IN_TURN: usize = 256;

/// Tiles of some regions, and their status words.
pub(super) struct Tiles {
    all: StagedArray<Tile>,
    /// Offset of each region's status words.
    first_states: StagedArray,
    states: DeviceBuffer<u32>,
    /// Index of the next tile.
    ticket: DeviceBuffer<u32>,
    /// Regions of more groups are split into large tiles.
    few_groups: u32,
    are_large: bool,
    count: u32,
    state_words: usize,
}

buffers!(Tiles: all, first_states, states, ticket);

impl Tiles {
    /// Tables for `digis` digis in `regions` regions, none of which has more than `groups` groups.
    pub(super) fn new(
        gpu: &Gpu,
        digis: usize,
        regions: usize,
        groups: u32,
    ) -> Result<Self, DeviceError> {
        let max = |tile: u32| digis / tile as usize + regions;
        let words = |tile, groups: u32| max(tile) * groups as usize;
        let states = words(SMALL_TILE, SMALL_GROUPS.min(groups)).max(words(LARGE_TILE, groups));
        Ok(Tiles {
            all: StagedArray::new(gpu, max(SMALL_TILE))?,
            first_states: StagedArray::new(gpu, regions)?,
            states: gpu.buffer(states)?,
            ticket: gpu.buffer(1)?,
            few_groups: SMALL_GROUPS,
            are_large: false,
            count: 0,
            state_words: 0,
        })
    }

    /// Makes large tiles of regions of more groups than these already.
    #[cfg(test)]
    pub(super) fn enlarge_above(&mut self, groups: u32) {
        self.few_groups = groups;
    }

    /// Splits regions into tiles; each region comes with its maximum number of groups.
    pub(super) fn fill(
        &mut self,
        gpu: &Gpu,
        regions: impl Iterator<Item = (Range, u32)> + Clone,
    ) -> Result<(), DeviceError> {
        self.are_large = regions.clone().any(|(_, groups)| groups > self.few_groups);
        let length = if self.are_large { LARGE_TILE } else { SMALL_TILE };
        let mut counts = Vec::new();
        let mut first_states = Vec::new();
        let mut states = 0;
        for (range, groups) in regions {
            let count = (range.len() as u32).div_ceil(length);
            counts.push(count);
            first_states.push(states);
            states += count * groups;
        }
        let tiles = in_turns(&counts);
        self.count = tiles.len() as u32;
        self.state_words = states as usize;
        self.all.fill(gpu, tiles)?;
        self.first_states.fill(gpu, first_states)
    }

    /// Number of tiles.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The kernel that moves tiles, a block each.
    pub(super) fn kernel(&self) -> &'static Kernel<DistributeTiles> {
        if self.are_large {
            &CHANNEL_BUCKET_DISTRIBUTE_LARGE_TILES
        } else {
            &CHANNEL_BUCKET_DISTRIBUTE_SMALL_TILES
        }
    }

    /// The arguments of kernels, with all status words cleared.
    pub(super) fn clear(&self, gpu: &Gpu) -> Result<TileStatus, DeviceError> {
        gpu.fill(&self.ticket, 0)?;
        gpu.fill_first(&self.states, self.state_words, 0)?;
        Ok(TileStatus {
            tiles: self.all.ptr(),
            first_states: self.first_states.ptr(),
            states: self.states.ptr(),
            ticket: self.ticket.ptr(),
        })
    }
}

/// The tiles of regions with these numbers of tiles. Some regions are interleaved, so that a tile
/// seldom has to wait for those before it.
fn in_turns(counts: &[u32]) -> Vec<Tile> {
    let mut tiles = Vec::with_capacity(counts.iter().map(|&count| count as usize).sum());
    let regions: Vec<_> = (0..).zip(counts).collect();
    for some in regions.chunks(REGIONS_IN_TURN) {
        let mut left = some.to_vec();
        for number in 0.. {
            left.retain(|&(_, &count)| number < count);
            if left.is_empty() {
                break;
            }
            tiles.extend(left.iter().map(|&(region, _)| Tile { region, number }));
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tile_comes_after_those_before_it() {
        let counts: Vec<_> = (0..600).map(|region| region % 5).collect();
        let mut next = vec![0; counts.len()];
        for tile in in_turns(&counts) {
            assert_eq!(tile.number, next[tile.region as usize]);
            next[tile.region as usize] += 1;
        }
        assert_eq!(next, counts);
    }
}
