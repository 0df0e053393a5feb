// The clusters of all sides, by the exact rules. A block per side.
#include "per_side/side.wgsl"
#include "formulas/exact/times.wgsl"
#include "formulas/exact/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_side_exact(place: InBlock) {
    enter(place);
    if block < arguments.blocks { find_clusters(); }
}
