#part collect_buckets
// Copies the hits of all modules to a contiguous array: see collect.cu. Some pieces of hits per
// thread.
#include "formulas/sides.wgsl"

struct Arguments { blocks: u32, modules: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> hits: array<vec4u>;
@group(0) @binding(1) var<storage, read> bucket_offsets: array<u32>;
// Offset of the hits of each module in the output.
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> flat: array<vec4u>;

// Size of a piece: see formulas/records.h.
const PIECES = 3u;
const PIECES_OF_THREAD = 4u;

@compute @workgroup_size(THREADS)
fn collect_buckets(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    for (var i = 0u; i < PIECES_OF_THREAD; i++) {
        let piece = (block * PIECES_OF_THREAD + i) * THREADS + thread;
        if piece >= segment_offsets[arguments.modules] * PIECES { return; }
        let hit = piece / PIECES;
        let segment = segment_of(arguments.modules, hit);
        let number = bucket_offsets[segment] + (hit - segment_offsets[segment]);
        flat[piece] = hits[number * PIECES + piece % PIECES];
    }
}
