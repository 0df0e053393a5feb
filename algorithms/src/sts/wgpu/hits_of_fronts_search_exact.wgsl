// The hits of all modules, by the exact rules; modules are found by binary search.
#include "hits/fronts.wgsl"
#include "formulas/exact/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_fronts_search_exact(place: InBlock) {
    enter(place);
    if has_place() { find_hits(segment_of(arguments.modules, own_place())); }
}
