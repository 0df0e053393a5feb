// Sorts groups of channels: see channel_bucket.cu. A block per group; there may be more blocks.
#include "channel_bucket/groups.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(5) var<storage, read> extents: array<u32>;
@group(0) @binding(6) var<storage, read_write> oversized: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> overfull: array<atomic<u32>>;

fn bucket_of(digi: vec2u) -> u32 { return digi_channel(digi) - first_bucket; }

@compute @workgroup_size(THREADS)
fn channel_bucket_sort(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks || block >= group_count[0] { return; }
    let region = region_of_group();
    know_times((1u << TIME_BITS) - 1u, extents[2u * region], ~extents[2u * region + 1u]);
    sort_group();
}
