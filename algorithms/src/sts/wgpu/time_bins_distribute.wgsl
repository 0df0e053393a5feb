// Moves the entries of large sides to their groups: see time_bins.cu and time_bins/large.h. A
// block per part.
//
// Workgroup memory: a tile (16 KiB), and of its groups counts (4 KiB) and distances that entries
// move (4 KiB). The group of a bucket is read from device memory.
#include "block_scan.wgsl"
#include "time_bins/buckets.wgsl"
#include "time_bins/part.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(3) var<storage, read> parts: array<Part>;
@group(0) @binding(4) var<storage, read> entry_words: array<u32>;
@group(0) @binding(6) var<storage, read> extents: array<u32>;
// Two in a word.
@group(0) @binding(8) var<storage, read> group_of: array<u32>;
@group(0) @binding(10) var<storage, read_write> next_offsets: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> grouped: array<Entry>;

const TILE = FEW;
const GROUPS_EACH = GROUPS / THREADS;

var<workgroup> staged: array<Entry, TILE>;
// Counts of the tile at first; then where the next entry of each group goes in it.
var<workgroup> next_in_tile: array<atomic<u32>, GROUPS>;
// Destination of a group minus its offset in the tile.
var<workgroup> distances: array<u32, GROUPS>;
var<private> side: Side;
var<private> scale: Scale;
var<private> times: array<u32, ITEMS>;

fn group_at(time: u32) -> u32 {
    let bucket = side.number * BUCKETS + bin_of(scale, time);
    return group_of[bucket / 2u] >> (bucket % 2u * 16u) & 0xffffu;
}

// Reserves ranges for a tile's entries in their groups, and turns counts into offsets of groups in
// the tile. Includes a barrier.
fn reserve_groups() {
    let first = thread * GROUPS_EACH;
    var count = 0u;
    for (var i = 0u; i < GROUPS_EACH; i++) { count += atomicLoad(&next_in_tile[first + i]); }
    var before = block_exclusive_sum(count);
    for (var group = first; group < first + GROUPS_EACH; group++) {
        let group_count = atomicLoad(&next_in_tile[group]);
        if group_count > 0u {
            distances[group] = atomicAdd(&next_offsets[first_group_of(side) + group], group_count) - before;
        }
        atomicStore(&next_in_tile[group], before);
        before += group_count;
    }
    workgroupBarrier();
}

// Counts the entries of a tile by group. Includes a barrier.
fn count_tile(first: u32, count: u32) {
    for (var group = thread; group < GROUPS; group += THREADS) { atomicStore(&next_in_tile[group], 0u); }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            times[i] = entry_words[word_of_time(side, first + at)];
            atomicAdd(&next_in_tile[group_at(times[i])], 1u);
        }
    }
    workgroupBarrier();
}

// Moves a tile: to workgroup memory first, grouped, then to its destinations in one run per group.
// Includes a barrier.
fn distribute_tile(first: u32, count: u32) {
    count_tile(first, count);
    reserve_groups();
    for (var i = 0u; i < ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let goes_to = atomicAdd(&next_in_tile[group_at(times[i])], 1u);
            staged[goes_to] = Entry(times[i], first + at);
        }
    }
    workgroupBarrier();
    for (var i = thread; i < count; i += THREADS) {
        let entry = staged[i];
        grouped[side.begin + distances[group_at(entry.time)] + i] = entry;
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn time_bins_distribute(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    side = side_of(part.side);
    if is_empty(side, part) { return; }
    scale = scale_of_side(part.side);
    let end = end_of(side, part);
    for (var first = part.first; first < end; first += TILE) {
        distribute_tile(first, min(TILE, end - first));
    }
}
