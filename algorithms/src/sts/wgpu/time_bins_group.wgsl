// Makes groups of the buckets of large sides: see time_bins.cu. A block per side; a thread has some
// buckets next to each other.
#include "block_scan.wgsl"
#include "time_bins/side.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(7) var<storage, read> counts: array<u32>;
// Two in a word.
@group(0) @binding(8) var<storage, read_write> group_of: array<u32>;
@group(0) @binding(9) var<storage, read_write> group_offsets: array<u32>;
@group(0) @binding(10) var<storage, read_write> next_offsets: array<u32>;

const BUCKETS_EACH = BUCKETS / THREADS;

// Writes where the groups begin that begin where a bucket ends.
fn begin_groups(side: Side, begin: u32, end: u32) {
    let step = step_of(side);
    let groups = groups_of(side);
    let table = first_group_of(side);
    for (var group = begin / step + 1u; group < groups && group * step <= end; group++) {
        group_offsets[table + group] = end;
        next_offsets[table + group] = end;
    }
}

@compute @workgroup_size(THREADS)
fn time_bins_group(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let side = side_of(block);
    if !is_large(side) { return; }
    let first = block * BUCKETS + thread * BUCKETS_EACH;
    var count = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) { count += counts[first + i]; }
    var begin = block_exclusive_sum(count);
    if thread == 0u {
        group_offsets[first_group_of(side)] = 0u;
        next_offsets[first_group_of(side)] = 0u;
    }
    for (var i = 0u; i < BUCKETS_EACH; i += 2u) {
        let middle = begin + counts[first + i];
        let end = middle + counts[first + i + 1u];
        group_of[(first + i) / 2u] = begin / step_of(side) | (middle / step_of(side)) << 16u;
        begin_groups(side, begin, middle);
        begin_groups(side, middle, end);
        begin = end;
    }
}
