// The digis of each side, added to totals: see tiles.cu. Any number of blocks.
#include "tiles/counters.wgsl"

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
