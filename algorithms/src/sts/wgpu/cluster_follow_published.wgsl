// Chains to clusters, as published.
#include "connectors/follow.wgsl"
#include "formulas/published/times.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_follow_published(invocation: InBlock) {
    enter(invocation);
    follow_own();
}
