// Sorts groups that don't fit into workgroup memory, by radix: see time_bins/large.h. Any number
// of blocks.
#include "radix_rank.wgsl"

// Number of overfull groups, then the begin and end of each.
@group(0) @binding(11) var<storage, read> overfull: array<u32>;
// Entries: the time, and the index.
@group(0) @binding(5) var<storage, read_write> grouped: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> entries: array<vec2u>;

// The counts of 8 warps.
const THREADS = min(256u, max(8u * LANES, SUBGROUP_LANES));
const ITEMS = 2048u / THREADS;
const TILE = ITEMS * THREADS;
const RADIX_BITS = 8u;
const DIGITS = 1u << RADIX_BITS;

// Counts at first; then where the next entry of each digit goes.
var<workgroup> next_offsets: array<atomic<u32>, DIGITS>;
// Offsets of digits in a tile.
var<workgroup> starts: array<u32, DIGITS>;
// Bits that are not the same in all keys, low word first.
var<workgroup> differing: array<atomic<u32>, 2>;
var<private> thread_keys: array<vec2u, ITEMS>;
var<private> digit_shift: u32;

// Entries with the time above the index are in order by this.
fn key_of(entry: vec2u) -> vec2u { return entry.yx; }
fn entry_of(key: vec2u) -> vec2u { return key.yx; }
fn digit_in(key: vec2u) -> u32 { return shifted_right(key, digit_shift).x & (DIGITS - 1u); }
fn digit_of(i: u32) -> u32 { return digit_in(thread_keys[i]); }
fn note_start(bin: u32, start: u32) { starts[bin] = start; }

fn key_at(is_moved: bool, at: u32) -> vec2u {
    if is_moved { return key_of(entries[at]); }
    return key_of(grouped[at]);
}

fn put(is_moved: bool, at: u32, key: vec2u) {
    if is_moved { grouped[at] = entry_of(key); } else { entries[at] = entry_of(key); }
}

// Mask of the bits that differ between keys. Includes a barrier.
fn differing_bits(begin: u32, count: u32) -> vec2u {
    if thread < 2u { atomicStore(&differing[thread], 0u); }
    workgroupBarrier();
    let one = key_at(false, begin);
    var differences = vec2u(0u);
    for (var i = thread; i < count; i += THREADS) { differences |= key_at(false, begin + i) ^ one; }
    if differences.x != 0u { atomicOr(&differing[0], differences.x); }
    if differences.y != 0u { atomicOr(&differing[1], differences.y); }
    workgroupBarrier();
    return vec2u(atomicLoad(&differing[0]), atomicLoad(&differing[1]));
}

// Finds where the entries of each digit begin. Includes a barrier.
fn scan_digits(is_moved: bool, begin: u32, count: u32) {
    for (var digit = thread; digit < DIGITS; digit += THREADS) { atomicStore(&next_offsets[digit], 0u); }
    workgroupBarrier();
    for (var i = thread; i < count; i += THREADS) {
        atomicAdd(&next_offsets[digit_in(key_at(is_moved, begin + i))], 1u);
    }
    workgroupBarrier();
    const EACH = DIGITS / THREADS;
    var sum = 0u;
    for (var i = 0u; i < EACH; i++) { sum += atomicLoad(&next_offsets[thread * EACH + i]); }
    var before = begin + block_exclusive_sum(sum);
    for (var i = 0u; i < EACH; i++) {
        let of_digit = atomicLoad(&next_offsets[thread * EACH + i]);
        atomicStore(&next_offsets[thread * EACH + i], before);
        before += of_digit;
    }
    workgroupBarrier();
}

// Moves a tile in the order of a digit, after the tiles before it. Includes a barrier.
fn move_tile(is_moved: bool, begin: u32, count: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        thread_keys[i] = vec2u(~0u);
        if position(i) < count { thread_keys[i] = key_at(is_moved, begin + position(i)); }
    }
    rank(has_items(count));
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        if position(i) < count {
            let key_digit = digit_of(i);
            put(is_moved, atomicLoad(&next_offsets[key_digit]) + ranks[i] - starts[key_digit], thread_keys[i]);
        }
    }
    workgroupBarrier();
    // Missing elements of the last tile count as of the last digit, which has no successor.
    for (var digit = thread; digit < DIGITS; digit += THREADS) {
        var next = TILE;
        if digit + 1u < DIGITS { next = starts[digit + 1u]; }
        atomicAdd(&next_offsets[digit], next - starts[digit]);
    }
    workgroupBarrier();
}

// Sorts entries from `grouped` to `entries`, and overwrites them.
fn sort_overfull(begin: u32, count: u32) {
    let all = differing_bits(begin, count);
    var is_moved = false;
    for (digit_shift = 0u; digit_shift < 64u; digit_shift += RADIX_BITS) {
        if digit_in(all) == 0u { continue; }
        scan_digits(is_moved, begin, count);
        for (var first = 0u; first < count; first += TILE) {
            move_tile(is_moved, begin + first, min(TILE, count - first));
        }
        block_barrier();
        is_moved = !is_moved;
    }
    if is_moved { return; }
    for (var i = thread; i < count; i += THREADS) { entries[begin + i] = grouped[begin + i]; }
}

@compute @workgroup_size(THREADS)
fn time_bins_overfull(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    for (var i = block; i < overfull[0]; i += arguments.blocks) {
        let begin = overfull[2u * i + 1u];
        sort_overfull(begin, overfull[2u * i + 2u] - begin);
        block_barrier();
    }
}
