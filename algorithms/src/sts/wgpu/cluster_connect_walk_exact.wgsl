// Links of digis, by the exact rules; sides are found by walking.
#include "connectors/connect.wgsl"
#include "formulas/exact/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_walk_exact(place: InBlock) {
    enter(place);
    if has_place() { connect_in(segment_by_walk(own_place())); }
}
