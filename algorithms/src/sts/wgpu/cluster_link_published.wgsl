// Links of digis, as published.
#include "formulas/published/sought.wgsl"
#include "links/link.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_link_published(invocation: InWarp) {
    enter_lanes(invocation);
    link_tile();
}
