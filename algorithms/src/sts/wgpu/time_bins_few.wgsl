// Sorts the sides of few clusters, and clears the tables of large ones: see time_bins.cu. A block
// per side.
#include "time_bins/side.wgsl"
#include "time_bins/sorting.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read_write> entries: array<Entry>;
@group(0) @binding(6) var<storage, read_write> extents: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<u32>;
@group(0) @binding(11) var<storage, read_write> overfull: array<u32>;

fn time_at(begin: u32, at: u32) -> u32 { return clusters[begin + at].time; }
fn index_at(begin: u32, at: u32) -> u32 { return at; }
fn put_in_order(at: u32, entry: Entry) { entries[at] = entry; }

// Nothing is known of a large side.
fn forget(side: u32) {
    for (var bucket = thread; bucket < BUCKETS; bucket += THREADS) { counts[side * BUCKETS + bucket] = 0u; }
    if thread < 2u { extents[2u * side + thread] = ~0u; }
}

@compute @workgroup_size(THREADS)
fn time_bins_few(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let side = side_of(block);
    if block == 0u && thread == 0u { overfull[0] = 0u; }
    if is_large(side) {
        forget(block);
    } else if side.count > 0u {
        sort_by_bins(side.begin, side.count);
    }
}
