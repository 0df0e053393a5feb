// Chains to clusters, by the exact rules.
#include "formulas/exact/times.wgsl"
#include "links/follow.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_heads_exact(invocation: InWarp) {
    enter_lanes(invocation);
    follow_tile();
}
