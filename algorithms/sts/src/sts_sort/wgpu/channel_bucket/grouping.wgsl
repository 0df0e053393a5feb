// Makes groups of each region's buckets that fit into shared memory: see channel_bucket.cu.
// A block per region.
//
// Workgroup memory: 24 KiB. A thread has some buckets next to each other.
#include "block_scan.wgsl"
#include "common.wgsl"

struct Arguments { blocks: u32, capacity: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> regions: array<vec2u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> bucket_offsets: array<u32>;
// Two in a word.
@group(0) @binding(3) var<storage, read_write> group_of: array<u32>;
@group(0) @binding(4) var<storage, read_write> first_groups: array<u32>;
// Region, first bucket and number of buckets of each.
@group(0) @binding(5) var<storage, read_write> groups: array<u32>;
@group(0) @binding(6) var<storage, read_write> next_offsets: array<u32>;
@group(0) @binding(7) var<storage, read_write> group_count: array<atomic<u32>>;

const BUCKETS_EACH = BUCKETS / THREADS;

// Offset of each bucket in the region.
var<workgroup> starts: array<u32, BUCKETS + 1u>;
// 1 if it is the first bucket of a group.
var<workgroup> is_first: array<atomic<u32>, BUCKETS>;
// Bucket that the chain of groups reaches from each bucket.
var<workgroup> leaps: array<u32, BUCKETS + 1u>;
var<workgroup> first_group: u32;

// The bucket after the last one that fits in with a bucket, which itself need not fit.
fn end_of_group(bucket: u32) -> u32 {
    var low = bucket + 1u;
    var high = BUCKETS;
    while low < high {
        let middle = (low + high + 1u) / 2u;
        if starts[middle] - starts[bucket] <= arguments.capacity { low = middle; } else { high = middle - 1u; }
    }
    return low;
}

// Marks the buckets that a chain of groups from bucket 0 comes to, along leaps of 1, 2, 4 …
// groups. Barriers before and after.
fn mark_groups() {
    let first = thread * BUCKETS_EACH;
    for (var i = 0u; i < BUCKETS_EACH; i++) {
        leaps[first + i] = end_of_group(first + i);
        atomicStore(&is_first[first + i], select(0u, 1u, first + i == 0u));
    }
    if thread == 0u { leaps[BUCKETS] = BUCKETS; }
    workgroupBarrier();
    for (var length = 1u; length < BUCKETS; length *= 2u) {
        var once: array<u32, BUCKETS_EACH>;
        var twice: array<u32, BUCKETS_EACH>;
        var is_marked: array<bool, BUCKETS_EACH>;
        for (var i = 0u; i < BUCKETS_EACH; i++) {
            once[i] = leaps[first + i];
            twice[i] = leaps[once[i]];
            is_marked[i] = atomicLoad(&is_first[first + i]) != 0u;
        }
        workgroupBarrier();
        for (var i = 0u; i < BUCKETS_EACH; i++) {
            if is_marked[i] && once[i] < BUCKETS { atomicStore(&is_first[once[i]], 1u); }
            leaps[first + i] = twice[i];
        }
        workgroupBarrier();
    }
}

// Finds the offsets of the thread's buckets in the region. Barriers after.
fn scan_buckets(region: u32, count: u32) {
    let first = thread * BUCKETS_EACH;
    var bucket_counts: array<u32, BUCKETS_EACH>;
    var sum = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) {
        bucket_counts[i] = counts[region * BUCKETS + first + i];
        sum += bucket_counts[i];
    }
    var before = block_exclusive_sum(sum);
    for (var i = 0u; i < BUCKETS_EACH; i++) {
        starts[first + i] = before;
        before += bucket_counts[i];
    }
    if thread == 0u { starts[BUCKETS] = count; }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn channel_bucket_group(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let region = block;
    let range = regions[region];
    scan_buckets(region, range.y - range.x);
    mark_groups();
    let first = thread * BUCKETS_EACH;
    var sum = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) { sum += atomicLoad(&is_first[first + i]); }
    var before = block_exclusive_sum(sum);
    if thread == 0u {
        first_group = atomicAdd(&group_count[0], block_total);
        first_groups[region] = first_group;
    }
    workgroupBarrier();
    var pair = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) {
        let bucket = first + i;
        let begin = range.x + starts[bucket];
        bucket_offsets[region * (BUCKETS + 1u) + bucket] = begin;
        let begins_here = atomicLoad(&is_first[bucket]);
        before += begins_here;
        let group_in_region = before - 1u;
        if i % 2u == 0u { pair = group_in_region; } else { group_of[(region * BUCKETS + bucket) / 2u] = pair | group_in_region << 16u; }
        if begins_here == 0u { continue; }
        let group = first_group + group_in_region;
        groups[3u * group] = region;
        groups[3u * group + 1u] = bucket;
        groups[3u * group + 2u] = end_of_group(bucket) - bucket;
        next_offsets[group] = begin;
    }
    if thread == 0u { bucket_offsets[region * (BUCKETS + 1u) + BUCKETS] = range.y; }
}
