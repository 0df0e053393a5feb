#part part
// A warp's part of the stream: see presort.cu. All warps of a subgroup go through the same number
// of rounds.

const WARPS = THREADS / LANES;

fn warp_part() -> u32 { return block * WARPS + warp; }

// Index of this lane's digi of a round.
fn index_in_round(round: u32) -> u32 {
    return warp_part() * arguments.part_length + round * LANES + lane;
}

// A part has whole ones.
fn rounds() -> u32 { return arguments.part_length / LANES; }

#part presort_count
// The digis of each side in each part, a row of counts a part: see presort.cu. A warp a part.
#include "formulas/stream.wgsl" sides
#include "presort.wgsl" part

struct Arguments { blocks: u32, count: u32, part_length: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> modules: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn presort_count(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let row = warp_part() * arguments.sides;
    for (var round = 0u; round < rounds(); round++) {
        let at = index_in_round(round);
        if at < arguments.count { atomicAdd(&counts[row + side_of(digis[at])], 1u); }
    }
}

#part presort_sum_parts
// Turns counts into what earlier parts have of the same side, and sums them up: see presort.cu. A
// lane a side; the warps of a block share the parts.

struct Arguments { blocks: u32, count: u32, part_length: u32, sides: u32, parts: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;

const WARPS = THREADS / LANES;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn presort_sum_parts(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let side = block * LANES + lane;
    let share = (arguments.parts + WARPS - 1u) / WARPS;
    let begin = min(arguments.parts, warp * share);
    let end = select(begin, min(arguments.parts, begin + share), side < arguments.sides);
    var sum = 0u;
    for (var part = begin; part < end; part++) { sum += counts[part * arguments.sides + side]; }
    sums[warp * LANES + lane] = sum;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < warp; other++) { before += sums[other * LANES + lane]; }
    for (var part = begin; part < end; part++) {
        let at = part * arguments.sides + side;
        let part_count = counts[at];
        counts[at] = before;
        before += part_count;
    }
    if warp == WARPS - 1u && side < arguments.sides { totals[side] = before; }
}

#part presort_sum_sides
// Writes the offsets of sides, and the end of the last one: see presort.cu. One block.
#include "block_scan.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> totals: array<u32>;
@group(0) @binding(1) var<storage, read_write> segment_offsets: array<u32>;

@compute @workgroup_size(THREADS)
fn presort_sum_sides(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    var before = 0u;
    for (var first = 0u; first < arguments.sides; first += THREADS) {
        let side = first + thread;
        var total = 0u;
        if side < arguments.sides { total = totals[side]; }
        let offset = before + block_exclusive_sum(total);
        if side < arguments.sides { segment_offsets[side] = offset; }
        before += block_total;
        workgroupBarrier();
    }
    if thread == 0u { segment_offsets[arguments.sides] = before; }
}

#part presort_scatter
// Moves digis to their sides, in the order of the stream: see presort.cu. A warp a part.
#include "formulas/stream.wgsl" sides
#include "presort.wgsl" part

struct Arguments { blocks: u32, count: u32, part_length: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> modules: array<u32>;
@group(0) @binding(4) var<storage, read> segment_offsets: array<u32>;
// A row a part: what earlier parts have of each side.
@group(0) @binding(2) var<storage, read_write> part_offsets: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> to: array<vec2u>;

// The lanes whose side is that of this lane. Those without a digi have a number behind all sides.
fn lanes_with(side: u32) -> Mask {
    var same = votes(true);
    let bits = 1u + firstLeadingBit(arguments.sides);
    for (var bit = 0u; bit < bits; bit++) {
        let is_one = (side >> bit & 1u) != 0u;
        let vote = votes(is_one);
        same &= select(~vote, vote, is_one);
    }
    return same;
}

@compute @workgroup_size(THREADS)
fn presort_scatter(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let row = warp_part() * arguments.sides;
    for (var round = 0u; round < rounds(); round++) {
        let at = index_in_round(round);
        let is_one = at < arguments.count;
        var digi = vec2u(0u);
        var side = arguments.sides;
        if is_one {
            digi = digis[at];
            side = side_of(digi);
        }
        let same = lanes_with(side);
        let rank = count_of(same & lanes_below(lane));
        var first = 0u;
        if is_one && rank == 0u { first = atomicAdd(&part_offsets[row + side], count_of(same)); }
        first = shuffled(first, first_of(same));
        if is_one { to[segment_offsets[side] + first + rank] = of_side(digi); }
        // Another lane may go on with this row.
        warp_barrier();
    }
}
