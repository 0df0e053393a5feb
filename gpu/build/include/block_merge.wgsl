// The published sort: see block_merge.h. A block sorts `count` items of `digis` from index `begin`
// on by `key`, which has KEY_BITS bits, with `scratch` of the same size. It needs THREADS, ITEMS,
// both arrays, and PADDING, whose key is not smaller than any other.
//
// Loops over a tile have a constant number of iterations, so that compilers unroll them.
//
// Workgroup memory: the items of a chunk or of a tile of merged items (22 KiB at 256 x 11), and
// the counts of the radix sort (2 KiB with 32 lanes).
#include "radix_rank.wgsl"

const RADIX_BITS = 7u;
const TILE = THREADS * ITEMS;

var<workgroup> items: array<vec2u, TILE>;
var<private> thread_items: array<vec2u, ITEMS>;
// Bit offset of the digit that a pass sorts by.
var<private> digit_shift: u32;

fn digit_of(i: u32) -> u32 {
    return shifted_right(key(thread_items[i]), digit_shift).x & (RADIX_BINS - 1u);
}

fn note_start(bin: u32, start: u32) {}

fn load(is_scratch: bool, at: u32) -> vec2u {
    if is_scratch { return scratch[at]; }
    return digis[at];
}

fn store(is_scratch: bool, at: u32, item: vec2u) {
    if is_scratch { scratch[at] = item; } else { digis[at] = item; }
}

fn sort_block(begin: u32, count: u32) {
    var levels = 0u;
    for (var width = TILE; width < count; width *= 2u) { levels++; }
    for (var at = 0u; at < count; at += min(TILE, count - at)) {
        // Chosen so that the last level writes to `digis`.
        sort_chunk(begin + at, min(TILE, count - at), levels % 2u == 1u);
    }
    for (var level = 0u; level < levels; level++) {
        merge_level((levels - level) % 2u == 1u, begin, count, TILE << level);
    }
}

// Starts and ends with a barrier.
fn radix_pass(count: u32) {
    let is_needed = has_items(count);
    for (var i = 0u; i < ITEMS; i++) {
        if is_needed { thread_items[i] = items[position(i)]; }
    }
    rank(is_needed);
    for (var i = 0u; i < ITEMS; i++) {
        if is_needed { items[ranks[i]] = thread_items[i]; }
    }
    workgroupBarrier();
}

fn sort_chunk(begin: u32, count: u32, to_scratch: bool) {
    for (var round = 0u; round < ITEMS; round++) {
        let i = round * THREADS + thread;
        if i < count { items[i] = digis[begin + i]; } else { items[i] = PADDING; }
    }
    workgroupBarrier();
    for (digit_shift = 0u; digit_shift < KEY_BITS; digit_shift += RADIX_BITS) { radix_pass(count); }
    for (var round = 0u; round < ITEMS; round++) {
        let i = round * THREADS + thread;
        if i < count { store(to_scratch, begin + i, items[i]); }
    }
    block_barrier();
}

// Merges pairs of sorted runs of `width` items.
fn merge_level(from_scratch: bool, begin: u32, count: u32, width: u32) {
    for (var at = 0u; at < count; at += min(2u * width, count - at)) {
        let a_count = min(width, count - at);
        let b_count = min(width, count - at - a_count);
        merge_runs(from_scratch, begin + at, a_count, b_count);
    }
}

// Merges two runs, one tile of the result after the other.
fn merge_runs(from_scratch: bool, a: u32, a_count: u32, b_count: u32) {
    let count = a_count + b_count;
    let b = a + a_count;
    var a_begin = 0u;
    for (var begin = 0u; begin < count; begin += min(TILE, count - begin)) {
        let in_tile = min(TILE, count - begin);
        let a_end = path_in_runs(from_scratch, a, a_count, b_count, begin + in_tile);
        let from_a = a_end - a_begin;
        let b_begin = begin - a_begin;
        for (var round = 0u; round < ITEMS; round++) {
            let i = round * THREADS + thread;
            let at = select(b + b_begin + i - from_a, a + a_begin + i, i < from_a);
            if i < in_tile { items[i] = load(from_scratch, at); }
        }
        workgroupBarrier();
        merge_tile(from_a, in_tile);
        for (var round = 0u; round < ITEMS; round++) {
            let i = round * THREADS + thread;
            if i < in_tile { store(!from_scratch, a + begin + i, items[i]); }
        }
        block_barrier();
        a_begin = a_end;
    }
}

// Number of items of the first run among the first `diagonal` items of the merged runs: see
// merge_path.h. One version for buffers, and one for workgroup memory.
fn path_in_runs(from_scratch: bool, a: u32, a_count: u32, b_count: u32, diagonal: u32) -> u32 {
    var low = select(0u, diagonal - b_count, diagonal > b_count);
    var high = min(diagonal, a_count);
    while low < high {
        let middle = (low + high) / 2u;
        let of_b = key(load(from_scratch, a + a_count + diagonal - 1u - middle));
        if is_less(of_b, key(load(from_scratch, a + middle))) { high = middle; } else { low = middle + 1u; }
    }
    return low;
}

fn path_in_items(a_count: u32, b_count: u32, diagonal: u32) -> u32 {
    var low = select(0u, diagonal - b_count, diagonal > b_count);
    var high = min(diagonal, a_count);
    while low < high {
        let middle = (low + high) / 2u;
        let of_b = key(items[a_count + diagonal - 1u - middle]);
        if is_less(of_b, key(items[middle])) { high = middle; } else { low = middle + 1u; }
    }
    return low;
}

// Merges two runs, which are contiguous in workgroup memory, in place. Starts and ends with a
// barrier.
fn merge_tile(a_count: u32, count: u32) {
    let begin = min(thread * ITEMS, count);
    var a = path_in_items(a_count, count - a_count, begin);
    var b = a_count + begin - a;
    for (var i = 0u; i < ITEMS; i++) {
        var is_of_a = a < a_count;
        if is_of_a && b < count { is_of_a = !is_less(key(items[b]), key(items[a])); }
        if is_of_a {
            thread_items[i] = items[a];
            a++;
        } else if b < count {
            thread_items[i] = items[b];
            b++;
        }
    }
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        if begin + i < count { items[begin + i] = thread_items[i]; }
    }
    workgroupBarrier();
}
