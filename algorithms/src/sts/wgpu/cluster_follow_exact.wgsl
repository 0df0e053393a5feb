// Chains to clusters, by the exact rules.
#include "connectors/follow.wgsl"
#include "formulas/exact/times.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_follow_exact(invocation: InBlock) {
    enter(invocation);
    follow_own();
}
