#part ceiling_copy
// to[i] = from[i], for `pairs` pairs of 64-bit words: see streams.cu.
struct Arguments { blocks: u32, pairs: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> to: array<vec4u>;
@group(0) @binding(1) var<storage, read> from_pairs: array<vec4u>;

@compute @workgroup_size(THREADS)
fn ceiling_copy(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let first = block * TILE + thread;
    var held: array<vec4u, ITEMS>;
    for (var i = 0u; i < ITEMS; i++) {
        let at = first + i * THREADS;
        if at < arguments.pairs { held[i] = from_pairs[at]; }
    }
    for (var i = 0u; i < ITEMS; i++) {
        let at = first + i * THREADS;
        if at < arguments.pairs { to[at] = held[i]; }
    }
}

#part ceiling_triad
// to[i] = left[i] + 3 * right[i], for the same number of bytes as in streams.cu. Shaders need not
// support 64-bit numbers, so these are twice the number of 32-bit ones.
struct Arguments { blocks: u32, pairs: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> to: array<vec4f>;
@group(0) @binding(1) var<storage, read> left: array<vec4f>;
@group(0) @binding(2) var<storage, read> right: array<vec4f>;

@compute @workgroup_size(THREADS)
fn ceiling_triad(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let first = block * TILE + thread;
    var a: array<vec4f, ITEMS>;
    var b: array<vec4f, ITEMS>;
    for (var i = 0u; i < ITEMS; i++) {
        let at = first + i * THREADS;
        if at < arguments.pairs {
            a[i] = left[at];
            b[i] = right[at];
        }
    }
    for (var i = 0u; i < ITEMS; i++) {
        let at = first + i * THREADS;
        if at < arguments.pairs { to[at] = a[i] + 3.0 * b[i]; }
    }
}

#part ceiling_nothing
// Empty.
@compute @workgroup_size(32)
fn ceiling_nothing() {}
