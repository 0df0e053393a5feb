// The hits of all modules, by the exact rules, by shared pairs.
#include "formulas/exact/pairs.wgsl"
#include "pairs/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_pairs_exact(invocation: InWarp) {
    enter_lanes(invocation);
    if block < arguments.blocks { find_hits_of_job(jobs[block]); }
}
