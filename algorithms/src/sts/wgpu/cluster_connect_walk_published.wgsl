// Links of digis, as published; sides are found by walking.
#include "connectors/connect.wgsl"
#include "formulas/published/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_walk_published(place: InBlock) {
    enter(place);
    if has_place() { connect_in(segment_by_walk(own_place())); }
}
