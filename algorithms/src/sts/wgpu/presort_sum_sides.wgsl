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
