// Copies the times of large sides, as clusters are large, and finds the first and the last one: see
// time_bins.cu. A block per part.
#include "time_bins/extent.wgsl"
#include "time_bins/part.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(3) var<storage, read> parts: array<Part>;
@group(0) @binding(4) var<storage, read_write> entry_words: array<u32>;
@group(0) @binding(6) var<storage, read_write> extents: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn time_bins_times(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block];
    let side = side_of(part.side);
    if is_empty(side, part) { return; }
    let end = end_of(side, part);
    for (var i = part.first + thread; i < end; i += THREADS) {
        let time = clusters[side.begin + i].time;
        entry_words[word_of_time(side, i)] = time;
        include_time(time);
    }
    let first = min_of_warp(first_time);
    let last = max_of_warp(last_time);
    if lane != 0u { return; }
    atomicMin(&extents[2u * part.side], first);
    atomicMin(&extents[2u * part.side + 1u], ~last);
}
