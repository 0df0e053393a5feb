#part entries_block_merge
// The published sort of digis, applied to entries of clusters: see cluster_block_merge.cu. A block
// per side; chunks are as large as little workgroup memory allows.
#include "block_merge.wgsl"
#include "formulas/records.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
// Entries, in the binding of the sort's digis.
@group(0) @binding(3) var<storage, read_write> digis: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> scratch: array<vec2u>;

// The counts of 16 warps take 4 KiB.
const THREADS = min(256u, max(16u * LANES, SUBGROUP_LANES));
const ITEMS = 11u;
const KEY_BITS = 32u;
const PADDING = vec2u(~0u);

// The time is the first word of an entry.
fn key(entry: vec2u) -> vec2u { return vec2u(entry.x, 0u); }

@compute @workgroup_size(THREADS)
fn entries_block_merge(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let begin = segment_offsets[block];
    let count = found[block].clusters;
    for (var i = thread; i < count; i += THREADS) {
        digis[begin + i] = vec2u(clusters[begin + i].time, i);
    }
    block_barrier();
    sort_block(begin, count);
}
