// The hits of all modules, as published; modules are found by binary search.
#include "hits/fronts.wgsl"
#include "formulas/published/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_fronts_search_published(invocation: InBlock) {
    enter(invocation);
    if has_front() { find_hits(segment_of(arguments.modules, front_index())); }
}
