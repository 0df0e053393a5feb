// The hits of all modules, by the exact rules; modules are found by binary search.
#include "hits/fronts.wgsl"
#include "formulas/exact/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_fronts_search_exact(invocation: InBlock) {
    enter(invocation);
    if has_front() { find_hits(segment_of(arguments.modules, front_index())); }
}
