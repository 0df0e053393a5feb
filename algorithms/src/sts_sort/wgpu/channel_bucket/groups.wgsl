// Sorting groups of buckets that fit, from one array to another or the same: see
// channel_bucket.cu. It needs `bucket_of`, the bucket of a digi among those of its group.
#include "sorting.wgsl"

@group(0) @binding(0) var<storage, read_write> unsorted: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sorted: array<vec2u>;
@group(0) @binding(2) var<storage, read> bucket_offsets: array<u32>;
// Region, first bucket and number of buckets of each.
@group(0) @binding(3) var<storage, read> groups: array<u32>;
@group(0) @binding(4) var<storage, read> group_count: array<u32>;

var<workgroup> waiting: array<vec2u, CAPACITY>;
var<private> first_bucket: u32;
// Index of its first bucket's offset, and that offset.
var<private> first_bucket_index: u32;
var<private> group_begin: u32;

fn unsorted_at(at: u32) -> vec2u { return unsorted[at]; }
fn put_in_order(at: u32, digi: vec2u) { sorted[at] = digi; }
fn waiting_at(at: u32) -> vec2u { return waiting[at]; }
fn put_waiting(at: u32, item: vec2u) { waiting[at] = item; }

fn bucket_bins(digi: vec2u) -> BucketBins {
    let bucket = first_bucket_index + bucket_of(digi);
    let start = bucket_offsets[bucket];
    return bins_of_bucket(start - group_begin, bucket_offsets[bucket + 1u] - start);
}

fn region_of_group() -> u32 { return groups[3u * block]; }

fn sort_group() {
    first_bucket = groups[3u * block + 1u];
    first_bucket_index = region_of_group() * (BUCKETS + 1u) + first_bucket;
    group_begin = bucket_offsets[first_bucket_index];
    let end = bucket_offsets[first_bucket_index + groups[3u * block + 2u]];
    if end == group_begin { return; }
    if end - group_begin > CAPACITY {
        if thread == 0u { list_oversized(group_begin, end); }
        return;
    }
    clear_bins();
    workgroupBarrier();
    sort_buckets(group_begin, end);
}

fn list_oversized(begin: u32, end: u32) {
    let at = 2u * atomicAdd(&oversized[0], 1u);
    atomicStore(&oversized[at + 1u], begin);
    atomicStore(&oversized[at + 2u], end);
}
