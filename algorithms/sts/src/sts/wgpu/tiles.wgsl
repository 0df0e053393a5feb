// Blocks with a counter for each side: see tiles.cu.
#include "formulas/stream.wgsl" sides

// The launcher assumes this value.
const MAX_SIDES = 2048u;
// Few blocks with so much memory fit at once, so they have many threads.
const THREADS = min(1024u, MAX_THREADS);

// Number of a block's digis of each side.
var<workgroup> counted: array<atomic<u32>, MAX_SIDES>;

// Includes a barrier.
fn clear_counters() {
    for (var side = thread; side < arguments.sides; side += THREADS) { atomicStore(&counted[side], 0u); }
    workgroupBarrier();
}

// Index of a side's counter in device memory, where back sides start at `backs`.
fn counter_of(side: u32) -> u32 {
    let modules = arguments.sides / 2u;
    return select(arguments.backs + side - modules, side, side < modules);
}

#part presort_tiles_count
// The digis of each side, added to totals: see tiles.cu. Any number of blocks.

struct Arguments { blocks: u32, count: u32, addresses: u32, sides: u32, backs: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> modules: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn presort_tiles_count(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    clear_counters();
    for (var at = block * THREADS + thread; at < arguments.count; at += arguments.blocks * THREADS) {
        atomicAdd(&counted[side_of(digis[at])], 1u);
    }
    workgroupBarrier();
    for (var side = thread; side < arguments.sides; side += THREADS) {
        let count = atomicLoad(&counted[side]);
        if count > 0u { atomicAdd(&totals[counter_of(side)], count); }
    }
}

#part presort_tiles_scatter
// Moves digis to their sides, a tile at a time through workgroup memory: see tiles.cu. A block per
// tile; tiles are as large as little workgroup memory allows.
//
// Workgroup memory: counters and offsets for each side (16 KiB), and of a tile the digis (8 KiB, or
// 16 if the device has 48) and the side of each (4 KiB, or 8).
#include "block_scan.wgsl"

struct Arguments { blocks: u32, count: u32, addresses: u32, sides: u32, backs: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> modules: array<u32>;
@group(0) @binding(3) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> taken: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> to: array<vec2u>;

// The launcher assumes this value.
const TILE = 1024u * min(2u, max(1u, WORKGROUP_BYTES / 24576u));
const ITEMS = TILE / THREADS;

var<workgroup> staged: array<vec2u, TILE>;
var<workgroup> side_at: array<u32, TILE>;
// Offset of each side's digis in the tile; counters then are their destinations, minus that.
var<workgroup> offsets_in_tile: array<u32, MAX_SIDES>;
// The digis of a thread, each with its side and its rank among the tile's digis of it.
var<private> thread_digis: array<vec2u, ITEMS>;
var<private> ranked: array<u32, ITEMS>;

// Counts the digis of a tile by side.
fn count_tile(first: u32, end: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        let at = first + i * THREADS + thread;
        if at < end {
            thread_digis[i] = digis[at];
            let side = side_of(thread_digis[i]);
            ranked[i] = side << RANK_BITS | atomicAdd(&counted[side], 1u);
        }
    }
    workgroupBarrier();
}

// Turns counts into offsets in the tile, and reserves offsets for all digis of each side. Includes
// a barrier.
fn reserve_offsets() {
    var before = 0u;
    for (var first = 0u; first < arguments.sides; first += THREADS) {
        let side = first + thread;
        var count = 0u;
        if side < arguments.sides { count = atomicLoad(&counted[side]); }
        let offset = before + block_exclusive_sum(count);
        before += block_total;
        if count > 0u {
            offsets_in_tile[side] = offset;
            atomicStore(&counted[side], segment_offsets[counter_of(side)] + atomicAdd(&taken[counter_of(side)], count) - offset);
        }
        workgroupBarrier();
    }
}

// Brings the tile into order of sides. Includes a barrier.
fn stage_tile(first: u32, end: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        if first + i * THREADS + thread < end {
            let side = ranked[i] >> RANK_BITS;
            let at = offsets_in_tile[side] + (ranked[i] & ((1u << RANK_BITS) - 1u));
            staged[at] = of_side(thread_digis[i]);
            side_at[at] = side;
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn presort_tiles_scatter(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let first = block * TILE;
    let end = min(arguments.count, first + TILE);
    clear_counters();
    count_tile(first, end);
    reserve_offsets();
    stage_tile(first, end);
    for (var at = thread; at < end - first; at += THREADS) {
        to[atomicLoad(&counted[side_at[at]]) + at] = staged[at];
    }
}
