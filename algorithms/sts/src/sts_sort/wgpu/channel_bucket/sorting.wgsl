// Digis in bins by time, in workgroup memory: see channel_bucket/sorting.h.
#include "common.wgsl"
#include "block_scan.wgsl"
#include "digi.wgsl"

const BINS_A_DIGI = 2u;
const BINS = BINS_A_DIGI * CAPACITY;
// A byte counts the digis of a bin.
const BINS_A_WORD = 4u;
const BIN_WORDS = BINS / BINS_A_WORD;
// A thread's words, next to each other.
const WORDS_EACH = BIN_WORDS / THREADS;
// Bin that counts items that are not digis.
const NO_BIN = BINS;
const MAX_IN_BIN = 32u;
const POSITION_WORDS = CAPACITY / 32u + 3u;

// The bins of a bucket: which is the first, and what a time is multiplied by, in units of 2^-32
// bins.
struct BucketBins { first: u32, factor: u32 }

var<workgroup> bin_counts: array<atomic<u32>, BIN_WORDS + 1u>;
// Start of the first bin of each word, two in a word.
var<workgroup> bin_starts: array<u32, BIN_WORDS / 2u>;
// A bit for each position, set at the start of a bin; one word before, one after.
var<workgroup> first_of_bin: array<atomic<u32>, POSITION_WORDS>;

// Scaling of a region's times to bins: the bits that differ within a bucket, the first time, and
// the number of bins per digi and unit of time, times 2^32.
var<private> time_mask: u32;
var<private> first_time: u32;
var<private> bins_a_digi: f32;

// Rounding must not lead beyond a bucket's last bin.
fn know_times(mask: u32, first: u32, last: u32) {
    const DOWN = 1.0 - 1.0 / 1048576.0;
    time_mask = mask;
    first_time = first;
    bins_a_digi = f32(BINS_A_DIGI) * 4294967296.0 * DOWN / (f32(last - first) + 1.0);
}

fn bins_of_bucket(start: u32, count: u32) -> BucketBins {
    // The largest that fits into 32 bits.
    const MAX_COUNT = 4294967040.0;
    return BucketBins(BINS_A_DIGI * start, u32(min(f32(count) * bins_a_digi, MAX_COUNT)));
}

// The upper half of a product.
fn high_of_product(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}

// The bin of a digi: those of earlier buckets come first, and within a bucket digis have their
// bins by time, as if times were evenly spread.
fn bin_of(digi: vec2u, bucket: BucketBins) -> u32 {
    let time = (digi_time(digi) & time_mask) - first_time;
    return bucket.first + high_of_product(time, bucket.factor);
}

// Counts a digi; returns how many its bin has so far.
fn add_to_bin(bin: u32) -> u32 {
    let shift = bin % BINS_A_WORD * 8u;
    return atomicAdd(&bin_counts[bin / BINS_A_WORD], 1u << shift) >> shift & 0xffu;
}

// Byte by byte the sum of the bytes up to it.
fn inclusive_bytes(word: u32) -> u32 { return word * 0x01010101u; }

// Start of a bin, after the bins' offsets are known.
fn start_of(bin: u32) -> u32 {
    let word = bin / BINS_A_WORD;
    let before = inclusive_bytes(atomicLoad(&bin_counts[word])) << 8u;
    let start = bin_starts[word / 2u] >> (word % 2u * 16u) & 0xffffu;
    return start + (before >> (bin % BINS_A_WORD * 8u) & 0xffu);
}

// Barriers before and after.
fn clear_bins() {
    for (var i = 0u; i < WORDS_EACH; i++) { atomicStore(&bin_counts[i * THREADS + thread], 0u); }
    for (var i = thread; i < POSITION_WORDS; i += THREADS) { atomicStore(&first_of_bin[i], 0u); }
    if thread == 0u { atomicStore(&bin_counts[BIN_WORDS], 0u); }
}

// Finds where bins begin. Barriers before and after.
fn scan_bins() {
    let first = thread * WORDS_EACH;
    var sums: array<u32, WORDS_EACH>;
    var sum = 0u;
    for (var i = 0u; i < WORDS_EACH; i++) {
        sums[i] = inclusive_bytes(atomicLoad(&bin_counts[first + i])) >> 24u;
        sum += sums[i];
    }
    var before = block_exclusive_sum(sum);
    for (var i = 0u; i < WORDS_EACH; i += 2u) {
        let middle = before + sums[i];
        bin_starts[(first + i) / 2u] = before | middle << 16u;
        before = middle + sums[i + 1u];
    }
    workgroupBarrier();
}

fn mark_first_of_bin(at: u32) { atomicOr(&first_of_bin[1u + at / 32u], 1u << (at % 32u)); }

