#part channel_bucket_small
// Sorts segments that fit into workgroup memory, in place: see channel_bucket.cu. A block per
// segment.
#include "channel_bucket/sorting.wgsl"
#include "channel_bucket/common.wgsl" extent

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segments: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> overfull: array<atomic<u32>>;

const BUCKETS_EACH = BUCKETS / THREADS;

// Offsets of channels first, later digis of two words each.
var<workgroup> words: array<atomic<u32>, 2u * CAPACITY>;
var<workgroup> extent: array<atomic<u32>, 2>;
var<private> segment_length: u32;

fn unsorted_at(at: u32) -> vec2u { return digis[at]; }
fn put_in_order(at: u32, digi: vec2u) { digis[at] = digi; }
fn waiting_at(at: u32) -> vec2u {
    return vec2u(atomicLoad(&words[2u * at]), atomicLoad(&words[2u * at + 1u]));
}
fn put_waiting(at: u32, item: vec2u) {
    atomicStore(&words[2u * at], item.x);
    atomicStore(&words[2u * at + 1u], item.y);
}

fn bucket_bins(digi: vec2u) -> BucketBins {
    let channel = digi_channel(digi);
    let start = atomicLoad(&words[channel]);
    var end = segment_length;
    if channel + 1u < BUCKETS { end = atomicLoad(&words[channel + 1u]); }
    return bins_of_bucket(start, end - start);
}

// Turns the counts of channels into where they begin. Barriers before and after.
fn scan_channels() {
    let first = thread * BUCKETS_EACH;
    var sum = 0u;
    for (var i = 0u; i < BUCKETS_EACH; i++) { sum += atomicLoad(&words[first + i]); }
    var before = block_exclusive_sum(sum);
    for (var i = 0u; i < BUCKETS_EACH; i++) {
        let count = atomicLoad(&words[first + i]);
        atomicStore(&words[first + i], before);
        before += count;
    }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn channel_bucket_small(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let segment = segments[block];
    segment_length = segment.y - segment.x;
    if thread < 2u { atomicStore(&extent[thread], ~0u); }
    for (var i = 0u; i < BUCKETS_EACH; i++) { atomicStore(&words[i * THREADS + thread], 0u); }
    clear_bins();
    workgroupBarrier();
    for (var i = thread; i < segment_length; i += THREADS) {
        let digi = digis[segment.x + i];
        atomicAdd(&words[digi_channel(digi)], 1u);
        see(digi);
    }
    let first = min_of_warp(first_seen);
    let last = max_of_warp(last_seen);
    if lane == 0u {
        atomicMin(&extent[0], first);
        atomicMin(&extent[1], ~last);
    }
    workgroupBarrier();
    scan_channels();
    know_times((1u << TIME_BITS) - 1u, atomicLoad(&extent[0]), ~atomicLoad(&extent[1]));
    sort_buckets(segment.x, segment.y);
}

#part channel_bucket_count
// Counts the digis of each region's buckets, and finds its first and last time: see
// channel_bucket.cu. A block per part of a region.
#include "channel_bucket/common.wgsl"
#include "channel_bucket/common.wgsl" extent
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

#part channel_bucket_sort
// Sorts groups of channels: see channel_bucket.cu. A block per group; there may be more blocks.
#include "channel_bucket/sorting.wgsl" groups

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(7) var<storage, read> extents: array<u32>;

fn bucket_of(digi: vec2u) -> u32 { return digi_channel(digi) - first_bucket; }

@compute @workgroup_size(THREADS)
fn channel_bucket_sort(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks || block >= group_count[0] { return; }
    let region = region_of_group();
    know_times((1u << TIME_BITS) - 1u, extents[2u * region], ~extents[2u * region + 1u]);
    sort_group();
}

#part channel_bucket_sort_times
// Sorts groups of buckets that are determined by bits of the time: see channel_bucket.cu. A block
// per group; there may be more blocks.
#include "channel_bucket/sorting.wgsl" groups

struct Arguments { blocks: u32, shift: u32, bits: u32 }
var<immediate> arguments: Arguments;

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

#part channel_bucket_group
#include "channel_bucket/grouping.wgsl"

#part channel_bucket_distribute
#include "channel_bucket/distribution.wgsl"

#part channel_bucket_overfull
#include "channel_bucket/overfull.wgsl"
