// Counts the jobs and samples of each tile of each fragment: see place.cu. A workgroup for each
// tile.
#include "pages/place.wgsl"
#include "pages/sums.wgsl"

struct Arguments { blocks: u32, pages: u32, tiles: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read_write> sums: array<vec2u>;

@compute @workgroup_size(THREADS)
fn place_count(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    enter_tile();
    exclusive_sums(own_sums());
    if thread == 0u { sums[block] = all_sums; }
}
