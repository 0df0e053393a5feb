// Writes connectors, which are zero at the start: see connectors.cu. A thread a digi.
#include "../formulas/connecting.wgsl"
#include "../formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32, window_ns: u32, whole_ns: u32, crowd_ns: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> channels: array<u32>;
@group(0) @binding(3) var<storage, read_write> connectors: array<atomic<u32>>;

fn digi_index() -> u32 { return block * THREADS + thread; }
fn has_digi() -> bool { return block < arguments.blocks && digi_index() < segment_offsets[arguments.sides]; }

fn connect_in(number: u32) {
    let side = side_of(number);
    connect(side, digi_index() - side.begin);
}
