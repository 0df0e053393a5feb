// The clusters of all sides, as published. A block per side.
#include "per_side/side.wgsl"
#include "formulas/published/times.wgsl"
#include "formulas/published/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_side_published(invocation: InBlock) {
    enter(invocation);
    if block < arguments.blocks { find_clusters(); }
}
