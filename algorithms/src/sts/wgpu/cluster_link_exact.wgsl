// Links of digis, by the exact rules.
#include "formulas/exact/sought.wgsl"
#include "links/link.wgsl"

@compute @workgroup_size(THREADS)
fn cluster_link_exact(invocation: InWarp) {
    enter_lanes(invocation);
    link_tile();
}
