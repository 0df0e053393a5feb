// Start of all shaders with warps. A warp has LANES lanes, the minimum subgroup size of this GPU:
// it is a subgroup, or a part of one.

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

// The index of a thread is made of those of its lane and its subgroup, however a block is divided
// into subgroups.
fn enter_lanes(invocation: InWarp) {
    block = invocation.group.y * invocation.groups.x + invocation.group.x;
    thread = invocation.subgroup * invocation.lanes + invocation.lane;
    lane = invocation.lane % LANES;
    warp = thread / LANES;
    warp_base = invocation.lane - lane;
}
