// Sorts the groups of large sides: see time_bins.cu. A block for each minimum group size; those of
// a part are neighbours.
#include "time_bins/side.wgsl"
#include "time_bins/sorting.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(3) var<storage, read> parts: array<Part>;
@group(0) @binding(9) var<storage, read> group_offsets: array<u32>;
@group(0) @binding(10) var<storage, read> next_offsets: array<u32>;
@group(0) @binding(5) var<storage, read> grouped: array<Entry>;
@group(0) @binding(4) var<storage, read_write> entries: array<Entry>;
// Number of overfull groups, then the begin and end of each.
@group(0) @binding(11) var<storage, read_write> overfull: array<atomic<u32>>;

const STEPS_OF_PART = PART / MIN_STEP;

fn time_at(begin: u32, at: u32) -> u32 { return grouped[begin + at].time; }
fn index_at(begin: u32, at: u32) -> u32 { return grouped[begin + at].index; }
fn put_in_order(at: u32, entry: Entry) { entries[at] = entry; }

fn list_overfull(begin: u32, end: u32) {
    let at = 2u * atomicAdd(&overfull[0], 1u);
    atomicStore(&overfull[at + 1u], begin);
    atomicStore(&overfull[at + 2u], end);
}

@compute @workgroup_size(THREADS)
fn time_bins_groups(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let part = parts[block / STEPS_OF_PART];
    let side = side_of(part.side);
    let group = part.first / MIN_STEP + block % STEPS_OF_PART;
    if !is_large(side) || group >= groups_of(side) { return; }
    let begin = side.begin + group_offsets[first_group_of(side) + group];
    let end = side.begin + next_offsets[first_group_of(side) + group];
    if end - begin <= FEW {
        sort_by_bins(begin, end - begin);
    } else if thread == 0u {
        list_overfull(begin, end);
    }
}
