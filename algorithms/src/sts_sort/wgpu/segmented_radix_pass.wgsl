// One pass of a radix sort over each segment: see segmented_radix.cu. A block per segment.
//
// Workgroup memory: a tile (16 KiB with 32 lanes), and the counts (8 KiB).
#include "radix_rank.wgsl"

struct Arguments { blocks: u32, shift: u32, bits: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> unsorted: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sorted: array<vec2u>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;

// The counts of 16 warps. Few blocks with so much memory fit at once: so they have many threads,
// with few items each.
const THREADS = min(512u, max(16u * LANES, SUBGROUP_LANES));
const ITEMS = 4u;
const TILE = THREADS * ITEMS;
const RADIX_BITS = 8u;

var<workgroup> keys: array<vec2u, TILE>;
// Offset of each digit in the tile.
var<workgroup> tile_starts: array<u32, RADIX_BINS>;
// Destination of each digit's next key in the segment.
var<workgroup> next_offsets: array<atomic<u32>, RADIX_BINS>;

var<private> thread_keys: array<vec2u, ITEMS>;
var<private> in_tile: u32;

fn digit(key: vec2u) -> u32 {
    return shifted_right(key, arguments.shift).x & ((1u << arguments.bits) - 1u);
}

fn digit_of(i: u32) -> u32 {
    if position(i) < in_tile { return digit(thread_keys[i]); }
    return RADIX_BINS - 1u;
}

fn note_start(bin: u32, start: u32) { tile_starts[bin] = start; }

// Finds the offset of each digit in the sorted segment. Includes barriers.
fn scan_digits(begin: u32, count: u32) {
    for (var bin = thread; bin < RADIX_BINS; bin += THREADS) { atomicStore(&next_offsets[bin], 0u); }
    workgroupBarrier();
    for (var i = thread; i < count; i += THREADS) { atomicAdd(&next_offsets[digit(unsorted[begin + i])], 1u); }
    workgroupBarrier();
    let first = thread * BINS_EACH;
    let end = min(first + BINS_EACH, RADIX_BINS);
    var sum = 0u;
    for (var bin = first; bin < end; bin++) { sum += atomicLoad(&next_offsets[bin]); }
    var before = block_exclusive_sum(sum);
    for (var bin = first; bin < end; bin++) {
        let of_bin = atomicLoad(&next_offsets[bin]);
        atomicStore(&next_offsets[bin], before);
        before += of_bin;
    }
    workgroupBarrier();
}

// Loads a tile and puts it in order of its digits. Includes barriers.
fn order_tile(begin: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        if position(i) < in_tile { thread_keys[i] = unsorted[begin + position(i)]; }
    }
    rank(has_items(in_tile));
    for (var i = 0u; i < ITEMS; i++) {
        if position(i) < in_tile { keys[ranks[i]] = thread_keys[i]; }
    }
    workgroupBarrier();
}

// The next tile's keys go after those of this one.
fn advance() {
    workgroupBarrier();
    for (var bin = thread; bin < RADIX_BINS; bin += THREADS) {
        var end = in_tile;
        if bin + 1u < RADIX_BINS { end = tile_starts[bin + 1u]; }
        atomicAdd(&next_offsets[bin], end - tile_starts[bin]);
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn segmented_radix_pass(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let begin = segment_offsets[block];
    let count = segment_offsets[block + 1u] - begin;
    if count == 0u { return; }
    scan_digits(begin, count);
    for (var at = 0u; at < count; at += min(TILE, count - at)) {
        in_tile = min(TILE, count - at);
        order_tile(begin + at);
        for (var round = 0u; round < ITEMS; round++) {
            let i = round * THREADS + thread;
            if i >= in_tile { continue; }
            let key = keys[i];
            let of_key = digit(key);
            sorted[begin + atomicLoad(&next_offsets[of_key]) + i - tile_starts[of_key]] = key;
        }
        advance();
    }
}
