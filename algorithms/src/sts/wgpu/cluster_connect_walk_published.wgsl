// Links of digis, as published; sides are found by walking.
#include "connectors/connect.wgsl"
#include "formulas/published/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_walk_published(invocation: InBlock) {
    enter(invocation);
    if has_digi() { connect_in(segment_by_walk(digi_index())); }
}
