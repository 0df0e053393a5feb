//! The published sort, one block per segment: `block_merge.cu` and `block_merge.h`.
//!
//! Arrays are not values in CubeCL: where CUDA has a pointer to one of two, each access is a
//! branch.
//!
//! Shared memory: the items of a chunk or of a tile of merged items (44 KiB at 512 x 11), then the
//! counts of the radix sort (8.1 KiB).

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

use super::radix_rank::{RADIX_BITS, RankShared, position, rank};
use super::streams::{KEY_BITS, digi_key, read_digis, write_digis};
use crate::LANES;

/// Threads of a block, and digis that each has of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blocks {
    /// Threads.
    pub threads: u32,
    /// Digis of a thread.
    pub items: u32,
}

impl Blocks {
    /// Warps of a block.
    pub fn warps(self) -> u32 {
        self.threads / LANES
    }

    /// Digis of a chunk.
    fn tile(self) -> u32 {
        self.threads * self.items
    }

    /// Positions of a warp.
    fn of_warp(self) -> u32 {
        self.items * LANES
    }
}

/// Digis in two arrays of the same size.
#[derive(CubeType)]
pub struct Arrays {
    pub digis: Array<u64>,
    pub scratch: Array<u64>,
}

/// Shared memory of a block.
#[derive(CubeType)]
struct Shared {
    items: SharedMemory<u64>,
    rank: RankShared,
}

#[cube]
impl Arrays {
    fn get(&self, is_scratch: bool, at: u32) -> u64 {
        if is_scratch { self.scratch[at as usize] } else { self.digis[at as usize] }
    }

    fn read(
        &self,
        is_scratch: bool,
        begin: u32,
        count: u32,
        items: &mut SharedMemory<u64>,
        to: u32,
        #[comptime] threads: u32,
    ) {
        if is_scratch {
            read_digis(&self.scratch, begin, count, items, to, threads);
        } else {
            read_digis(&self.digis, begin, count, items, to, threads);
        }
    }

    fn write(
        &mut self,
        is_scratch: bool,
        begin: u32,
        count: u32,
        items: &SharedMemory<u64>,
        #[comptime] threads: u32,
    ) {
        if is_scratch {
            write_digis(&mut self.scratch, begin, count, items, threads);
        } else {
            write_digis(&mut self.digis, begin, count, items, threads);
        }
    }
}

/// Sorts each segment of `digis`, with `scratch` of the same size; segment s is at positions
/// offsets[s] .. offsets[s + 1]. A block a segment.
#[cube]
pub fn block_merge_sort(arrays: &mut Arrays, offsets: &Array<u64>, #[comptime] blocks: Blocks) {
    let mut shared = Shared {
        items: SharedMemory::new(comptime!(blocks.tile() as usize)),
        rank: RankShared::new(blocks),
    };
    let begin = u32::cast_from(offsets[CUBE_POS_X as usize]);
    let end = u32::cast_from(offsets[(CUBE_POS_X + 1) as usize]);
    sort_segment(arrays, begin, end - begin, &mut shared, blocks);
}

#[cube]
fn sort_segment(
    arrays: &mut Arrays,
    begin: u32,
    count: u32,
    shared: &mut Shared,
    #[comptime] blocks: Blocks,
) {
    let tile = comptime!(blocks.tile());
    let mut levels = 0u32;
    while (u64::cast_from(tile) << u64::cast_from(levels)) < u64::cast_from(count) {
        levels += 1;
    }
    // Chosen so that the last level writes to `digis`.
    let to_scratch = levels % 2 == 1;
    let mut at = 0u32;
    while at < count {
        let in_chunk = u32::min(tile, count - at);
        sort_chunk(arrays, begin + at, in_chunk, to_scratch, shared, blocks);
        at += in_chunk;
    }
    for level in 0..levels {
        let from_scratch = (levels - level) % 2 == 1;
        let width = u64::cast_from(tile) << u64::cast_from(level);
        merge_level(arrays, begin, count, from_scratch, width, shared, blocks);
    }
}

/// One pass over the chunk in shared memory. Barriers before and after.
#[cube]
fn radix_pass(shared: &mut Shared, count: u32, shift: u32, #[comptime] blocks: Blocks) {
    let has_items = UNIT_POS_X / LANES * comptime!(blocks.of_warp()) < count;
    let mut items = Array::<u64>::new(comptime!(blocks.items as usize));
    let mut ranks = Array::<u32>::new(comptime!(blocks.items as usize));
    if has_items {
        #[unroll]
        for i in 0..blocks.items {
            items[i as usize] = shared.items[position(i, blocks) as usize];
        }
    }
    rank(&items, shift, has_items, &mut ranks, &mut shared.rank, blocks);
    if has_items {
        #[unroll]
        for i in 0..blocks.items {
            shared.items[ranks[i as usize] as usize] = items[i as usize];
        }
    }
    sync_cube();
}

