//! Finding noisy pads: `cache-line` and `bit-runs`.

use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

use crate::gpu::kernels::{NOISY_PADS_BIT_RUNS, NOISY_PADS_CACHE_LINE};
use crate::gpu::{Kernel, Loaded, Table};
use crate::recobench::{self, Host, NoisyPads, Problem, SEPARATE};
use crate::variant::{About, Ready, entry};

pub(crate) static CACHE_LINE: recobench::Variant = entry::<ByGroups<CacheLine>>(About {
    name: c"cubecl-cache-line",
    summary: c"CubeCL: a block for the eight pads of a cache line, through shared memory",
    native: c"cache-line",
    differs: None,
});

pub(crate) static BIT_RUNS: recobench::Variant = entry::<ByGroups<BitRuns>>(About {
    name: c"cubecl-bit-runs",
    summary: c"CubeCL: charges read once, 16 bytes a lane, as bits; runs of 32 time bins at once",
    native: c"bit-runs",
    differs: Some(
        c"CubeCL has no larger of halves of a word, no shuffles within four lanes, no structs in \
        shared memory and no words for blocks on a multiprocessor",
    ),
});

/// Pads of a tile.
const TILE_PADS: u32 = 8;
/// Charges of a tile.
const TILE: u64 = 32;
/// Tiles side by side.
const TILES_IN_ROW: u64 = 2889;
/// Tiles from the first one of a row of pads to that of the next.
const TILES_OF_PADS: u32 = 19;
/// Pads of a sector, with which kernels count.
const PADS_IN_SECTOR: u64 = 14560;

/// Blocks that have groups of pads each.
struct ByGroups<B> {
    // Before the kernel, which keeps the context that it is in.
    groups: Table,
    loaded: Loaded,
    group_count: u32,
    tile_rows: u32,
    grid: u32,
    blocks: PhantomData<B>,
}

trait Blocks {
    const KERNEL: &'static Kernel;
    /// Groups that a block has.
    const GROUPS: u32;
}

struct CacheLine;
struct BitRuns;

impl Blocks for CacheLine {
    const KERNEL: &'static Kernel = &NOISY_PADS_CACHE_LINE;
    const GROUPS: u32 = 1;
}

impl Blocks for BitRuns {
    const KERNEL: &'static Kernel = &NOISY_PADS_BIT_RUNS;
    /// Four lanes each.
    const GROUPS: u32 = 8;
}

impl<B: Blocks> Ready for ByGroups<B> {
    type Input = NoisyPads;
    const TASK: &'static CStr = c"noisy-pads";
    const BUFFERS: u32 = SEPARATE;

    fn prepare(host: &Host, maps: &NoisyPads) -> Result<Self, Problem> {
        let words = groups(pads_in_rows(maps)?);
        let group_count = (words.len() / 2) as u32;
        let tile_rows = maps.map_entries / (TILES_IN_ROW * TILE);
        let grid = maps.sectors * u64::from(group_count.div_ceil(B::GROUPS));
        let in_31_bits =
            |count: u64| u32::try_from(count).ok().filter(|&count| count <= i32::MAX as u32);
        let Some((tile_rows, grid)) = in_31_bits(tile_rows).zip(in_31_bits(grid)) else {
            let problem = "it counts blocks and rows of tiles with 31 bits; use fewer sectors";
            return Err(Problem::Unavailable(problem.to_owned()));
        };
        let loaded = Loaded::new(host, B::KERNEL)?;
        let groups = loaded.table(&words)?;
        Ok(ByGroups { loaded, groups, group_count, tile_rows, grid, blocks: PhantomData })
    }

    fn memory(&self) -> (u64, u64) {
        (0, self.groups.bytes())
    }

    fn run(&self, host: &Host, maps: &NoisyPads) -> Result<(), Problem> {
        if self.grid == 0 {
            return Ok(());
        }
        let arrays: [*const c_void; 3] =
            [maps.charges.cast(), self.groups.pointer(), maps.found.cast_const().cast()];
        let thresholds = [maps.most_charges, maps.most_run, maps.saturation];
        let numbers =
            [self.group_count, self.tile_rows, thresholds[0], thresholds[1], thresholds[2]];
        // SAFETY: each group of each sector has its tile in all rows of tiles of a map, and the
        // output has an entry for each of its pads.
        unsafe { self.loaded.launch(host, self.grid, &arrays, &numbers) }
    }
}

/// The numbers of pads in rows, if the kernels support them.
fn pads_in_rows(maps: &NoisyPads) -> Result<&[u32], Problem> {
    if maps.size < size_of::<NoisyPads>() {
        let older = "this bench is older than the library; use both of one version";
        return Err(Problem::Unavailable(older.to_owned()));
    }
    if maps.pads != PADS_IN_SECTOR {
        let other = format!("its kernels are for sectors of {PADS_IN_SECTOR} pads");
        return Err(Problem::Unavailable(other));
    }
    // SAFETY: the header has a number for each row there.
    Ok(unsafe { std::slice::from_raw_parts(maps.host_pads_in_row, maps.rows as usize) })
}

/// Pads whose charges are in the same tiles, eight or fewer at the end of a row, as kernels read
/// them: the index of the tile with the number of pads above it, and the index of the first pad.
fn groups(pads_in_rows: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    let mut first = 0;
    for (row, &pads) in (0..).zip(pads_in_rows) {
        // Column 152 row + 8 is the first one.
        let tile = TILES_OF_PADS * row + 1;
        for (index, pad) in (0..pads).step_by(TILE_PADS as usize).enumerate() {
            let in_tile = TILE_PADS.min(pads - pad);
            words.extend([in_tile << 16 | (tile + index as u32), first + pad]);
        }
        first += pads;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_pads_of_each_row_once() {
        let words = groups(&[9, 8, 1]);
        let expected = [[8 << 16 | 1, 0], [1 << 16 | 2, 8], [8 << 16 | 20, 9], [1 << 16 | 39, 17]];
        assert_eq!(words, expected.concat());
    }
}
