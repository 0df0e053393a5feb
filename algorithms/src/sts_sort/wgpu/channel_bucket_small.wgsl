// Sorts segments that fit into workgroup memory, in place: see channel_bucket.cu. A block per
// segment.
#include "channel_bucket/sorting.wgsl"
#include "channel_bucket/extent.wgsl"

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
