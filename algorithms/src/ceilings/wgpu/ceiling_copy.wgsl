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
