// Lists the jobs of all fragments: see place.cu. A workgroup for each tile.
#include "pages/place.wgsl"
#include "pages/sums.wgsl"

struct Arguments { blocks: u32, pages: u32, tiles: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read> sums: array<vec2u>;
// Page and first sample.
@group(0) @binding(4) var<storage, read_write> jobs: array<vec2u>;

@compute @workgroup_size(THREADS)
fn place_jobs(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    enter_tile();
    var before = sums[block] + exclusive_sums(own_sums());
    for (var i = 0u; i < PAGES_EACH; i++) {
        let samples = samples_of(i);
        if samples == 0u { continue; }
        jobs[before.x] = vec2u(first_page + i, before.y);
        before += vec2u(1u, samples);
    }
}
