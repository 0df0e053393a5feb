// Links of digis, as published.
#include "formulas/published/sought.wgsl"
#include "links/link.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_link_published(place: InWarp) {
    enter_lanes(place);
    link_tile();
}
