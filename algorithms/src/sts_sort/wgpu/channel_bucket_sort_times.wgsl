// Sorts groups of buckets that are determined by bits of the time: see channel_bucket.cu. A block
// per group; there may be more blocks.
#include "channel_bucket/groups.wgsl"

struct Arguments { blocks: u32, shift: u32, bits: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(5) var<storage, read_write> oversized: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> overfull: array<atomic<u32>>;

fn bucket_of(digi: vec2u) -> u32 {
    return digit_at(digi, arguments.shift, arguments.bits) - first_bucket;
}

@compute @workgroup_size(THREADS)
fn channel_bucket_sort_times(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks || block >= group_count[0] { return; }
    let bits_below = (1u << arguments.shift) - 1u;
    know_times(bits_below, 0u, bits_below);
    sort_group();
}
