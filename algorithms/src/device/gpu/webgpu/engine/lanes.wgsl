// What shaders with subgroups begin with. Lanes are counted as the GPU does: the number of a
// thread is made of that of its lane and that of its subgroup, whichever way a block is cut.

var<private> lane: u32;
var<private> lanes: u32;
var<private> warp: u32;

struct InWarp {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(subgroup_id) warp: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) lanes: u32,
}

fn enter_lanes(place: InWarp) {
    block = place.group.y * place.groups.x + place.group.x;
    lane = place.lane;
    lanes = place.lanes;
    // Known to the compiler on most GPUs.
    if LEAST_LANES == MOST_LANES { lanes = LEAST_LANES; }
    warp = place.warp;
    thread = warp * lanes + lane;
}
