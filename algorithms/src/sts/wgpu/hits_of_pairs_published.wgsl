// The hits of all modules, as published, by shared pairs.
#include "formulas/published/pairs.wgsl"
#include "pairs/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_pairs_published(invocation: InWarp) {
    enter_lanes(invocation);
    if block < arguments.blocks { find_hits_of_job(jobs[block]); }
}
