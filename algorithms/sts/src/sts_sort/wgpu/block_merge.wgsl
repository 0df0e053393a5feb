#part block_merge_sort
// The published sort of digis: see block_merge.cu. A block per segment; chunks are as large as
// little workgroup memory allows.
#include "block_merge.wgsl"
#include "digi.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> scratch: array<vec2u>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;

// The counts of 16 warps take 4 KiB.
const THREADS = min(256u, max(16u * LANES, SUBGROUP_LANES));
const ITEMS = 11u;
// Comes after digis that have the largest key too.
const PADDING = vec2u(~0u);

fn key(digi: vec2u) -> vec2u { return digi_key(digi); }

@compute @workgroup_size(THREADS)
fn block_merge_sort(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let begin = segment_offsets[block];
    sort_block(begin, segment_offsets[block + 1u] - begin);
}
