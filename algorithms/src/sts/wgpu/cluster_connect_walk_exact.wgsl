// Links of digis, by the exact rules; sides are found by walking.
#include "connectors/connect.wgsl"
#include "formulas/exact/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_walk_exact(invocation: InBlock) {
    enter(invocation);
    if has_digi() { connect_in(segment_by_walk(digi_index())); }
}
