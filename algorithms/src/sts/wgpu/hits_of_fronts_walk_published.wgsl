// The hits of all modules, as published; modules are found by walking.
#include "hits/fronts.wgsl"
#include "formulas/published/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_fronts_walk_published(invocation: InBlock) {
    enter(invocation);
    if has_front() { find_hits(segment_by_walk(front_index())); }
}
