// Counts the entries of the buckets of large sides: see time_bins.cu. A block per part.
#include "time_bins/buckets.wgsl"
#include "time_bins/part.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(3) var<storage, read> parts: array<Part>;
@group(0) @binding(4) var<storage, read> entry_words: array<u32>;
@group(0) @binding(6) var<storage, read> extents: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> block_counts: array<atomic<u32>, BUCKETS>;

@compute @workgroup_size(THREADS)
fn time_bins_count(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    let side = side_of(part.side);
    if is_empty(side, part) { return; }
    let scale = scale_of_side(part.side);
    let end = end_of(side, part);
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) { atomicStore(&block_counts[bucket], 0u); }
    workgroupBarrier();
    for (var i = part.first + thread; i < end; i += THREADS) {
        atomicAdd(&block_counts[bin_of(scale, entry_words[word_of_time(side, i)])], 1u);
    }
    workgroupBarrier();
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) {
        let count = atomicLoad(&block_counts[bucket]);
        if count > 0u { atomicAdd(&counts[part.side * BUCKETS + bucket], count); }
    }
}
