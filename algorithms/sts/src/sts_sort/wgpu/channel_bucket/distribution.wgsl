// Moves the digis of each part to the offsets of their groups in `next_offsets`: see
// channel_bucket.cu. A block per part of a region.
//
// Workgroup memory: a tile (16 KiB, or 32 if the device has 48), and of its groups counts, two in a
// word (4 KiB), and the distances that their digis move (8 KiB). The group of a bucket is read from
// device memory.
#include "block_scan.wgsl"
#include "common.wgsl"

struct Arguments { blocks: u32, shift: u32, bits: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> unsorted: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> grouped: array<vec2u>;
@group(0) @binding(2) var<storage, read> parts: array<vec2u>;
@group(0) @binding(3) var<storage, read> region_of_part: array<u32>;
// Two in a word.
@group(0) @binding(4) var<storage, read> group_of: array<u32>;
@group(0) @binding(5) var<storage, read> first_groups: array<u32>;
@group(0) @binding(6) var<storage, read_write> next_offsets: array<atomic<u32>>;

const TILE = CAPACITY;
const ITEMS = SORTED_ITEMS;
// A region has no more groups than buckets.
const GROUPS = BUCKETS;
const PAIRS_EACH = GROUPS / 2u / THREADS;

var<workgroup> staged: array<vec2u, TILE>;
// Counts of the tile, then offsets of its groups in it.
var<workgroup> pairs: array<atomic<u32>, GROUPS / 2u>;
// From there to where the digis go.
var<workgroup> distances: array<u32, GROUPS>;
var<private> region: u32;

fn group_of_digi(digi: vec2u) -> u32 {
    let bucket = region * BUCKETS + digit_at(digi, arguments.shift, arguments.bits);
    return group_of[bucket / 2u] >> (bucket % 2u * 16u) & 0xffffu;
}

fn half(words: u32, number: u32) -> u32 { return words >> (number % 2u * 16u) & 0xffffu; }

// Reserves a range for a group's digis of the tile; returns their offset in the tile.
fn reserve_group(group: u32, count: u32, before: u32) {
    if count > 0u {
        distances[group] = atomicAdd(&next_offsets[first_groups[region] + group], count) - before;
    }
}

// Reserves ranges for a tile's digis in their groups, and turns counts into offsets of groups in
// the tile. Barriers after.
fn reserve_groups() {
    let first = thread * PAIRS_EACH;
    var counts: array<u32, PAIRS_EACH>;
    var sum = 0u;
    for (var i = 0u; i < PAIRS_EACH; i++) {
        counts[i] = atomicLoad(&pairs[first + i]);
        sum += half(counts[i], 0u) + half(counts[i], 1u);
    }
    var before = block_exclusive_sum(sum);
    for (var i = 0u; i < PAIRS_EACH; i++) {
        let group = 2u * (first + i);
        let middle = before + half(counts[i], 0u);
        reserve_group(group, half(counts[i], 0u), before);
        reserve_group(group + 1u, half(counts[i], 1u), middle);
        atomicStore(&pairs[first + i], before | middle << 16u);
        before = middle + half(counts[i], 1u);
    }
    workgroupBarrier();
}

// Moves a tile: to workgroup memory first, grouped, then to its destinations in one run per group.
// Barriers before and after.
fn distribute_tile(begin: u32, count: u32) {
    var digis: array<vec2u, ITEMS>;
    var ranks: array<u32, ITEMS>;
    for (var i = 0u; i < PAIRS_EACH; i++) { atomicStore(&pairs[i * THREADS + thread], 0u); }
    for (var i = 0u; i < ITEMS; i++) {
        if i * THREADS + thread < count { digis[i] = unsorted[begin + i * THREADS + thread]; }
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        if i * THREADS + thread < count {
            let group = group_of_digi(digis[i]);
            let counted = atomicAdd(&pairs[group / 2u], 1u << (group % 2u * 16u));
            ranks[i] = half(counted, group) << 16u | group;
        }
    }
    workgroupBarrier();
    reserve_groups();
    for (var i = 0u; i < ITEMS; i++) {
        if i * THREADS + thread < count {
            let group = ranks[i] & 0xffffu;
            staged[half(atomicLoad(&pairs[group / 2u]), group) + (ranks[i] >> 16u)] = digis[i];
        }
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let digi = staged[at];
            grouped[distances[group_of_digi(digi)] + at] = digi;
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn channel_bucket_distribute(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    region = region_of_part[block];
    for (var begin = part.x; begin < part.y; begin += min(TILE, part.y - begin)) {
        distribute_tile(begin, min(TILE, part.y - begin));
    }
}
