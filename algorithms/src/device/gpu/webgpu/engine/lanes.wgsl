// What shaders with warps begin with. A warp has LANES lanes, the fewest that a subgroup of this
// GPU can have: it is a subgroup, or a part of one.

const WORD_LANES = 32u;

var<private> lane: u32;
var<private> warp: u32;
// The first lane of the warp in its subgroup.
var<private> warp_base: u32;

struct InWarp {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) lanes: u32,
}

// The number of a thread is made of that of its lane and that of its subgroup, whichever way a
// block is cut.
fn enter_lanes(place: InWarp) {
    block = place.group.y * place.groups.x + place.group.x;
    thread = place.subgroup * place.lanes + place.lane;
    lane = place.lane % LANES;
    warp = thread / LANES;
    warp_base = place.lane - lane;
}
