// Links of digis, by the exact rules; sides are found by binary search.
#include "connectors/connect.wgsl"
#include "formulas/exact/window.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_connect_search_exact(place: InBlock) {
    enter(place);
    if has_place() { connect_in(segment_of(arguments.sides, own_place())); }
}
