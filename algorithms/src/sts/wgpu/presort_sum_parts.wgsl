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
