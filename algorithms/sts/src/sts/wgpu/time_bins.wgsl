struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;

#part time_bins_few
// Sorts the sides of few clusters, and clears the tables of large ones: see time_bins.cu. A block
// per side.
#include "time_bins/sides.wgsl"
#include "time_bins/sorting.wgsl" bins

@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(4) var<storage, read_write> entries: array<Entry>;
@group(0) @binding(6) var<storage, read_write> extents: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<u32>;
@group(0) @binding(11) var<storage, read_write> overfull: array<u32>;

fn time_at(begin: u32, at: u32) -> u32 { return clusters[begin + at].time; }
fn index_at(begin: u32, at: u32) -> u32 { return at; }
fn put_in_order(at: u32, entry: Entry) { entries[at] = entry; }

// Nothing is known of a large side.
fn forget(side: u32) {
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) { counts[side * BUCKETS + bucket] = 0u; }
    if thread < 2u { extents[2u * side + thread] = ~0u; }
}

@compute @workgroup_size(THREADS)
fn time_bins_few(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let side = side_of(block);
    if block == 0u && thread == 0u { overfull[0] = 0u; }
    if is_large(side) {
        forget(block);
    } else if side.count > 0u {
        sort_by_bins(side.begin, side.count);
    }
}

#part time_bins_times
// Copies the times of large sides, as clusters are large, and finds the first and the last one: see
// time_bins.cu. A block per part.
#include "time_bins/sorting.wgsl" extent
#include "time_bins/sides.wgsl" part

@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(4) var<storage, read_write> entry_words: array<u32>;
@group(0) @binding(6) var<storage, read_write> extents: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn time_bins_times(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    let side = side_of(part.side);
    if is_empty(side, part) { return; }
    let end = end_of(side, part);
    for (var i = part.first + thread; i < end; i += THREADS) {
        let time = clusters[side.begin + i].time;
        entry_words[word_of_time(side, i)] = time;
        include_time(time);
    }
    let first = min_of_warp(first_time);
    let last = max_of_warp(last_time);
    if lane != 0u { return; }
    atomicMin(&extents[2u * part.side], first);
    atomicMin(&extents[2u * part.side + 1u], ~last);
}

#part time_bins_count
// Counts the entries of the buckets of large sides: see time_bins.cu. A block per part.
#include "time_bins/sides.wgsl" buckets
#include "time_bins/sides.wgsl" part

@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> block_counts: array<atomic<u32>, BUCKETS>;

@compute @workgroup_size(THREADS)
fn time_bins_count(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    let side = side_of(part.side);
    if is_empty(side, part) { return; }
    let scale = scale_of_side(part.side);
    let end = end_of(side, part);
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) { atomicStore(&block_counts[bucket], 0u); }
    workgroupBarrier();
    for (var i = part.first + thread; i < end; i += THREADS) {
        atomicAdd(&block_counts[bin_of(scale, entry_words[word_of_time(side, i)])], 1u);
    }
    workgroupBarrier();
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) {
        let count = atomicLoad(&block_counts[bucket]);
        if count > 0u { atomicAdd(&counts[part.side * BUCKETS + bucket], count); }
    }
}

#part time_bins_group
// Makes groups of the buckets of large sides: see time_bins.cu. A block per side; a thread has some
// buckets next to each other.
#include "block_scan.wgsl"
#include "time_bins/sides.wgsl"

@group(0) @binding(7) var<storage, read> counts: array<u32>;
// Two in a word.
@group(0) @binding(8) var<storage, read_write> group_of: array<u32>;
@group(0) @binding(9) var<storage, read_write> group_offsets: array<u32>;
@group(0) @binding(10) var<storage, read_write> next_offsets: array<u32>;

const BUCKETS_EACH = BUCKETS / THREADS;

// Writes where the groups begin that begin where a bucket ends.
fn begin_groups(side: Side, begin: u32, end: u32) {
    let step = step_of(side);
    let groups = groups_of(side);
    let table = first_group_of(side);
    for (var group = begin / step + 1u; group < groups && group * step <= end; group++) {
        group_offsets[table + group] = end;
        next_offsets[table + group] = end;
    }
}

@compute @workgroup_size(THREADS)
fn time_bins_group(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let side = side_of(block);
    if !is_large(side) { return; }
    let first = block * BUCKETS + thread * BUCKETS_EACH;
    var count = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) { count += counts[first + i]; }
    var begin = block_exclusive_sum(count);
    if thread == 0u {
        group_offsets[first_group_of(side)] = 0u;
        next_offsets[first_group_of(side)] = 0u;
    }
    for (var i = 0u; i < BUCKETS_EACH; i += 2u) {
        let middle = begin + counts[first + i];
        let end = middle + counts[first + i + 1u];
        group_of[(first + i) / 2u] = begin / step_of(side) | (middle / step_of(side)) << 16u;
        begin_groups(side, begin, middle);
        begin_groups(side, middle, end);
        begin = end;
    }
}

#part time_bins_distribute
// Moves the entries of large sides to their groups: see time_bins.cu and time_bins/large.h. A
// block per part.
//
// Workgroup memory: a tile (16 KiB), and of its groups counts (4 KiB) and distances that entries
// move (4 KiB). The group of a bucket is read from device memory.
#include "block_scan.wgsl"
#include "time_bins/sides.wgsl" buckets
#include "time_bins/sides.wgsl" part

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

#part time_bins_groups
// Sorts the groups of large sides: see time_bins.cu. A block for each minimum group size; those of
// a part are neighbours.
#include "time_bins/sides.wgsl" part
#include "time_bins/sorting.wgsl" bins

@group(0) @binding(9) var<storage, read> group_offsets: array<u32>;
@group(0) @binding(10) var<storage, read> next_offsets: array<u32>;
@group(0) @binding(5) var<storage, read> grouped: array<Entry>;
@group(0) @binding(4) var<storage, read_write> entries: array<Entry>;
// Number of overfull groups, then the begin and end of each.
@group(0) @binding(11) var<storage, read_write> overfull: array<atomic<u32>>;

const STEPS_OF_PART = PART / MIN_STEP;

fn time_at(begin: u32, at: u32) -> u32 { return grouped[begin + at].time; }
fn index_at(begin: u32, at: u32) -> u32 { return grouped[begin + at].index; }
fn put_in_order(at: u32, entry: Entry) { entries[at] = entry; }

fn list_overfull(begin: u32, end: u32) {
    let at = 2u * atomicAdd(&overfull[0], 1u);
    atomicStore(&overfull[at + 1u], begin);
    atomicStore(&overfull[at + 2u], end);
}

@compute @workgroup_size(THREADS)
fn time_bins_groups(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block / STEPS_OF_PART];
    let side = side_of(part.side);
    let group = part.first / MIN_STEP + block % STEPS_OF_PART;
    if !is_large(side) || group >= groups_of(side) { return; }
    let begin = side.begin + group_offsets[first_group_of(side) + group];
    let end = side.begin + next_offsets[first_group_of(side) + group];
    if end - begin <= FEW {
        sort_by_bins(begin, end - begin);
    } else if thread == 0u {
        list_overfull(begin, end);
    }
}

#part time_bins_overfull
#include "time_bins/overfull.wgsl"
