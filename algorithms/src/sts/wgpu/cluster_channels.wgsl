// Offsets of the channels of each side: see connectors.cu. A thread per digi.
#include "formulas/channels.wgsl"
#include "formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> channels: array<u32>;

@compute @workgroup_size(THREADS)
fn cluster_channels(invocation: InBlock) {
    enter(invocation);
    let index = block * THREADS + thread;
    if block >= arguments.blocks || index >= segment_offsets[arguments.sides] { return; }
    let side = side_of(segment_of(arguments.sides, index));
    find_channels(side, index - side.begin);
}
