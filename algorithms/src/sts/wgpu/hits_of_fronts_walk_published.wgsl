// The hits of all modules, as published; modules are found by walking.
#include "hits/fronts.wgsl"
#include "formulas/published/pairs.wgsl"

@compute @workgroup_size(THREADS)
fn hits_of_fronts_walk_published(place: InBlock) {
    enter(place);
    if has_place() { find_hits(segment_by_walk(own_place())); }
}
