// Chains to clusters, as published.
#include "formulas/published/times.wgsl"
#include "links/follow.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_heads_published(invocation: InWarp) {
    enter_lanes(invocation);
    follow_tile();
}
