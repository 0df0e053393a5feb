//! Stable ranks of digits in a tile: `radix_rank.h`, and `block_scan.h`.
//!
//! The tile is warp-striped: item i of a lane is at index (warp * items + i) * LANES + lane, so
//! that a warp has a contiguous run.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

use super::block_merge::Blocks;
use super::streams::digi_key;
use crate::LANES;

/// Bits of a digit.
pub const RADIX_BITS: u32 = 7;
const BINS: u32 = 1 << RADIX_BITS;
const RANK_BITS: u32 = 16;

/// Shared memory of a block.
#[derive(CubeType)]
pub struct RankShared {
    /// Number of items of each digit in each warp so far; later the output index of the first of
    /// them.
    counts: SharedMemory<u32>,
    /// A word a warp.
    warp_sums: SharedMemory<u32>,
}

#[cube]
impl RankShared {
    /// Allocates the counts of a block.
    pub fn new(#[comptime] blocks: Blocks) -> RankShared {
        RankShared {
            counts: SharedMemory::new(comptime!((blocks.warps() * BINS) as usize)),
            warp_sums: SharedMemory::new(LANES as usize),
        }
    }
}

/// The position of this thread's item i in the tile.
#[cube]
pub fn position(#[comptime] i: u32, #[comptime] blocks: Blocks) -> u32 {
    (UNIT_POS_X / LANES * blocks.items + i) * LANES + UNIT_POS_X % LANES
}

/// The digit of an item.
#[cube]
fn digit_of(item: u64, shift: u32) -> u32 {
    u32::cast_from(digi_key(item) >> u64::cast_from(shift)) & (BINS - 1)
}

/// The lanes with the same digit as this lane.
#[cube]
fn lanes_with(digit: u32) -> u32 {
    let mut same = 0xffff_ffffu32;
    #[unroll]
    for bit in 0..RADIX_BITS {
        let is_set = (digit >> bit & 1) != 0;
        let vote = plane_ballot(is_set)[0];
        same &= select(is_set, vote, !vote);
    }
    same
}

/// Sets `ranks` to the positions of the items in a stable order by digit. A warp of which none
/// `is_needed` has no ranks; all others have an item at each position, with the last digit where
/// there is none in truth. `shared` is free again after a barrier.
#[cube]
pub fn rank(
    items: &Array<u64>,
    shift: u32,
    is_needed: bool,
    ranks: &mut Array<u32>,
    shared: &mut RankShared,
    #[comptime] blocks: Blocks,
) {
    let lane = UNIT_POS_X % LANES;
    let own = UNIT_POS_X / LANES * BINS;
    for bin in range_stepped(lane, BINS, LANES) {
        shared.counts[(own + bin) as usize] = 0u32;
    }
    sync_plane();
    if is_needed {
        rank_in_warp(items, shift, ranks, &mut shared.counts, own, blocks);
    }
    sync_cube();
    sum_over_warps(shared, blocks);
    sync_cube();
    if is_needed {
        #[unroll]
        for i in 0..blocks.items {
            let in_warp = ranks[i as usize] & comptime!((1 << RANK_BITS) - 1);
            let digit = ranks[i as usize] >> RANK_BITS;
            ranks[i as usize] = shared.counts[(own + digit) as usize] + in_warp;
        }
    }
}

/// Registers are scarce: a digit is stored above its rank.
#[cube]
fn rank_in_warp(
    items: &Array<u64>,
    shift: u32,
    ranks: &mut Array<u32>,
    counts: &mut SharedMemory<u32>,
    own: u32,
    #[comptime] blocks: Blocks,
) {
    let below = (1u32 << (UNIT_POS_X % LANES)) - 1;
    #[unroll]
    for i in 0..blocks.items {
        let digit = digit_of(items[i as usize], shift);
        let same = lanes_with(digit);
        let before = (same & below).count_ones();
        let earlier = counts[(own + digit) as usize];
        sync_plane();
        if before == 0 {
            counts[(own + digit) as usize] = earlier + same.count_ones();
        }
        sync_plane();
        ranks[i as usize] = digit << RANK_BITS | (earlier + before);
    }
}

/// Digit by digit, and for each digit warp by warp.
#[cube]
fn sum_over_warps(shared: &mut RankShared, #[comptime] blocks: Blocks) {
    let bin = UNIT_POS_X;
    let mut count = 0u32;
    if bin < BINS {
        #[unroll]
        for warp in 0..comptime!(blocks.warps()) {
            count += shared.counts[(warp * BINS + bin) as usize];
        }
    }
    let mut before = block_exclusive_sum(count, &mut shared.warp_sums, blocks);
    if bin < BINS {
        #[unroll]
        for warp in 0..comptime!(blocks.warps()) {
            let at = (warp * BINS + bin) as usize;
            let own = shared.counts[at];
            shared.counts[at] = before;
            before += own;
        }
    }
}

/// The sum over this lane and those below it.
#[cube]
fn warp_inclusive_sum(value: u32) -> u32 {
    let lane = UNIT_POS_X % LANES;
    let mut sum = value;
    #[unroll]
    for step in 0..5u32 {
        let below = plane_shuffle_up(sum, comptime!(1u32 << step));
        if lane >= comptime!(1u32 << step) {
            sum += below;
        }
    }
    sum
}

/// The sum over the threads below this one. All threads take part; a barrier is needed before
/// `warp_sums` is used again.
#[cube]
fn block_exclusive_sum(
    value: u32,
    warp_sums: &mut SharedMemory<u32>,
    #[comptime] blocks: Blocks,
) -> u32 {
    let lane = UNIT_POS_X % LANES;
    let warp = UNIT_POS_X / LANES;
    let inclusive = warp_inclusive_sum(value);
    if lane == LANES - 1 {
        warp_sums[warp as usize] = inclusive;
    }
    sync_cube();
    let mut others = 0u32;
    if lane < comptime!(blocks.warps()) {
        others = warp_sums[lane as usize];
    }
    let scanned = warp_inclusive_sum(others);
    let before = plane_shuffle(scanned - others, warp);
    before + inclusive - value
}