#[cube]
fn sort_chunk(
    arrays: &mut Arrays,
    begin: u32,
    count: u32,
    to_scratch: bool,
    shared: &mut Shared,
    #[comptime] blocks: Blocks,
) {
    read_digis(&arrays.digis, begin, count, &mut shared.items, 0u32, blocks.threads);
    // To the end of a warp.
    let of_warp = comptime!(blocks.of_warp());
    let end = (count + of_warp - 1) / of_warp * of_warp;
    for i in range_stepped(count + UNIT_POS_X, end, blocks.threads) {
        // Comes after digis that have the largest key too.
        shared.items[i as usize] = 0xffff_ffff_ffff_ffffu64;
    }
    sync_cube();
    for shift in range_stepped(0u32, KEY_BITS, RADIX_BITS) {
        radix_pass(shared, count, shift, blocks);
    }
    arrays.write(to_scratch, begin, count, &shared.items, blocks.threads);
    sync_cube();
}

/// Merges pairs of sorted runs of `width` items.
#[cube]
fn merge_level(
    arrays: &mut Arrays,
    begin: u32,
    count: u32,
    from_scratch: bool,
    width: u64,
    shared: &mut Shared,
    #[comptime] blocks: Blocks,
) {
    for at in range_stepped(0u64, u64::cast_from(count), 2 * width) {
        let left = u64::cast_from(count) - at;
        let a_count = u32::cast_from(u64::min(width, left));
        let b_count = u32::cast_from(u64::min(width, left - u64::cast_from(a_count)));
        let first = begin + u32::cast_from(at);
        merge_runs(arrays, first, a_count, b_count, from_scratch, shared, blocks);
    }
}

/// Merges two runs that follow each other, a tile of the result after the other.
#[cube]
fn merge_runs(
    arrays: &mut Arrays,
    a: u32,
    a_count: u32,
    b_count: u32,
    from_scratch: bool,
    shared: &mut Shared,
    #[comptime] blocks: Blocks,
) {
    let tile = comptime!(blocks.tile());
    let b = a + a_count;
    let count = a_count + b_count;
    let mut a_begin = 0u32;
    for begin in range_stepped(0u32, count, tile) {
        let in_tile = u32::min(tile, count - begin);
        let a_end = path_in_arrays(arrays, from_scratch, a, a_count, b_count, begin + in_tile);
        let from_a = a_end - a_begin;
        let b_begin = begin - a_begin;
        let items = &mut shared.items;
        arrays.read(from_scratch, a + a_begin, from_a, items, 0u32, blocks.threads);
        arrays.read(from_scratch, b + b_begin, in_tile - from_a, items, from_a, blocks.threads);
        sync_cube();
        merge_tile(&mut shared.items, from_a, in_tile, blocks);
        arrays.write(!from_scratch, a + begin, in_tile, &shared.items, blocks.threads);
        sync_cube();
        a_begin = a_end;
    }
}

/// Number of items among the first `diagonal` ones of the merged runs that come from the first run,
/// which starts at `a` and is followed by the second one: `merge_path.h`. Equal items come from the
/// first one first.
#[cube]
fn path_in_arrays(
    arrays: &Arrays,
    is_scratch: bool,
    a: u32,
    a_count: u32,
    b_count: u32,
    diagonal: u32,
) -> u32 {
    let mut low = diagonal - u32::min(diagonal, b_count);
    let mut high = u32::min(diagonal, a_count);
    while low < high {
        let middle = (low + high) / 2;
        let of_b = arrays.get(is_scratch, a + a_count + (diagonal - 1 - middle));
        let of_a = arrays.get(is_scratch, a + middle);
        if digi_key(of_b) < digi_key(of_a) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Number of items among the first `diagonal` ones of two merged runs in shared memory that come
/// from the first run; equal items come from it first.
#[cube]
fn path_in_items(items: &SharedMemory<u64>, a_count: u32, b_count: u32, diagonal: u32) -> u32 {
    let mut low = diagonal - u32::min(diagonal, b_count);
    let mut high = u32::min(diagonal, a_count);
    while low < high {
        let middle = (low + high) / 2;
        let of_b = items[(a_count + (diagonal - 1 - middle)) as usize];
        let of_a = items[middle as usize];
        if digi_key(of_b) < digi_key(of_a) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Merges two consecutive runs in shared memory, in place. Barriers before and after.
#[cube]
fn merge_tile(items: &mut SharedMemory<u64>, a_count: u32, count: u32, #[comptime] blocks: Blocks) {
    let begin = u32::min(UNIT_POS_X * blocks.items, count);
    let mut a = path_in_items(items, a_count, count - a_count, begin);
    let mut b = a_count + (begin - a);
    let mut merged = Array::<u64>::new(comptime!(blocks.items as usize));
    #[unroll]
    for i in 0..blocks.items {
        let mut is_of_a = a < a_count;
        // Nothing is read beyond the end: conditions are not evaluated one after the other.
        if is_of_a && b < count {
            is_of_a = digi_key(items[b as usize]) >= digi_key(items[a as usize]);
        }
        if is_of_a {
            merged[i as usize] = items[a as usize];
            a += 1;
        } else if b < count {
            merged[i as usize] = items[b as usize];
            b += 1;
        }
    }
    sync_cube();
    #[unroll]
    for i in 0..blocks.items {
        if begin + i < count {
            items[(begin + i) as usize] = merged[i as usize];
        }
    }
    sync_cube();
}
