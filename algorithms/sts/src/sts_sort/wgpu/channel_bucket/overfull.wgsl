// Sorts ranges of digis of which many have nearly the same time, by radix: see
// channel_bucket/segment.h. Any number of blocks.
#include "radix_rank.wgsl"
#include "digi.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> unsorted: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sorted: array<vec2u>;
// Number of overfull bins, then the begin and end of each.
@group(0) @binding(2) var<storage, read> overfull: array<u32>;

// The counts of 8 warps.
const THREADS = min(256u, max(8u * LANES, SUBGROUP_LANES));
const CAPACITY = 2048u * min(2u, max(1u, WORKGROUP_BYTES / 24576u));
const ITEMS = CAPACITY / THREADS;
const RADIX_BITS = 8u;
const LAST_DIGIT = (1u << RADIX_BITS) - 1u;

// Digis in the form that is in order.
var<workgroup> items: array<vec2u, CAPACITY>;
// Bits that are not the same in all items, low word first.
var<workgroup> differing: array<atomic<u32>, 2>;
var<private> thread_items: array<vec2u, ITEMS>;
var<private> digit_shift: u32;

fn digit_of(i: u32) -> u32 { return shifted_right(thread_items[i], digit_shift).x & LAST_DIGIT; }

fn note_start(bin: u32, start: u32) {}

// All bits of a digi, those of the key in the highest ones.
fn ordered_from_digi(digi: vec2u) -> vec2u {
    let others = (shifted_right(digi, TIME_BITS).x & 0x3fu) << 16u | digi.y >> 16u;
    let key = shifted_left(digi_key(digi), 22u);
    return vec2u(key.x | others, key.y);
}

fn digi_from_ordered(ordered: vec2u) -> vec2u {
    let key = shifted_right(ordered, 22u);
    let others = ordered.x & 0x3fffffu;
    let time = key.x & ((1u << TIME_BITS) - 1u);
    let channel = shifted_right(key, TIME_BITS).x;
    let charge_and_address = shifted_left(vec2u(others >> 16u, 0u), TIME_BITS);
    let upper = others << 16u | channel << (CHANNEL_SHIFT - 32u);
    return vec2u(time | charge_and_address.x, upper | charge_and_address.y);
}

// Mask of the bits that differ between items. Barriers before and after.
fn find_differing(count: u32) -> vec2u {
    if thread < 2u { atomicStore(&differing[thread], 0u); }
    workgroupBarrier();
    var differences = vec2u(0u);
    for (var i = thread; i < count; i += THREADS) { differences |= items[i] ^ items[0]; }
    if differences.x != 0u { atomicOr(&differing[0], differences.x); }
    if differences.y != 0u { atomicOr(&differing[1], differences.y); }
    workgroupBarrier();
    return vec2u(atomicLoad(&differing[0]), atomicLoad(&differing[1]));
}

// Brings items into a stable order by a digit. Barriers before and after.
fn sort_by_digit(count: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        thread_items[i] = vec2u(~0u);
        if position(i) < count { thread_items[i] = items[position(i)]; }
    }
    rank(has_items(count));
    workgroupBarrier();
    for (var i = 0u; i < ITEMS; i++) {
        if position(i) < count { items[ranks[i]] = thread_items[i]; }
    }
    workgroupBarrier();
}

fn sort_overfull(begin: u32, count: u32) {
    for (var i = thread; i < count; i += THREADS) { items[i] = ordered_from_digi(unsorted[begin + i]); }
    block_barrier();
    let all = find_differing(count);
    for (digit_shift = 0u; digit_shift < 64u; digit_shift += RADIX_BITS) {
        if (shifted_right(all, digit_shift).x & LAST_DIGIT) != 0u { sort_by_digit(count); }
    }
    for (var i = thread; i < count; i += THREADS) { sorted[begin + i] = digi_from_ordered(items[i]); }
    block_barrier();
}

@compute @workgroup_size(THREADS)
fn channel_bucket_overfull(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    for (var i = block; i < overfull[0]; i += arguments.blocks) {
        sort_overfull(overfull[2u * i + 1u], overfull[2u * i + 2u] - overfull[2u * i + 1u]);
    }
}
