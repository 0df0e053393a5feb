// Moves digis to their sides, in the order of the stream: see presort.cu. A warp a part.
#include "formulas/stream.wgsl"
#include "presort/part.wgsl"

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
