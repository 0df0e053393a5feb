// Replaces sums of tiles by their exclusive scan: see place.cu. One workgroup.
#include "pages/sums.wgsl"

struct Arguments { blocks: u32, pages: u32, tiles: u32, fragments: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read_write> sums: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> job_offsets: array<u32>;

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn place_sum(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let count = arguments.fragments * arguments.tiles;
    var before_all = vec2u(0u);
    for (var first = 0u; first < count; first += THREADS) {
        let i = first + thread;
        var own = vec2u(0u);
        if i < count { own = sums[i]; }
        let before = before_all + exclusive_sums(own);
        if i < count {
            sums[i] = before;
            if i % arguments.tiles == 0u { job_offsets[i / arguments.tiles] = before.x; }
        }
        before_all += all_sums;
    }
    if thread > 0u { return; }
    job_offsets[arguments.fragments] = before_all.x;
    job_offsets[arguments.fragments + 1u] = before_all.y;
}