// The positions of the bin that a position lies in, if all are marked, and the position after the
// last digi too.
fn bin_around(at: u32) -> vec2u {
    let word = at / 32u;
    let bit = at % 32u;
    let before = atomicLoad(&first_of_bin[word]);
    let current = atomicLoad(&first_of_bin[word + 1u]);
    let after = atomicLoad(&first_of_bin[word + 2u]);
    // The highest bit of `up_to` is that of the position, the lowest of `beyond` that of the next.
    let up_to = before >> 1u >> bit | current << (31u - bit);
    let beyond = current >> 1u >> bit | after << (31u - bit);
    return vec2u(at - countLeadingZeros(up_to), at + countTrailingZeros(beyond) + 1u);
}

// Sorting some buckets in workgroup memory: see channel_bucket/sorting.h. It needs the digis of a
// kernel and where they go (`unsorted_at`, `put_in_order`), the list `overfull`, how digis wait
// (`waiting_at`, `put_waiting`), and the bins of a digi's bucket (`bucket_bins`).

var<workgroup> full_bins: atomic<u32>;
// The bin and the rank in it of each of a thread's digis.
var<private> bins_and_ranks: array<u32, SORTED_ITEMS>;

// The digi's bits with the time in the highest ones: the order within a bin, whose digis have the
// same channel.
fn time_first(digi: vec2u) -> vec2u {
    return vec2u(digi.x >> 31u | digi.y << 1u, digi.y >> 31u | digi.x << 1u);
}

fn digi_from_time_first(item: vec2u) -> vec2u {
    return vec2u(item.y >> 1u | item.x << 31u, item.x >> 1u | item.y << 31u);
}

// Counts digis in their bins; returns whether a bin has too many. Barriers before and after.
fn count_in_bins(begin: u32, count: u32) -> bool {
    if thread == 0u { atomicStore(&full_bins, 0u); }
    workgroupBarrier();
    for (var i = 0u; i < SORTED_ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let digi = unsorted_at(begin + at);
            let bin = bin_of(digi, bucket_bins(digi));
            let rank = add_to_bin(bin);
            if rank >= MAX_IN_BIN { atomicStore(&full_bins, 1u); }
            bins_and_ranks[i] = rank << 16u | bin;
        }
    }
    workgroupBarrier();
    return atomicLoad(&full_bins) != 0u;
}

// Moves digis to their bins. Barriers before and after.
fn move_to_bins(begin: u32, count: u32) {
    if thread == 0u { mark_first_of_bin(count); }
    for (var i = 0u; i < SORTED_ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let rank = bins_and_ranks[i] >> 16u;
            let to = start_of(bins_and_ranks[i] & 0xffffu) + rank;
            put_waiting(to, time_first(unsorted_at(begin + at)));
            if rank == 0u { mark_first_of_bin(to); }
        }
    }
    block_barrier();
}

// Writes each digi to where it belongs: before it come those of its bin that are earlier.
fn write_in_order(begin: u32, count: u32) {
    for (var i = thread; i < count; i += THREADS) {
        let item = waiting_at(i);
        let bin = bin_around(i);
        var to = bin.x;
        if bin.y - bin.x > 1u {
            for (var k = bin.x; k < bin.y; k++) {
                let other = waiting_at(k);
                if is_less(other, item) || (all(other == item) && k < i) { to++; }
            }
        }
        put_in_order(begin + to, digi_from_time_first(item));
    }
}

// Sorts a range of digis whose times are known, with clear bins. If many have nearly the same time
// it is only listed. A barrier before.
fn sort_buckets(begin: u32, end: u32) {
    let count = end - begin;
    if count_in_bins(begin, count) {
        if thread == 0u { list_overfull(begin, end); }
        return;
    }
    scan_bins();
    move_to_bins(begin, count);
    write_in_order(begin, count);
}

fn list_overfull(begin: u32, end: u32) {
    let at = 2u * atomicAdd(&overfull[0], 1u);
    atomicStore(&overfull[at + 1u], begin);
    atomicStore(&overfull[at + 2u], end);
}

#part groups
// Sorting groups of buckets that fit, from one array to another or the same: see
// channel_bucket.cu. It needs `bucket_of`, the bucket of a digi among those of its group.

@group(0) @binding(0) var<storage, read_write> unsorted: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> sorted: array<vec2u>;
@group(0) @binding(2) var<storage, read> bucket_offsets: array<u32>;
// Region, first bucket and number of buckets of each.
@group(0) @binding(3) var<storage, read> groups: array<u32>;
@group(0) @binding(4) var<storage, read> group_count: array<u32>;
@group(0) @binding(5) var<storage, read_write> oversized: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> overfull: array<atomic<u32>>;

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
