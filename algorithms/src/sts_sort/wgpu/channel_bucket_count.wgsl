// Counts the digis of each region's buckets, and finds its first and last time: see
// channel_bucket.cu. A block per part of a region.
#include "channel_bucket/common.wgsl"
#include "channel_bucket/extent.wgsl"
#include "digi.wgsl"

struct Arguments { blocks: u32, shift: u32, bits: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> parts: array<vec2u>;
@group(0) @binding(2) var<storage, read> region_of_part: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> extents: array<atomic<u32>>;

var<workgroup> block_counts: array<atomic<u32>, BUCKETS>;

const AT_ONCE = 4u;

fn count(digi: vec2u) {
    atomicAdd(&block_counts[digit_at(digi, arguments.shift, arguments.bits)], 1u);
    see(digi);
}

@compute @workgroup_size(THREADS)
fn channel_bucket_count(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    let region = region_of_part[block];
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) { atomicStore(&block_counts[bucket], 0u); }
    workgroupBarrier();
    var at = part.x + thread;
    // Loads that don't wait for each other.
    for (; at + (AT_ONCE - 1u) * THREADS < part.y; at += AT_ONCE * THREADS) {
        var some: array<vec2u, AT_ONCE>;
        for (var i = 0u; i < AT_ONCE; i++) { some[i] = digis[at + i * THREADS]; }
        for (var i = 0u; i < AT_ONCE; i++) { count(some[i]); }
    }
    for (; at < part.y; at += THREADS) { count(digis[at]); }
    workgroupBarrier();
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) {
        let counted = atomicLoad(&block_counts[bucket]);
        if counted > 0u { atomicAdd(&counts[region * BUCKETS + bucket], counted); }
    }
    let first = min_of_warp(first_seen);
    let last = max_of_warp(last_seen);
    if lane == 0u {
        atomicMin(&extents[2u * region], first);
        atomicMin(&extents[2u * region + 1u], ~last);
    }
}
