// The clusters of all sides, by the exact rules. A block per side.
#include "per_side/side.wgsl"
#include "formulas/exact/times.wgsl"
#include "formulas/exact/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_side_exact(invocation: InBlock) {
    enter(invocation);
    if block < arguments.blocks { find_clusters(); }
}
