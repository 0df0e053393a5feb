// What each shader begins with. Blocks may lie in a grid of two dimensions, as one alone can't
// have as many: a shader returns at once where `block` is none of `arguments.blocks`.

// Where a thread is in its block, and its block in the grid.
var<private> block: u32;
var<private> thread: u32;

struct InBlock {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
}

fn enter(place: InBlock) {
    block = place.group.y * place.groups.x + place.group.x;
    thread = place.thread;
}

// Numbers of 64 bits are pairs of words, the low one first.
fn shifted_right(number: vec2u, bits: u32) -> vec2u {
    if bits == 0u { return number; }
    if bits >= 32u { return vec2u(number.y >> (bits - 32u), 0u); }
    return vec2u(number.x >> bits | number.y << (32u - bits), number.y >> bits);
}

fn shifted_left(number: vec2u, bits: u32) -> vec2u {
    if bits == 0u { return number; }
    if bits >= 32u { return vec2u(0u, number.x << (bits - 32u)); }
    return vec2u(number.x << bits, number.y << bits | number.x >> (32u - bits));
}

fn is_less(left: vec2u, right: vec2u) -> bool {
    return left.y < right.y || (left.y == right.y && left.x < right.x);
}

// A barrier for workgroup memory and for what the block has written to buffers.
fn block_barrier() {
    storageBarrier();
    workgroupBarrier();
}
