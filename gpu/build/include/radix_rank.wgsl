// Stable ranks of digits in a tile: see radix_rank.h. It needs THREADS, ITEMS and RADIX_BITS, and a
// function `digit_of(i)` of the item i of a thread.
//
// The tile is warp-striped: item i of a lane is at position (warp * ITEMS + i) * LANES + lane, so
// that a warp has contiguous positions.
#include "block_scan.wgsl"

const RADIX_BINS = 1u << RADIX_BITS;
// Neighbouring bins that a thread sums.
const BINS_EACH = max(1u, RADIX_BINS / THREADS);
const RANK_BITS = 16u;
// Counts of a warp, two in a word.
const RANK_WORDS = RADIX_BINS / 2u;

// Number of items of each digit that a warp has processed; later the rank of the first of them.
var<workgroup> rank_counts: array<atomic<u32>, WARPS * RANK_WORDS>;
// Positions of the items in a stable order by digit.
var<private> ranks: array<u32, ITEMS>;

// Position of this thread's item i in the tile.
fn position(i: u32) -> u32 { return (warp * ITEMS + i) * LANES + lane; }

// True if this warp has any of the first `count` positions.
fn has_items(count: u32) -> bool { return warp * ITEMS * LANES < count; }

fn rank_count(of_warp: u32, digit: u32) -> u32 {
    let word = atomicLoad(&rank_counts[of_warp * RANK_WORDS + digit / 2u]);
    return word >> (digit % 2u * 16u) & 0xffffu;
}

// Returns the previous count. The packed sum may wrap if the count does not.
fn add_to_rank_count(of_warp: u32, digit: u32, more: u32) -> u32 {
    let shift = digit % 2u * 16u;
    let word = atomicAdd(&rank_counts[of_warp * RANK_WORDS + digit / 2u], more << shift);
    return word >> shift & 0xffffu;
}

// The lanes with the same digit as this lane.
fn lanes_with(digit: u32) -> Mask {
    var same = votes(true);
    for (var bit = 0u; bit < RADIX_BITS; bit++) {
        let is_one = (digit >> bit & 1u) != 0u;
        let vote = votes(is_one);
        same &= select(~vote, vote, is_one);
    }
    return same;
}

// Sets `ranks`. A warp without an item that `is_needed` gets no ranks; other warps must have a
// digit at each position, the largest digit at positions without an item. Calls `note_start` with
// the first position of each digit. Counts can be reused after a barrier.
fn rank(is_needed: bool) {
    for (var word = lane; word < RANK_WORDS; word += LANES) {
        atomicStore(&rank_counts[warp * RANK_WORDS + word], 0u);
    }
    workgroupBarrier();
    if is_needed { rank_in_warp(); }
    workgroupBarrier();
    sum_over_warps();
    workgroupBarrier();
    if !is_needed { return; }
    for (var i = 0u; i < ITEMS; i++) {
        let in_warp = ranks[i] & ((1u << RANK_BITS) - 1u);
        ranks[i] = rank_count(warp, ranks[i] >> RANK_BITS) + in_warp;
    }
}

// To save registers, a digit is stored in the bits above its rank. The first lane with a digit
// counts all lanes that have it.
fn rank_in_warp() {
    for (var i = 0u; i < ITEMS; i++) {
        let digit = digit_of(i);
        let same = lanes_with(digit);
        let before = count_of(same & lanes_below(lane));
        var earlier = 0u;
        if before == 0u { earlier = add_to_rank_count(warp, digit, count_of(same)); }
        earlier = shuffled(earlier, first_of(same));
        ranks[i] = digit << RANK_BITS | (earlier + before);
    }
}

// Prefix sum, by digit and then by warp.
fn sum_over_warps() {
    let first = thread * BINS_EACH;
    var count = 0u;
    for (var i = 0u; i < BINS_EACH; i++) {
        let bin = first + i;
        if bin >= RADIX_BINS { break; }
        for (var other = 0u; other < WARPS; other++) {
            count += rank_count(other, bin);
        }
    }
    var before = block_exclusive_sum(count);
    for (var i = 0u; i < BINS_EACH; i++) {
        let bin = first + i;
        if bin >= RADIX_BINS { break; }
        note_start(bin, before);
        for (var other = 0u; other < WARPS; other++) {
            let bin_count = rank_count(other, bin);
            // Another thread may own the other half of the word.
            add_to_rank_count(other, bin, before - bin_count);
            before += bin_count;
        }
    }
}
