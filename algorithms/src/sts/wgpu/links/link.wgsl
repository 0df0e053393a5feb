// Writes connectors, and a byte for each digi that follows another one: see links.cu. A block per tile.
#include "../formulas/following.wgsl"
#include "sides_of_tile.wgsl"

struct Arguments { blocks: u32, sides: u32, window_ns: u32, whole_ns: u32, crowd_ns: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> connectors: array<u32>;
@group(0) @binding(4) var<storage, read_write> follows: array<atomic<u32>>;

fn link_tile() {
    let first = block * TILE;
    let end = min(first + TILE, digi_count());
    if block >= arguments.blocks || first >= end { return; }
    let sides = sides_of_tile();
    for (var index = first + thread; index < end; index += THREADS) {
        let side = side_in(sides, index);
        let begin = segment_offsets[side];
        link(Followers(begin, segment_offsets[side + 1u] - begin), index - begin);
    }
}
