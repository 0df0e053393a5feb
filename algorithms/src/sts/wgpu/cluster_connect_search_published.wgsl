// Links of digis, as published; sides are found by binary search.
#include "connectors/connect.wgsl"
#include "formulas/published/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_search_published(place: InBlock) {
    enter(place);
    if has_place() { connect_in(segment_of(arguments.sides, own_place())); }
}
