// Digis in bins by time, in workgroup memory: see channel_bucket/sorting.h.
#include "common.wgsl"

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
