// The digis of each side in each part, a row of counts a part: see presort.cu. A warp a part.
#include "formulas/stream.wgsl"
#include "presort/part.wgsl"

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
