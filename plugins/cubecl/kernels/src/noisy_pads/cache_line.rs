//! Pads in groups of a cache line, as published: `cache_line.cu`.
//!
//! Shared memory: the charges of 8 pads in 8 time bins, 128 bytes.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

use super::map::{
    Activity, GroupWords, PADS_IN_SECTOR, TILE, TILE_PADS, TILE_TIMES, TILES_IN_ROW, Thresholds,
    activity_of, first_tile, group_at,
};

/// Threads of a block.
pub const THREADS: u32 = 64;
/// Number of tiles, one above the other, that are staged at once.
const STAGED: u32 = THREADS / TILE;

/// Activity of each pad of each group. A block handles one group of one sector.
#[cube]
pub fn noisy_pads_cache_line(
    maps: &Array<u16>,
    groups: &Array<GroupWords>,
    activity: &mut Array<Activity>,
    group_count: u32,
    tile_rows: u32,
    thresholds: Thresholds,
) {
    let thread = UNIT_POS_X;
    let mut staged = SharedMemory::<u16>::new(THREADS as usize);
    let sector = CUBE_POS_X / group_count;
    let group = group_at(groups, CUBE_POS_X % group_count);
    let first = first_tile(sector, tile_rows, &group) * u64::cast_from(TILE);
    let tile = thread / TILE;
    let in_tile = thread % TILE;
    let mut charges = 0u32;
    let mut run = 0u32;
    let mut longest_run = 0u32;
    let mut largest = 0u32;
    for row in range_stepped(0u32, tile_rows, STAGED) {
        let mut charge = 0u16;
        if row + tile < tile_rows {
            let in_map = u64::cast_from(row + tile) * u64::cast_from(TILES_IN_ROW * TILE);
            charge = maps[(first + in_map + u64::cast_from(in_tile)) as usize];
        }
        staged[thread as usize] = charge;
        sync_cube();
        if thread < TILE_PADS {
            #[unroll]
            for time in 0..STAGED * TILE_TIMES {
                let seen = u32::cast_from(staged[(time * TILE_PADS + thread) as usize]);
                let is_present = seen > 0;
                charges += u32::cast_from(is_present);
                run = select(is_present, run + 1, 0u32);
                longest_run = u32::max(longest_run, run);
                largest = u32::max(largest, seen);
            }
        }
        sync_cube();
    }
    if thread < group.pads {
        let pad = sector * PADS_IN_SECTOR + group.first_pad + thread;
        activity[pad as usize] = activity_of(charges, longest_run, largest, &thresholds);
    }
}
