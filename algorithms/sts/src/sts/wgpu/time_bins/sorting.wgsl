#part scale
// Times to bins of equal lengths: see time_bins/sorting.h.
#include "arithmetic.wgsl"

// The first time, and what a time is multiplied by, in units of 2^-32 bins.
struct Scale { first: u32, factor: u32 }

// From the first time and the complement of the last one. Rounding must not lead beyond the last
// bin. If the range of times is smaller than the number of bins, the largest factor gives each time
// a bin, or nearly so.
fn scale_of(first: u32, last_complement: u32, bins: u32) -> Scale {
    const DOWN = 1.0 - 1.0 / 1048576.0;
    // The largest that fits into 32 bits.
    const MAX_COUNT = 4294967040.0;
    let times = sum(f32(~last_complement - first), 1.0);
    return Scale(first, u32(min(quotient(f32(bins) * (4294967296.0 * DOWN), times), MAX_COUNT)));
}

// The upper half of a product.
fn bin_of(scale: Scale, time: u32) -> u32 {
    let a = time - scale.first;
    let b = scale.factor;
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}

#part extent
// The first and the last time of some entries: see time_bins/sorting.h. It needs a warp.

var<private> first_time: u32 = ~0u;
var<private> last_time: u32;

fn include_time(time: u32) {
    first_time = min(first_time, time);
    last_time = max(last_time, time);
}

#part bins
// Sorting entries by bins of time, in workgroup memory: see time_bins/sorting.h. It needs what is to
// be sorted (`time_at`, `index_at`) and where it goes (`put_in_order`).
//
// Workgroup memory: entries (16 KiB), and where bins begin (8 KiB).
#include "block_scan.wgsl"
#include "sorting.wgsl" extent
#include "sorting.wgsl" scale

// At most one bin for each entry: few entries share one, unless many have the same time.
const BINS = FEW;
const BINS_EACH = BINS / THREADS;

var<workgroup> sorted_keys: array<Entry, FEW>;
// From the second one on: first the entries of each bin; then the destination of its next entry,
// which finally is the offset of the next bin.
var<workgroup> bin_offsets: array<atomic<u32>, BINS + 1u>;
var<workgroup> extent: array<atomic<u32>, 2>;
var<private> times: array<u32, ITEMS>;

// A barrier is needed after.
fn clear_bins() {
    for (var i = 0u; i < BINS_EACH; i++) { atomicStore(&bin_offsets[1u + i * THREADS + thread], 0u); }
    if thread == 0u { atomicStore(&bin_offsets[0], 0u); }
    if thread < 2u { atomicStore(&extent[thread], ~0u); }
}

fn include_in_extent() {
    let first = min_of_warp(first_time);
    let last = max_of_warp(last_time);
    if lane != 0u { return; }
    atomicMin(&extent[0], first);
    atomicMin(&extent[1], ~last);
}

// Turns counts of bins into where they begin. Barriers before and after are included.
fn sum_bins() {
    workgroupBarrier();
    let first_bin = 1u + thread * BINS_EACH;
    var count = 0u;
    for (var i = 0u; i < BINS_EACH; i++) { count += atomicLoad(&bin_offsets[first_bin + i]); }
    var before = block_exclusive_sum(count);
    for (var i = 0u; i < BINS_EACH; i++) {
        let in_bin = atomicLoad(&bin_offsets[first_bin + i]);
        atomicStore(&bin_offsets[first_bin + i], before);
        before += in_bin;
    }
    workgroupBarrier();
}

// Moves entries to their bins. Includes a barrier.
fn move_to_bins(begin: u32, count: u32, scale: Scale) {
    for (var i = 0u; i < ITEMS; i++) {
        if i * THREADS + thread < count { atomicAdd(&bin_offsets[1u + bin_of(scale, times[i])], 1u); }
    }
    sum_bins();
    for (var i = 0u; i < ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let goes_to = atomicAdd(&bin_offsets[1u + bin_of(scale, times[i])], 1u);
            sorted_keys[goes_to] = Entry(times[i], index_at(begin, at));
        }
    }
    workgroupBarrier();
}

// Writes each entry to its index: after those of its bin that are earlier. A thread per entry, as
// many entries may share a bin.
fn write_in_order(begin: u32, count: u32, scale: Scale) {
    for (var i = thread; i < count; i += THREADS) {
        let key = sorted_keys[i];
        let bin = bin_of(scale, key.time);
        let end = atomicLoad(&bin_offsets[bin + 1u]);
        let first = atomicLoad(&bin_offsets[bin]);
        var goes_to = first;
        for (var other = first; other < end; other++) {
            if is_earlier(sorted_keys[other], key) { goes_to++; }
        }
        put_in_order(begin + goes_to, key);
    }
}

// Sorts the clusters or entries, which must fit.
fn sort_by_bins(begin: u32, count: u32) {
    clear_bins();
    for (var i = 0u; i < ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            times[i] = time_at(begin, at);
            include_time(times[i]);
        }
    }
    workgroupBarrier();
    include_in_extent();
    workgroupBarrier();
    let scale = scale_of(atomicLoad(&extent[0]), atomicLoad(&extent[1]), BINS);
    move_to_bins(begin, count, scale);
    write_in_order(begin, count, scale);
}
