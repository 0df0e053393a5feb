// Start of all shaders. Blocks may lie in a grid of two dimensions, because one dimension is
// limited: a shader returns at once if `block` is not below `arguments.blocks`.

// Index of the block in the grid, and of the thread in the block.
var<private> block: u32;
var<private> thread: u32;

struct InBlock {
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
}

fn enter(invocation: InBlock) {
    block = invocation.group.y * invocation.groups.x + invocation.group.x;
    thread = invocation.thread;
}

// 64-bit integers are pairs of words, the low one first.
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

// Barrier for workgroup memory and for the block's writes to buffers.
fn block_barrier() {
    storageBarrier();
    workgroupBarrier();
}
